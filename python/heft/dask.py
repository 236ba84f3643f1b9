"""Estimators for Dask: fit and predict on dask DataFrames and arrays, where their rows are.

    import dask.dataframe as dd
    import heft.dask
    from distributed import Client

    client = Client("scheduler:8786")
    loans = dd.read_parquet("loans/*.parquet")
    X, y = loans.drop(columns="repaid"), loans["repaid"]
    model = heft.dask.Auto().fit(X, y)
    model.predict(X)                     # a dask Series: nothing is computed yet

There is a class for Auto and for every method that learns from distributed rows, with the parameters
of the ordinary class. Every worker that has partitions is one rank (see heft.ranks): it puts its
partitions together, and the workers exchange sums over connections of their own. The model is that
of one process with all the rows.
"""

from __future__ import annotations

import secrets
import time
import warnings
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

import dask
import dask.array
import distributed

from . import _evaluate, _ffi, _input, _results, _sockets
from ._base import HeftClassifier, seed_of
from .estimators import BY_METHOD

POLL = 0.5  # seconds between two looks at whether all workers are there
AGAIN = 60  # seconds in which the scheduler should compute the partitions of a dead worker again
END = 5  # seconds in which ranks that are told to end should have done so


class WorkerLost(RuntimeError):
    """A worker has died, or could not be reached, during a fit."""


# ---- on the workers ----

_endpoints: dict[tuple[str, str], _sockets.Endpoint] = {}  # by the name of the work and the worker's address


def _open(name: str, dask_worker: Any = None) -> tuple[str, int]:
    """Make this worker reachable for the others; where that is."""
    host = distributed.comm.get_address_host(dask_worker.contact_address or dask_worker.address)
    inside = dask_worker.address.startswith("inproc://")  # workers that are threads of one process
    endpoint = _endpoints[name, dask_worker.address] = _sockets.Endpoint("127.0.0.1" if inside else host)
    return endpoint.address


def _close(name: str, dask_worker: Any = None) -> None:
    """End what is left of the work on this worker."""
    endpoint = _endpoints.pop((name, dask_worker.address), None)
    if endpoint is not None:
        endpoint.close()


def _as_rank(name: str, secret: bytes, rank: int, addresses: Sequence[tuple[str, int]],
             work: Callable[..., Any], given: Any) -> dict[str, Any]:
    """What `work` makes of what this rank is given, beside the other ranks."""
    worker = distributed.get_worker()
    distributed.secede()  # it waits for the others, which must be able to start
    about: dict[str, Any] = {"worker": worker.address, "result": None, "error": None, "warnings": []}
    try:
        endpoint = _endpoints.get((name, worker.address))
        if endpoint is None:
            raise _sockets.RankLost(f"rank {rank}: the worker was started again")
        comm = _sockets.Sockets(rank, addresses, endpoint, secret)
        with warnings.catch_warnings(record=True) as messages, comm:
            warnings.simplefilter("always")
            result = work(given, worker.state.nthreads)
    except Exception as error:  # for the client, which has those of all ranks and shows one
        return {**about, "error": error}
    about.update(bytes_given=comm.bytes_given, bytes_sent=comm.bytes_sent)
    if rank == 0:
        about.update(result=result, warnings=[(str(one.message), one.category) for one in messages])
    return about


class _Fit:
    """Fit an estimator to the partitions of a worker."""

    def __init__(self, estimator: HeftClassifier) -> None:
        self.estimator = estimator

    def __call__(self, parts: list[tuple[Any, Any, Any]], n_threads: int) -> HeftClassifier:
        X, y, weights = (_whole([part[k] for part in parts]) for k in range(3))
        extra = {} if weights is None else {"sample_weight": weights}
        asked, self.estimator.n_jobs = self.estimator.n_jobs, self.estimator.n_jobs or n_threads
        self.estimator.fit(X, y, **extra)
        self.estimator.n_jobs = asked
        return self.estimator


class _Evaluate:
    """Evaluate estimators on a table that every worker has."""

    def __init__(self, estimators: Any, options: dict[str, Any]) -> None:
        self.estimators, self.options = estimators, options

    def __call__(self, data: tuple[Any, Any, Any], n_threads: int) -> Any:
        X, y, weights = data
        options = {**self.options, "n_jobs": self.options["n_jobs"] or n_threads}
        found = _evaluate.evaluate(self.estimators, X, y, sample_weight=weights, **options)
        return found, found.results  # which a DataFrame loses on its way


