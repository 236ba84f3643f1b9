"""Estimators for Spark: stages that fit on a Spark DataFrame, where its rows are, and models that
add predictions to one.

    from heft.spark import Auto

    model = Auto(labelCol="repaid").fit(loans)       # all other columns are features
    model.transform(loans)                           # adds the columns prediction and probability

There is a class for Auto and for every method that learns from distributed rows. Its parameters are
those of the ordinary class and, in Spark's spelling, the names of columns. The classes are stages of
``pyspark.ml.Pipeline``. A fit is one stage in barrier mode: each of its tasks is one rank (see
heft.ranks), and the tasks exchange sums over connections of their own. The model is that of one
process with all the rows. When a task is lost, Spark starts the whole stage again.
"""

from __future__ import annotations

import json
import pickle
import secrets
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterator

import numpy as np

import pyarrow
import pyarrow.compute
from pyspark import BarrierTaskContext
from pyspark.ml import Estimator, Model
from pyspark.ml.functions import array_to_vector, vector_to_array
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasLabelCol, HasPredictionCol, HasProbabilityCol, HasWeightCol
from pyspark.ml.util import (DefaultParamsReadable, DefaultParamsReader, DefaultParamsWritable, DefaultParamsWriter,
                             MLReadable, MLReader, MLWritable, MLWriter)
from pyspark.sql import functions
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (ArrayType, DoubleType, StringType, StructField, StructType, _parse_datatype_json_string)

from . import _ffi, _sockets
from ._base import HeftClassifier, load, seed_of
from .estimators import BY_METHOD

START = 60  # seconds in which all tasks of the stage must have found each other
RANK = "rank int, bytes_given long, bytes_sent long, warnings string, model binary, error binary"  # of a task
_ARROW = {"int": pyarrow.int32(), "long": pyarrow.int64(), "string": pyarrow.string(), "binary": pyarrow.binary()}
VECTOR = "heft_features"  # the column of vectors, as arrays
ORDER = "heft_order"  # where the rows were before they were shuffled


class Columns(HasLabelCol, HasWeightCol, HasPredictionCol, HasProbabilityCol):
    """The names of columns."""

    featuresCols = Param(Params._dummy(), "featuresCols", "the columns that are features; by default all columns "
                         "but those of the label and the weight", typeConverter=TypeConverters.toListString)
    featuresCol = Param(Params._dummy(), "featuresCol", "one column of vectors or arrays, instead of featuresCols",
                        typeConverter=TypeConverters.toString)

    def _features(self, columns: list[str]) -> list[str]:
        """The columns that are features, of those that a DataFrame has."""
        if self.isDefined("featuresCol"):
            return [str(self.getOrDefault("featuresCol"))]
        if self.isDefined("featuresCols"):
            return list(self.getOrDefault("featuresCols"))
        other = {self.getLabelCol()} | ({self.getWeightCol()} if self.isDefined("weightCol") else set())
        return [name for name in columns if name not in other]


# ---- on the executors ----


