# The example of docs/python.md: python3 examples/scikit-learn/quickstart.py
import os

import numpy as np
import pandas as pd

import heft

# Numbers, words and missing cells, as they come.
folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
loans = pd.read_csv(os.path.join(folder, "loans.csv"))
X, y = loans.drop(columns="repaid"), loans["repaid"]

model = heft.Auto().fit(X, y)
print(model.predict(X.head(3)))
print(model.predict_proba(X.head(3)).round(3))

# How much each attribute says about the class.
importances = pd.Series(model.feature_importances_, index=model.feature_names_in_)
print(importances.sort_values(ascending=False).round(3).to_string())

# Why the first row got its class: contributions to the score of "yes" less that of "no".
why = model.explain(X.head(1))
parts = pd.Series(why.contributions[0, :, 1] - why.contributions[0, :, 0], index=why.features)
print(parts.sort_values(key=np.abs, ascending=False).head(3).round(3).to_string())

# The same folds for several methods.
table = heft.evaluate([heft.Auto(), heft.LNB(), "nb"], X, y, cv=10)
print(table[["method", "accuracy", "log_loss", "auc"]].round(4).to_string(index=False))