def _whole(parts: list[Any]) -> Any:
    """Partitions put together; empty ones, whose types may be others, are left out."""
    if parts[0] is None or np.isscalar(parts[0]):
        return parts[0]
    parts = [part for part in parts if part.shape[0]] or parts[:1]
    if len(parts) == 1:
        return parts[0]
    if hasattr(parts[0], "iloc"):
        import pandas

        return pandas.concat(parts)
    if _input.is_sparse(parts[0]):
        import scipy.sparse

        return scipy.sparse.vstack(parts)
    return np.concatenate(parts)


def _triple(X: Any, y: Any, weights: Any) -> tuple[Any, Any, Any]:
    return X, y, weights


# ---- on the client ----


def _client(client: Any) -> Any:
    found = client or distributed.default_client()
    if found.asynchronous:
        raise TypeError("heft.dask needs a client that is not asynchronous")
    return found


def _is_dask(thing: Any) -> bool:
    return bool(dask.is_dask_collection(thing))


def _blocks(thing: Any, name: str) -> list[Any]:
    """The partitions of a collection, by rows."""
    if not _is_dask(thing) or not hasattr(thing, "to_delayed"):
        raise TypeError(f"{name} is a {type(thing).__name__}, not a dask DataFrame, Series or array (for data in "
                        "memory use the estimators of heft itself)")
    if isinstance(thing, dask.array.Array) and thing.ndim > 1:
        thing = thing.rechunk({axis: -1 for axis in range(1, thing.ndim)})
    return list(np.asarray(thing.to_delayed(), dtype=object).ravel())


def _parts(X: Any, y: Any, sample_weight: Any) -> list[Any]:
    """The partitions of X, each with its labels and weights."""
    columns = {"X": _blocks(X, "X")}
    for name, thing in (("y", y), ("sample_weight", sample_weight)):
        if thing is None and name == "y":
            raise ValueError("fit requires y to be passed, but the target y is None.")
        if thing is None or np.isscalar(thing):
            columns[name] = [thing] * len(columns["X"])
            continue
        if isinstance(thing, dask.array.Array) and isinstance(X, dask.array.Array):
            known = not np.isnan([*X.chunks[0], *thing.chunks[0]]).any()
            if known and X.shape[0] != thing.shape[0]:
                raise ValueError(f"Found input variables with inconsistent numbers of samples: "
                                 f"[{X.shape[0]}, {thing.shape[0]}]")
            thing = thing.rechunk({0: X.chunks[0]}) if known else thing
        columns[name] = _blocks(thing, name)
        if len(columns[name]) != len(columns["X"]):
            raise ValueError(f"X has {len(columns['X'])} partitions and {name} has {len(columns[name])} (repartition "
                             "one of them as the other)")
    part = dask.delayed(_triple, pure=False)
    return [part(*three) for three in zip(*columns.values())]


def _placed(client: Any, parts: list[Any], there: bool) -> list[Any]:
    """The partitions as futures, computed where the data are. If they are nowhere yet, each worker
    gets a run of them."""
    workers = sorted(client.ncores())
    if not workers:
        raise WorkerLost("the cluster has no workers")
    if there:
        return list(client.compute(parts))
    futures: list[Any] = []
    for worker, run in zip(workers, np.array_split(np.arange(len(parts)), len(workers))):
        if len(run):
            futures += client.compute([parts[k] for k in run], workers=[worker], allow_other_workers=True)
    return futures


def _by_worker(client: Any, futures: list[Any]) -> dict[str, list[Any]]:
    """The partitions of each worker, in their order; the workers in the order of their first ones."""
    until = time.monotonic() + AGAIN
    while True:
        distributed.wait(futures)
        for future in futures:
            if future.status != "finished":
                future.result()
        holders = client.who_has(futures)
        if all(holders.get(future.key) for future in futures):
            break
        if time.monotonic() > until:
            raise WorkerLost("the partitions of a worker that has died are not computed again")
        time.sleep(POLL)
    places: dict[str, list[Any]] = {}
    for future in futures:
        at = sorted(holders[future.key])
        places.setdefault(next((worker for worker in at if worker in places), at[0]), []).append(future)
    return places