class _Task:
    """The fit of one rank: a task of a stage in barrier mode."""

    schema: Any = None  # of the rows

    def __init__(self, estimator: HeftClassifier, label: str, weight: str | None, width: int) -> None:
        self.estimator, self.label, self.weight, self.width = estimator, label, weight, width
        self.secret = secrets.token_bytes(32)

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        given = list(batches)
        rows = pyarrow.Table.from_batches(given, None if given else self.schema)
        if ORDER in rows.column_names:
            rows = rows.sort_by(ORDER).drop_columns([ORDER])
        rows = _coded(rows, self.label)
        context = BarrierTaskContext.get()
        rank = context.partitionId()
        host = context.getTaskInfos()[rank].address.rsplit(":", 1)[0].strip("[]")
        endpoint = _sockets.Endpoint(host)
        try:
            told = context.allGather(json.dumps(endpoint.address))
            comm = _sockets.Sockets(rank, [tuple(json.loads(one)) for one in told], endpoint, self.secret, START)
            about = self._fitted(rows, comm, context.cpus())
        finally:
            endpoint.close()
        yield pyarrow.RecordBatch.from_pylist([about], pyarrow.schema(
            [(name, _ARROW[kind]) for name, kind in (field.split() for field in RANK.split(", "))]))

    def _fitted(self, rows: Any, comm: _sockets.Sockets, n_threads: int) -> dict[str, Any]:
        """What the client is told. A lost rank is an error of the task, after which Spark starts the
        stage again; other errors would come again, and are told."""
        about: dict[str, Any] = {"rank": comm.rank, "warnings": "[]", "model": None, "error": None}
        estimator, asked = self.estimator, self.estimator.n_jobs
        extra = {} if self.weight is None else {"sample_weight": rows[self.weight].to_numpy()}
        estimator.n_jobs = asked or n_threads
        try:
            with warnings.catch_warnings(record=True) as messages, comm:
                warnings.simplefilter("always")
                estimator.fit(_matrix(rows, self.width) if self.width else rows.drop_columns(
                    [self.label] if self.weight is None else [self.label, self.weight]), _labels(rows, self.label), **extra)
        except _sockets.RankLost:
            raise
        except Exception as error:
            about["error"] = pickle.dumps(error)
        estimator.n_jobs = asked
        if comm.rank == 0 and about["error"] is None:
            about["model"] = pickle.dumps(estimator)
            about["warnings"] = json.dumps([str(one.message) for one in messages])
        return {**about, "bytes_given": comm.bytes_given, "bytes_sent": comm.bytes_sent}


