"""Compare heft with estimators of scikit-learn on the same folds."""
import pathlib

import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import heft

table = pd.read_csv(pathlib.Path(__file__).resolve().parents[1] / "wine.csv")
X, y = table.drop(columns="class"), table["class"]
found = heft.evaluate({
    "heft auto": heft.Auto(),
    "heft nb": "nb",
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "random forest": RandomForestClassifier(50, random_state=1),
}, X, y, cv=10)
order = found.sort_values("log_loss")["method"].tolist()
print(found.set_index("method").loc[["heft auto", "heft nb"], ["accuracy", "log_loss"]].round(3))
print("all four, evaluated on the same", len(found["per_fold"].iloc[0]), "folds:", len(order) == 4)