def _together(client: Any, work: Callable[..., Any], places: dict[str, Any]) -> list[dict[str, Any]]:
    """What `work` returns on all workers of `places`, as ranks, each with what it is given."""
    name, secret, workers = secrets.token_hex(8), secrets.token_bytes(32), list(places)
    futures: list[Any] = []
    try:
        try:
            addresses = client.run(_open, name, workers=workers)
        except (OSError, ValueError, KeyError) as error:
            raise WorkerLost(f"a worker has died: {error}") from error
        endpoints = [tuple(addresses[worker]) for worker in workers]
        futures += [
            client.submit(_as_rank, name, secret, rank, endpoints, work, places[worker], workers=[worker],
                          allow_other_workers=False, pure=False, key=f"heft-{name}-{rank}")
            for rank, worker in enumerate(workers)]
        return _awaited(client, name, futures, workers)
    finally:
        client.cancel([future for future in futures if not future.done()])
        alive = set(client.ncores())
        client.run(_close, name, workers=[worker for worker in workers if worker in alive], on_error="ignore")


def _awaited(client: Any, name: str, futures: list[Any], workers: list[str]) -> list[dict[str, Any]]:
    """What the ranks return, in their order. Where one fails or a worker dies, the others are ended."""
    found: dict[int, dict[str, Any]] = {}
    until, gone = float("inf"), list[str]()
    while len(found) < len(futures) and time.monotonic() < until:
        pending = [future for rank, future in enumerate(futures) if rank not in found]
        try:
            distributed.wait(pending, timeout=POLL, return_when="FIRST_COMPLETED")
        except distributed.TimeoutError:
            pass
        for rank, future in enumerate(futures):
            if rank not in found and future.done():
                found[rank] = future.result()
        alive = client.ncores()
        gone = [worker for worker in workers if worker not in alive]
        if until == float("inf") and (gone or any(one["error"] is not None for one in found.values())):
            client.run(_close, name, workers=[worker for worker in workers if worker in alive], on_error="ignore")
            until = time.monotonic() + END
    errors = [found[rank]["error"] for rank in sorted(found) if found[rank]["error"] is not None]
    if len(found) == len(futures) and not errors:
        return [found[rank] for rank in range(len(futures))]
    if gone:
        raise WorkerLost(f"the worker at {', '.join(gone)} has died; the others have ended their work")
    own = [error for error in errors if not isinstance(error, _sockets.RankLost)]  # the others follow from them
    raise own[0] if own else WorkerLost(str(errors[0]))


def _warn_all(found: list[dict[str, Any]]) -> None:
    for text, category in found[0]["warnings"]:
        warnings.warn(text, category, stacklevel=4)


