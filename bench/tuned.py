"""Peers that search for their parameters, for auto_versus.py --slow: LightGBM and XGBoost tuned at random, and AutoGluon.

A tuned booster tries its defaults and then random configurations, up to TRIALS in all. Each is fitted without one fold of
five at a time, and stops when the loss of the fold has not fallen for PATIENCE rounds. The configuration of the lowest mean
loss is fitted to all rows, with the mean of its best numbers of rounds. No configuration is begun after the CPU seconds of
the limit are used up; if the limit ends one, it does not count.
"""
import contextlib
import resource
import tempfile
import warnings

import numpy as np
from sklearn.model_selection import StratifiedKFold

TRIALS, FOLDS, PATIENCE, MOST_ROUNDS = 20, 5, 50, 3000


def cpu_seconds():
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime + use.ru_stime


def spread(random, low, high):
    """A number whose logarithm is uniform."""
    return float(np.exp(random.uniform(np.log(low), np.log(high))))


class Tuned:
    """A booster with fit(X, y) and predict_proba(X); `limit` is in CPU seconds."""

    def __init__(self, limit):
        self.limit, self.model = limit, None

    def configuration(self, random):
        raise NotImplementedError

    def open(self, configuration, rounds, stops):
        raise NotImplementedError

    def fit_watched(self, model, X, y, held_X, held_y):
        """Fits until the loss of the held-out rows no longer falls; gives that loss and the rounds."""
        raise NotImplementedError

    def fit(self, X, y):
        warnings.filterwarnings("ignore")
        random, began = np.random.default_rng(1), cpu_seconds()
        best = (np.inf, {}, 100)
        least = np.bincount(y).min()
        cuts = StratifiedKFold(FOLDS, shuffle=True, random_state=1) if least >= FOLDS else None
        parts = list(cuts.split(X, y)) if cuts else [fold_of_all(y, f) for f in range(FOLDS)]
        for trial in range(TRIALS):
            configuration = self.configuration(random) if trial else {}
            found = []
            for train, held in parts:
                if trial and cpu_seconds() - began > self.limit:
                    break
                model = self.open(configuration, MOST_ROUNDS, True)
                found.append(self.fit_watched(model, X.iloc[train], y[train], X.iloc[held], y[held]))
            if len(found) < FOLDS:
                break
            loss, rounds = np.mean(found, axis=0)
            if loss < best[0]:
                best = (loss, configuration, max(1, round(rounds)))
        self.model = self.open(best[1], best[2], False)
        self.model.fit(X, y)

    def predict_proba(self, X):
        return self.model.predict_proba(X)


def fold_of_all(y, f):
    """A fold where a class has fewer rows than there are folds: its first rows stay in every training part."""
    fold = np.random.default_rng(1).permutation(len(y)) % FOLDS
    _, first = np.unique(y, return_index=True)
    fold[first] = FOLDS
    return np.flatnonzero(fold != f), np.flatnonzero(fold == f)


class TunedLightGBM(Tuned):
    def configuration(self, random):
        return {"num_leaves": round(spread(random, 8, 256)), "learning_rate": spread(random, 0.02, 0.3),
                "min_child_samples": round(spread(random, 1, 100)), "reg_lambda": spread(random, 1e-3, 10),
                "subsample": random.uniform(0.5, 1), "subsample_freq": 1, "colsample_bytree": random.uniform(0.4, 1),
                "cat_smooth": spread(random, 1, 100)}

    def open(self, configuration, rounds, stops):
        from lightgbm import LGBMClassifier
        return LGBMClassifier(n_estimators=rounds, n_jobs=1, random_state=1, verbose=-1, **configuration)

    def fit_watched(self, model, X, y, held_X, held_y):
        from lightgbm import early_stopping
        model.fit(X, y, eval_set=[(held_X, held_y)], callbacks=[early_stopping(PATIENCE, verbose=False)])
        return next(iter(next(iter(model.best_score_.values())).values())), model.best_iteration_


class TunedXGBoost(Tuned):
    def configuration(self, random):
        return {"max_depth": int(random.integers(3, 11)), "learning_rate": spread(random, 0.02, 0.3),
                "min_child_weight": spread(random, 0.1, 20), "reg_lambda": spread(random, 1e-3, 10),
                "subsample": random.uniform(0.5, 1), "colsample_bytree": random.uniform(0.4, 1),
                "gamma": spread(random, 1e-3, 3)}

    def open(self, configuration, rounds, stops):
        from xgboost import XGBClassifier
        early = {"early_stopping_rounds": PATIENCE} if stops else {}
        return XGBClassifier(n_estimators=rounds, tree_method="hist", enable_categorical=True, n_jobs=1, random_state=1,
                             **early, **configuration)

    def fit_watched(self, model, X, y, held_X, held_y):
        model.fit(X, y, eval_set=[(held_X, held_y)], verbose=False)
        return model.best_score, model.best_iteration + 1


class AutoGluon:
    """medium_quality on one core; `seconds` is the time limit that it is given."""

    def __init__(self, seconds):
        self.seconds, self.model, self.room = seconds, None, tempfile.TemporaryDirectory()

    def fit(self, X, y):
        from autogluon.tabular import TabularPredictor
        with contextlib.redirect_stdout(None):
            self.model = TabularPredictor("class", path=self.room.name, eval_metric="log_loss", verbosity=0)
            self.model.fit(X.assign(**{"class": y}), presets="medium_quality", time_limit=self.seconds, num_cpus=1,
                           num_gpus=0)

    def predict_proba(self, X):
        return self.model.predict_proba(X).to_numpy()
