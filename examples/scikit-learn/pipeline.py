"""heft inside scikit-learn: a pipeline, a grid search over its parameters, and an explanation."""
import pathlib

import pandas as pd
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline

import heft

table = pd.read_csv(pathlib.Path(__file__).resolve().parents[1] / "breast_cancer.csv")
X, y = table.drop(columns="class"), table["class"]
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=1)

# An estimator of heft is a step like any other. With pandas between the steps, attributes keep their names.
pipeline = make_pipeline(VarianceThreshold(1e-4), heft.LNB()).set_output(transform="pandas")
folds = StratifiedKFold(5, shuffle=True, random_state=1)
scores = cross_val_score(pipeline, X_train, y_train, cv=folds)
print(f"cross-validated accuracy: {scores.mean():.3f}")

# Its parameters can be searched, preparation included.
search = GridSearchCV(pipeline, {"lnb__discretize": ["none", "width:10", "mdl"]}, cv=folds, scoring="neg_log_loss")
search.fit(X_train, y_train)
print(f"best parameters: {search.best_params_}")
best = search.best_estimator_
print(f"accuracy on the test rows: {best.score(X_test, y_test):.3f}")

# The last step explains its predictions: what each attribute adds to the score of a class.
why = best[-1].explain(best[:-1].transform(X_test.head(1))).to_frame()
why["malignant - benign"] = why["malignant"] - why["benign"]
print(why.sort_values("malignant - benign", key=abs, ascending=False).head(3).round(2).to_string(index=False))
