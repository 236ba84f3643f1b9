"""heft.dask on a cluster of three worker processes: the models of one process, and workers that die."""
import logging
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

distributed = pytest.importorskip("distributed", reason="Dask is not installed (pip install 'dask[dataframe]' distributed)")
pd = pytest.importorskip("pandas")
dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")

import heft  # noqa: E402
import heft.dask  # noqa: E402
from models import assert_same, table  # noqa: E402


@pytest.fixture(scope="module")
def client():
    import dask

    # dask would close a worker for good that is gone 15 s after another one of its place was killed
    with dask.config.set({"distributed.comm.timeouts.connect": "30s", "distributed.worker.memory.terminate": False,
                          "distributed.deploy.lost-worker-timeout": "600s"}):
        with distributed.LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None,
                                      memory_limit=None, silence_logs=logging.ERROR) as cluster, distributed.Client(cluster) as client:
            yield client


def spread(X, y, npartitions=7):
    return dd.from_pandas(X, npartitions=npartitions), dd.from_pandas(y, npartitions=npartitions)


def test_there_is_a_class_for_every_method_on_ranks():
    names = {heft.BY_METHOD[m.name].__name__ for m in heft.methods() if m.ranks} | {"Auto"}
    assert names <= set(heft.dask.__all__) and len(names) > 15
    for name in names:
        cls = getattr(heft.dask, name)
        assert issubclass(cls, getattr(heft, name)) and cls.__doc__
        assert sorted(cls().get_params()) == sorted(getattr(heft, name)().get_params())


CUT = {"NB": {"discretize": "width:5"}, "KLNB": {"discretize": "mdl"}}  # sums of numbers have 32 digits only


@pytest.mark.parametrize("name", ["Auto", "NB", "KLNB", "LNB", "RNB", "VWNB", "TAN", "AODE", "LCWNB"])
def test_the_model_of_one_process(client, name):
    X, y = table(400 if name == "Auto" else 1500)
    dX, dy = spread(X, y)
    params = CUT.get(name, {})
    one = getattr(heft, name)(**params).fit(X, y)
    many = getattr(heft.dask, name)(**params).fit(dX, dy)
    assert_same(one, many)
    assert len(many.ranks_) == 3 and all(rank["bytes_given"] > 0 for rank in many.ranks_)
    assert many.classes_.tolist() == ["maybe", "no", "yes"] and many.feature_names_in_.tolist() == list(X.columns)
    proba = many.predict_proba(dX)
    assert isinstance(proba, dd.DataFrame) and list(proba.columns) == ["maybe", "no", "yes"]
    pd.testing.assert_index_equal(proba.compute().index, X.index)
    assert (proba.compute().to_numpy() == one.predict_proba(X)).all()
    predicted = many.predict(dX)
    assert isinstance(predicted, dd.Series) and predicted.compute().tolist() == one.predict(X).tolist()


def test_selected_and_calibrated(client):
    X, y = table()
    X = X[["colour", "size"]]
    options = {"discretize": "width:5", "select": "cfs", "calibrate": "vector"}
    assert_same(heft.NB(**options).fit(X, y), heft.dask.NB(**options).fit(*spread(X, y)))


def test_arrays_in_any_chunks(client):
    X, _ = table()
    X = X[["width", "size"]].to_numpy(dtype=float)
    y = (np.nan_to_num(X[:, 0]) > 0.3).astype(int)
    one = heft.LNB().fit(X, y)
    dX, dy = da.from_array(X, chunks=(400, 1)), da.from_array(y, chunks=333)
    many = heft.dask.LNB().fit(dX, dy)
    assert_same(one, many)
    for method in ("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"):
        lazy = getattr(many, method)(dX)
        assert isinstance(lazy, da.Array) and lazy.shape[0] == len(X)
        assert (lazy.compute() == getattr(one, method)(X)).all()
    assert many.score(dX, dy) == one.score(X, y)
    assert (many.predict(X) == one.predict(X)).all()  # in memory: at once


def test_weights_few_and_empty_partitions(client):
    X, y = table()
    weights = pd.Series(np.arange(len(X)) % 3, dtype=float)
    weights[:500] = 0
    one = heft.LNB().fit(X, y, weights)
    dX, dy = spread(X, y, 2)
    dw = dd.from_pandas(weights, npartitions=2)
    many = heft.dask.LNB().fit(dX, dy, dw)
    assert len(many.ranks_) == 2
    assert_same(one, many)
    assert many.score(dX, dy, dw) == pytest.approx(one.score(X, y, weights), abs=1e-12)
    parts = [X[:0], X[:900], X[900:900], X[900:], X[:0], X[:0]]
    labels = [y[:0], y[:900], y[900:900], y[900:], y[:0], y[:0]]
    dX, dy = dd.from_map(lambda k: parts[k], range(6)), dd.from_map(lambda k: labels[k], range(6))
    many = heft.dask.LNB().fit(dX, dy)
    assert_same(heft.LNB().fit(X, y), many)
    assert many.predict(dX).compute().tolist() == heft.LNB().fit(X, y).predict(X).tolist()


def test_categories_that_differ_by_partition(client):
    X, y = table()
    dX, dy = spread(X, y)
    cut = dX.map_partitions(lambda part: part.astype({"colour": "category"}))
    assert_same(heft.NB(discretize="width:5").fit(X, y), heft.dask.NB(discretize="width:5").fit(cut, dy))
    sizes = heft.NB(discretize="width:5", categorical_features=["size"])
    later = X.assign(size=np.where(X.index < 700, 9, X["size"] + 5))
    many = heft.dask.NB(discretize="width:5", categorical_features=["size"]).fit(*spread(later, y))
    assert_same(sizes.fit(later, y), many)