class DaskClassifier(HeftClassifier):
    """What the estimators of heft.dask add to the ordinary ones. With data in memory, a fitted one works
    like the ordinary one."""

    _ordinary: type[HeftClassifier]

    def local(self) -> HeftClassifier:
        """The ordinary estimator with the same parameters and the same model, which does not need Dask."""
        ordinary = self._ordinary(**self.get_params(deep=False))
        ordinary.__dict__.update({name: value for name, value in vars(self).items() if name != "ranks_"})
        return ordinary

    def _spread_fit(self, X: Any, y: Any, sample_weight: Any, client: Any, retries: int) -> Any:
        client = _client(client)
        for name in [name for name in vars(self) if name.endswith("_") and name not in self.get_params(deep=False)]:
            delattr(self, name)
        self.__dict__.pop("_model", None)
        params = self.get_params(deep=False)
        if params["random_state"] is not None:
            params["random_state"] = seed_of(params["random_state"])  # one draw for all ranks
        parts = _parts(X, y, sample_weight)
        there = any(distributed.futures_of(thing) for thing in (X, y, sample_weight) if _is_dask(thing))
        futures = _placed(client, parts, there)
        for left in range(retries, -1, -1):
            try:
                found = _together(client, _Fit(self._ordinary(**params)), _by_worker(client, futures))
                break
            except WorkerLost:
                if not left:
                    raise
        fitted = vars(found[0]["result"])
        self.__dict__.update({name: value for name, value in fitted.items() if name not in params})
        self.ranks_ = [{name: one[name] for name in ("worker", "bytes_given", "bytes_sent")} for one in found]
        _warn_all(found)
        return self

    def fit(self, X: Any, y: Any, *, client: Any = None, retries: int = 0) -> Any:
        """Fit to a dask DataFrame or array X and the labels y, which has the partitions of X.

        Parameters
        ----------
        X : dask DataFrame or array of shape (n_samples, n_features)
        y : dask Series or array of shape (n_samples,)
        client : distributed.Client, default None
            The cluster; None: the client that was made last.
        retries : int, default 0
            How often to start again after a worker has died. Dask computes its partitions again on
            the workers that are left, and the model is the same.

        Returns
        -------
        self
        """
        return self._spread_fit(X, y, None, client, retries)

    def _mapped(self, X: Any, method: str, columns: Any) -> Any:
        """What `method` of the ordinary estimator gives for X, by partitions and when it is asked for."""
        self._fitted()
        ordinary = self.local().set_params(n_jobs=1)  # Dask has a thread for each partition
        shared = dask.delayed(ordinary, name=f"heft-model-{secrets.token_hex(8)}", traverse=False)
        if not isinstance(X, dask.array.Array):
            meta = _framed(self.classes_[:0] if columns is None else np.empty((0, len(columns))), None, self.classes_)
            return X.map_partitions(_predict_frame, shared, method, meta, meta=meta, enforce_metadata=False)
        X = X.rechunk({1: -1})
        if columns is None:
            return X.map_blocks(_predict_block, drop_axis=1, dtype=self.classes_.dtype, model=shared, method=method,
                                meta=self.classes_[:0])
        return X.map_blocks(_predict_block, chunks=(X.chunks[0], (len(columns),)), dtype=np.float64, model=shared,
                            method=method, meta=np.empty((0, 0)))

    def predict(self, X: Any) -> Any:
        """The class of each row, as a lazy dask Series for a DataFrame and a dask array for an array.
        Data in memory are predicted at once, here and in the methods below."""
        return self._mapped(X, "predict", None) if _is_dask(X) else super().predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Posterior probabilities: a lazy dask DataFrame with a column for each class, or a dask array."""
        return self._mapped(X, "predict_proba", self.classes_) if _is_dask(X) else super().predict_proba(X)

    def predict_log_proba(self, X: Any) -> Any:
        """Logarithms of the posterior probabilities, in the form of ``predict_proba``."""
        return self._mapped(X, "predict_log_proba", self.classes_) if _is_dask(X) else super().predict_log_proba(X)

    def predict_joint_log_proba(self, X: Any) -> Any:
        """The method's own scores, in the form of ``predict_proba``."""
        if not _is_dask(X):
            return super().predict_joint_log_proba(X)
        return self._mapped(X, "predict_joint_log_proba", self.classes_)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows that are predicted right."""
        if not _is_dask(X):
            return float(super().score(X, y, sample_weight))
        ordinary = dask.delayed(self.local().set_params(n_jobs=1), traverse=False)
        counts = [dask.delayed(_right, pure=False)(ordinary, part) for part in _parts(X, y, sample_weight)]
        right, total = np.sum(dask.compute(*counts), axis=0)
        return float(right / total)


class WeightedDaskClassifier(DaskClassifier):
    """The methods that take instance weights."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, client: Any = None, retries: int = 0) -> Any:
        """Fit to a dask DataFrame or array X and the labels y, which has the partitions of X.

        Parameters
        ----------
        X : dask DataFrame or array of shape (n_samples, n_features)
        y : dask Series or array of shape (n_samples,)
        sample_weight : dask Series or array of shape (n_samples,), default None
            A row of weight 2 counts as two rows.
        client : distributed.Client, default None
            The cluster; None: the client that was made last.
        retries : int, default 0
            How often to start again after a worker has died. Dask computes its partitions again on
            the workers that are left, and the model is the same.

        Returns
        -------
        self
        """
        return self._spread_fit(X, y, sample_weight, client, retries)