def _coded(rows: Any, label: str) -> Any:
    """Text as codes of its sorted values, which is read faster."""
    for j, field in enumerate(rows.schema):
        if rows.num_rows and pyarrow.types.is_string(field.type) and field.name != label:
            coded = rows.column(j).combine_chunks().dictionary_encode()
            order = pyarrow.compute.sort_indices(coded.dictionary)
            place = np.empty(len(order), dtype=np.int32)
            place[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
            codes = pyarrow.array(place).take(coded.indices)
            rows = rows.set_column(j, field.name, pyarrow.DictionaryArray.from_arrays(codes, coded.dictionary.take(order)))
    return rows


def _labels(rows: Any, name: str) -> Any:
    if rows[name].null_count:
        raise ValueError("Input y contains NaN.")
    return rows[name].to_pandas()


def _matrix(rows: Any, width: int) -> np.ndarray:
    """The column of arrays as a matrix."""
    column = rows[VECTOR].combine_chunks()
    flat = column.flatten().to_numpy(zero_copy_only=False)
    if column.null_count or len(flat) != width * len(column):
        raise ValueError(f"featuresCol: not all rows have {width} numbers")
    return np.asarray(flat, dtype=np.float64).reshape(len(column), width)


class _Predict:
    """Labels and probabilities of a batch of rows: a pandas UDF."""

    def __init__(self, estimator: HeftClassifier, vectors: bool) -> None:
        self.estimator, self.vectors = estimator, vectors

    def __call__(self, rows: Any) -> Any:
        import pandas

        if len(rows) == 0:
            return pandas.DataFrame({"label": [], "probability": []})
        X = np.array(rows.iloc[:, 0].tolist(), dtype=np.float64) if self.vectors else rows
        return pandas.DataFrame({"label": self.estimator.predict(X), "probability": list(self.estimator.predict_proba(X))})


# ---- on the driver ----


def _slots(data: Any) -> int:
    """How many tasks can run at once."""
    return int(data.sparkSession.sparkContext.defaultParallelism)


def _collected(data: Any, task: _Task) -> list[Any]:
    """What the tasks of a stage in barrier mode return. The last stage of a job is never started again
    when it is in barrier mode; so there is one more."""
    task.schema = to_arrow_schema(data.schema)
    return list(data.mapInArrow(task, RANK, barrier=True).repartition(1).collect())


def _shuffled(data: Any, n: int) -> Any:
    """The rows in n partitions, in the order they had."""
    return data.withColumn(ORDER, functions.monotonically_increasing_id()).repartitionByRange(n, ORDER)


class SparkClassifier(Estimator, Columns, DefaultParamsWritable, DefaultParamsReadable):
    """What the estimators of heft.spark share."""

    numWorkers = Param(Params._dummy(), "numWorkers", "how many tasks fit together; by default one for each partition, "
                       "at most as many as can run at once. Fewer than there are partitions: the rows are shuffled",
                       typeConverter=TypeConverters.toInt)
    _ordinary: type[HeftClassifier]
    _model_class: type[SparkModel]

    def __init__(self, **given: Any) -> None:
        super().__init__()
        self._setDefault(**self._ordinary().get_params(deep=False))
        self.setParams(**given)

    def setParams(self, **given: Any) -> Any:
        """Set parameters by name."""
        for name in given:
            if not self.hasParam(name):
                raise TypeError(f"{type(self).__name__} has no parameter {name!r} (explainParams() lists them)")
        return self._set(**given)

    def _local(self) -> HeftClassifier:
        params = {name: self.getOrDefault(name) for name in self._ordinary().get_params(deep=False)}
        if params["random_state"] is not None:
            params["random_state"] = seed_of(params["random_state"])
        return self._ordinary(**params)

    def _fit(self, dataset: Any) -> SparkModel:
        label = self.getLabelCol()
        weight = self.getWeightCol() if self.isDefined("weightCol") else None
        features = self._features(dataset.columns)
        lacking = [name for name in [label, *features, *([weight] if weight else [])] if name not in dataset.columns]
        if lacking or not features:
            raise ValueError(f"the DataFrame has no column {lacking[0]!r}" if lacking else "the DataFrame has no features")
        if weight is not None and not self._ordinary._weights:
            raise ValueError(f"{type(self).__name__} takes no weights (weightCol)")
        chosen, width = [functions.col(f"`{name}`") for name in features], 0
        if self.isDefined("featuresCol"):
            chosen, width = self._vectors(dataset, features[0])
        chosen.append(functions.col(f"`{label}`"))
        if weight is not None:
            chosen.append(functions.col(f"`{weight}`").cast("double"))
        data = dataset.select(*chosen)
        found = self._ranks(data, _Task(self._local(), label, weight, width))
        told = next((row["error"] for row in found if row["error"] is not None), None)
        if told is not None:
            raise pickle.loads(told)
        for text in json.loads(found[0]["warnings"]):
            warnings.warn(text, UserWarning, stacklevel=3)
        model = self._model_class(pickle.loads(found[0]["model"]), dataset.schema[label].dataType)
        model.ranks = [{name: row[name] for name in ("bytes_given", "bytes_sent")} for row in found]
        return self._copyValues(model.columns(features, bool(width)))  # type: ignore[no-any-return]

    def _vectors(self, dataset: Any, name: str) -> tuple[list[Any], int]:
        """The column of features as arrays, and their length."""
        column = functions.col(f"`{name}`")
        if not isinstance(dataset.schema[name].dataType, ArrayType):
            column = vector_to_array(column)
        first = dataset.select(functions.size(column)).first()
        return [column.cast("array<double>").alias(VECTOR)], int(first[0]) if first else 0

    def _ranks(self, data: Any, task: _Task) -> list[Any]:
        """What the ranks return, in their order. Rows stay in their partitions where Spark can run a
        task for each at once."""
        asked = self.getOrDefault("numWorkers") if self.isDefined("numWorkers") else 0
        n_parts, n_slots = data.rdd.getNumPartitions(), _slots(data)
        n_ranks = asked or min(n_parts, n_slots)
        try:
            rows = _collected(data if n_ranks == n_parts else _shuffled(data, n_ranks), task)
        except Exception as error:
            if "SPARK-24820" not in str(error):  # not in one stage with union or coalesce
                raise
            rows = _collected(_shuffled(data, n_ranks), task)
        return sorted(rows, key=lambda row: int(row["rank"]))


class SparkModel(Model, Columns, MLWritable, MLReadable[Any]):
    """What the models of heft.spark share. ``ranks`` lists the bytes that each task of the fit gave to
    sums and sent."""

    def __init__(self, local: HeftClassifier | None = None, label: Any = None) -> None:
        super().__init__()
        self._estimator, self._label = local, label
        self.ranks: list[dict[str, int]] = []

    def columns(self, features: list[str], vectors: bool) -> SparkModel:
        """The features as they were at fit."""
        self._set(**({"featuresCol": features[0]} if vectors else {"featuresCols": features}))
        return self

    def local(self) -> HeftClassifier:
        """The ordinary estimator, for rows in memory: explain, inspect, export, save."""
        assert self._estimator is not None
        return self._estimator

    def _transform(self, dataset: Any) -> Any:
        vectors = self.isDefined("featuresCol")
        columns = [functions.col(f"`{name}`") for name in self._features(dataset.columns)]
        if vectors and not isinstance(dataset.schema[self.getOrDefault("featuresCol")].dataType, ArrayType):
            columns = [vector_to_array(columns[0])]
        local = pickle.loads(pickle.dumps(self.local())).set_params(n_jobs=1)  # Spark has a task for each core
        kind = StructType([StructField("label", self._label), StructField("probability", ArrayType(DoubleType()))])
        predict = functions.pandas_udf(_called(_Predict(local, vectors)), kind)
        found = dataset.withColumn("heft_found", predict(functions.struct(*columns)))
        for name, value in ((self.getPredictionCol(), functions.col("heft_found.label")),
                            (self.getProbabilityCol(), array_to_vector(functions.col("heft_found.probability")))):
            found = found.withColumn(name, value) if name else found
        return found.drop("heft_found")

    def write(self) -> MLWriter:
        """A writer of the parameters and, as model.heft beside them, heft's model file."""
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[Any]:
        """The reader of what ``write`` has written; ``load(path)`` is short for it."""
        return _Reader()


def _called(predict: _Predict) -> Callable[[Any], Any]:
    """A function with the types that pandas_udf looks for."""
    import pandas

    def labels_and_probabilities(rows: Any) -> Any:
        return predict(rows)

    labels_and_probabilities.__annotations__ = {"rows": pandas.DataFrame, "return": pandas.DataFrame}
    return labels_and_probabilities


class _Writer(MLWriter):
    def __init__(self, model: SparkModel) -> None:
        super().__init__()
        self.model = model

    def saveImpl(self, path: str) -> None:
        spark = self.sparkSession
        label = json.loads(self.model._label.json())
        DefaultParamsWriter.saveMetadata(self.model, path, spark, {"label": label})
        context = spark.sparkContext
        file = context._jvm.org.apache.hadoop.fs.Path(path, "model.heft")
        out = file.getFileSystem(context._jsc.hadoopConfiguration()).create(file, True)
        try:
            out.write(bytearray(self.model.local()._fitted().to_bytes()))
        finally:
            out.close()


class _Reader(MLReader[Any]):
    def load(self, path: str) -> SparkModel:
        spark = self.sparkSession
        metadata = DefaultParamsReader.loadMetadata(path, spark)
        content = spark.read.format("binaryFile").load(path + "/model.heft").select("content").first()[0]
        label = _parse_datatype_json_string(json.dumps(metadata["label"]))
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            local = load(file.name, labels="text" if isinstance(label, StringType) else "auto")
        model: SparkModel = globals()[type(local).__name__ + "Model"](local, label)
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model


def _made(ordinary: type[HeftClassifier]) -> dict[str, type]:
    """The stage and the model of an ordinary class."""
    name = ordinary.__name__
    text = f"heft.{name} for Spark DataFrames, as {{}}.\n\n    The parameters of the method are those of :class:`heft.{name}`."
    model = type(name + "Model", (SparkModel,), {"__module__": __name__, "__doc__": text.format("it is fitted")})
    params = {one: Param(Params._dummy(), one, f"see heft.{name}") for one in ordinary().get_params(deep=False)}
    stage = type(name, (SparkClassifier,), {"__module__": __name__, "__doc__": text.format("a stage of a pipeline"),
                                            "_ordinary": ordinary, "_model_class": model, **params})
    return {name: stage, name + "Model": model}


__all__ = ["SparkClassifier", "SparkModel"]
for _method in _ffi.methods():
    if _method.ranks or _method.name == "auto":
        _pair = _made(BY_METHOD[_method.name])
        globals().update(_pair)
        __all__ += list(_pair)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