def test_rows_stay_where_they_are(client):
    """Partitions in memory are left there; Dask may copy some to a worker that is less busy."""
    X, y = table()
    whole = client.persist(dd.from_pandas(X.assign(bought=y), npartitions=7))
    distributed.wait(whole)
    before = client.who_has(distributed.futures_of(whole))
    many = heft.dask.LNB().fit(whole.drop(columns="bought"), whole["bought"])
    after = client.who_has(distributed.futures_of(whole))
    assert all(set(before[key]) <= set(after[key]) for key in before)
    assert_same(heft.LNB().fit(X, y), many)


def test_the_ordinary_estimator_and_files(client, tmp_path):
    X, y = table()
    many = heft.dask.LNB(max_iter=20).fit(*spread(X, y))
    ordinary = many.local()
    assert type(ordinary) is heft.LNB and ordinary.max_iter == 20
    assert_same(ordinary, many)
    assert_same(pickle.loads(pickle.dumps(many)), many)
    many.save(tmp_path / "m.heft")
    assert (heft.load(tmp_path / "m.heft").predict_proba(X) == ordinary.predict_proba(X)).all()


def test_what_cannot_be_fitted_is_said_once(client):
    X, y = table()
    dX, dy = spread(X, y)
    with pytest.raises(TypeError, match="X is a DataFrame, not a dask"):
        heft.dask.NB().fit(X, y)
    with pytest.raises(ValueError, match="X has 7 partitions and y has 2"):
        heft.dask.NB().fit(dX, dd.from_pandas(y, npartitions=2))
    with pytest.raises(ValueError, match="Input y contains NaN"):
        heft.dask.NB().fit(dX, dd.from_pandas(y.where(y.index != 1400), npartitions=7))
    with pytest.raises(ValueError, match="discretize"):
        heft.dask.NB(discretize="nonsense").fit(dX, dy)
    mixed = dX.map_partitions(lambda part: part.assign(open=part.index[0] if part.index[0] else "text"),
                              meta=dX._meta.assign(open=pd.Series(dtype=object)))
    with pytest.raises(ValueError, match="column 'open'"):
        heft.dask.NB().fit(mixed, dy)
    with pytest.raises(heft.NotFittedError):
        heft.dask.NB().predict(dX)


def test_two_fits_at_once(client):
    X, y = table()
    dX, dy = client.persist(spread(X, y))
    found = {}

    def fit(name):
        found[name] = getattr(heft.dask, name)().fit(dX, dy, client=client)

    threads = [threading.Thread(target=fit, args=(name,)) for name in ("LNB", "RNB", "LCWNB")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    for name in ("LNB", "RNB", "LCWNB"):
        assert_same(getattr(heft, name)().fit(X, y), found[name])


def test_evaluate_deals_out_the_folds(client):
    X, y = table(400)
    kinds = ["nb", "klnb", heft.LNB(), heft.dask.Auto()]
    one = heft.evaluate(["nb", "klnb", heft.LNB(), heft.Auto()], X, y, cv=5, random_state=3, predictions=True)
    many = heft.dask.evaluate(kinds, X, y, cv=5, random_state=3, predictions=True)
    assert list(one.columns) == list(many.columns) and list(one["method"]) == list(many["method"])
    for name in one.columns:
        if name in ("fit_seconds", "predict_seconds"):
            continue
        for a, b in zip(one[name], many[name]):
            if isinstance(a, pd.DataFrame):
                pd.testing.assert_frame_equal(a, b, check_exact=True)
            else:
                np.testing.assert_array_equal(a, b)
    lazy = heft.dask.evaluate("nb", *spread(X, y, 3), cv=5)
    assert lazy["accuracy"][0] == heft.evaluate("nb", X, y, cv=5)["accuracy"][0]


class Dying:
    """Ends the process of the second rank at its twelfth exchange, once."""

    def __init__(self, marker):
        self.marker = str(marker)

    def work(self, rank, number):
        if rank == 1 and number == 12 and not os.path.exists(self.marker):
            open(self.marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)


def die_at(dying, dask_worker=None):
    """From now on, the rank that `dying` names ends its process in the middle of a fit."""
    from heft import _sockets

    real = _sockets.Sockets._real = getattr(_sockets.Sockets, "_real", _sockets.Sockets._swap)  # patched once only

    def swap(self, give):
        self.number = getattr(self, "number", 0) + 1
        dying.work(self.rank, self.number)
        return real(self, give)

    _sockets.Sockets._swap = swap


@pytest.mark.parametrize("retries", [0, 1])
def test_a_worker_that_is_killed(client, tmp_path, retries):
    X, y = table()
    dX, dy = spread(X, y)
    client.run(die_at, Dying(tmp_path / "died"))
    began = time.monotonic()
    if retries:
        many = heft.dask.LNB().fit(dX, dy, retries=1)
        assert_same(heft.LNB().fit(X, y), many)
    else:
        with pytest.raises(heft.dask.WorkerLost, match="has died"):
            heft.dask.LNB().fit(dX, dy)
    assert os.path.exists(tmp_path / "died") and time.monotonic() - began < 30
    client.wait_for_workers(3, timeout=60)
    assert not any(client.run(lambda: list(heft.dask._endpoints)).values())
    again = heft.dask.LNB().fit(dX, dy)
    assert_same(heft.LNB().fit(X, y), again)