def _framed(values: np.ndarray, index: Any, classes: np.ndarray) -> Any:
    """Labels as a pandas Series, other values as a DataFrame with a column for each class."""
    import pandas

    if values.ndim == 2:
        return pandas.DataFrame(values, index=index, columns=classes.tolist())
    return pandas.Series(values, index=index, dtype=pandas.Series(classes).dtype, name="predicted")


def _predict_frame(X: Any, model: HeftClassifier, method: str, nothing: Any) -> Any:
    if len(X) == 0:
        return nothing
    return _framed(getattr(model, method)(X), X.index, model.classes_)


def _predict_block(X: Any, model: Any = None, method: str = "") -> np.ndarray:
    if X.shape[0] == 0:
        classes = model.classes_
        return np.empty(0, classes.dtype) if method == "predict" else np.empty((0, len(classes)))
    return np.asarray(getattr(model, method)(X))


def _right(model: HeftClassifier, part: tuple[Any, Any, Any]) -> tuple[float, float]:
    """The weight of the rows that are predicted right, and of all rows."""
    X, y, weights = part
    if X.shape[0] == 0:
        return 0.0, 0.0
    mass = _input.read_weights(1 if weights is None else weights, X.shape[0], part=True)
    assert mass is not None
    return float(mass[model.predict(X) == np.asarray(y).ravel()].sum()), float(mass.sum())


def evaluate(
    estimators: Any, X: Any, y: Any, *, cv: int | str | None = None, repeats: int = 1, split: str = "heft",
    protocol: str = "honest", holdout: float | None = None, intervals: bool = False,
    predictions: bool = False, sample_weight: Any = None, categorical_features: Any = None,
    random_state: Any = None, n_jobs: int | None = None, client: Any = None,
) -> _results.Evaluation:
    """What :func:`heft.evaluate` returns, with folds and methods dealt out to the workers.

    Every worker gets the whole table, which must fit in its memory. Estimators are ordinary ones, those
    of this module, or methods by name; methods by name are dealt out together.

    Parameters
    ----------
    estimators : as in :func:`heft.evaluate`
    X, y : in memory, or dask collections
    n_jobs : int, default None
        Threads on each worker; None: as many as the worker has.
    client : distributed.Client, default None
        The cluster; None: the client that was made last.
    cv, repeats, split, protocol, holdout, intervals, predictions
        As in :func:`heft.evaluate`, like the other parameters.

    Returns
    -------
    pandas.DataFrame
    """
    client = _client(client)
    chosen = [(name, given.local() if isinstance(given, DaskClassifier) else given)
              for name, given in _evaluate.named_estimators(estimators)]
    options = {"cv": cv, "repeats": repeats, "split": split, "protocol": protocol, "holdout": holdout,
               "intervals": intervals, "predictions": predictions, "categorical_features": categorical_features,
               "random_state": None if random_state is None else seed_of(random_state), "n_jobs": n_jobs}
    workers = sorted(client.ncores())
    if not workers:
        raise WorkerLost("the cluster has no workers")
    X, y, sample_weight = dask.compute(X, y, sample_weight)
    data = client.scatter((X, y, sample_weight), broadcast=True)
    found = _together(client, _Evaluate(chosen, options), {worker: data for worker in workers})
    _warn_all(found)
    table, results = found[0]["result"]
    return _results.evaluation(table, results, repeats)


def _made(ordinary: type[HeftClassifier]) -> type[DaskClassifier]:
    """The class for Dask beside an ordinary class."""
    base: type[DaskClassifier] = WeightedDaskClassifier if ordinary._weights else DaskClassifier
    text = (f"heft.{ordinary.__name__} for dask DataFrames and arrays.\n\n    The parameters and attributes are those "
            f"of :class:`heft.{ordinary.__name__}`. After fit, ``ranks_`` lists the\n    workers, with the bytes that each gave "
            "to sums and sent.\n    ")
    return type(ordinary.__name__, (base, ordinary), {"__doc__": text, "__module__": __name__, "_ordinary": ordinary})


_CLASSES = {BY_METHOD[method.name].__name__: _made(BY_METHOD[method.name])
            for method in _ffi.methods() if method.ranks or method.name == "auto"}
globals().update(_CLASSES)
__all__ = ["DaskClassifier", "WorkerLost", "evaluate", *_CLASSES]

if TYPE_CHECKING:

    def __getattr__(name: str) -> type[DaskClassifier]: ...
