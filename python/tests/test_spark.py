"""heft.spark on a local cluster of three tasks: the models of one process, and a task that is killed.

HEFT_SPARK=1 runs these tests: starting Spark takes longer than all other tests together.
HEFT_SPARK_MASTER names another cluster than local[3], for instance local-cluster[3,1,1024].
"""
import os
import signal
import sys

import numpy as np
import pytest

if os.environ.get("HEFT_SPARK", "") in ("", "0"):
    pytest.skip("Spark's tests run where HEFT_SPARK=1", allow_module_level=True)
pyspark = pytest.importorskip("pyspark", reason="Spark is not installed (pip install pyspark pyarrow pandas)")
pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

import heft  # noqa: E402
import heft.spark  # noqa: E402
from models import assert_same, table  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # Spark does not know the newest pandas


@pytest.fixture(scope="module")
def spark():
    from pyspark import cloudpickle
    from pyspark.sql import SparkSession

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")  # starts sooner
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(os.environ.get("HEFT_SPARK_MASTER", "local[3]")).config(
        "spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1").config(
        "spark.driver.bindAddress", "127.0.0.1").config("spark.sql.shuffle.partitions", "3").config(
        "spark.sql.codegen.wholeStage", "false").config("spark.ui.showConsoleProgress", "false").config(
        "spark.sql.execution.arrow.pyspark.enabled", "true")
    path = os.pathsep.join(filter(None, [os.path.dirname(os.path.dirname(heft.__file__)), os.environ.get("PYTHONPATH")]))
    os.environ["PYTHONPATH"] = path
    for name in ("HEFT_LIBRARY", "PYTHONPATH"):
        if name in os.environ:
            builder = builder.config(f"spark.executorEnv.{name}", os.environ[name])
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def rows(spark, X, y, parts=3, **more):
    """A Spark DataFrame in this many partitions, in this order."""
    whole = X.assign(bought=y, **more)
    whole["colour"] = whole["colour"].astype(object).where(whole["colour"].notna(), None)
    whole["width"] = whole["width"].astype(float)
    records = [tuple(None if isinstance(v, float) and v != v else v for v in row)
               for row in whole.astype(object).itertuples(index=False)]
    kinds = "width double, colour string, size long, open boolean, bought string" + (", w double" if more else "")
    return spark.createDataFrame(spark.sparkContext.parallelize(records, parts), kinds)


def test_there_is_a_stage_for_every_method_on_ranks():
    names = {heft.BY_METHOD[m.name].__name__ for m in heft.methods() if m.ranks} | {"Auto"}
    assert {*names, *(name + "Model" for name in names)} <= set(heft.spark.__all__)


@pytest.mark.parametrize("name", ["LNB", "Auto", "LCWNB"])
def test_the_model_of_one_process(spark, name):
    X, y = table(600)
    data = rows(spark, X, y)
    stage = getattr(heft.spark, name)(labelCol="bought")
    model = stage.fit(data)
    one = getattr(heft, name)().fit(X, y)
    assert_same(one, model.local())
    assert len(model.ranks) == 3 and all(rank["bytes_given"] > 0 for rank in model.ranks)
    found = model.transform(data).toPandas()
    assert list(found.columns) == [*X.columns, "bought", "prediction", "probability"]
    assert found["prediction"].tolist() == one.predict(X).tolist()
    assert (np.stack([p.toArray() for p in found["probability"]]) == one.predict_proba(X)).all()


def test_more_partitions_than_tasks_and_weights(spark):
    X, y = table(600)
    weights = (np.arange(len(X)) % 3).astype(float)
    one = heft.LNB(max_iter=20).fit(X, y, weights)
    data = rows(spark, X, y, 8, w=weights)
    stage = heft.spark.LNB(labelCol="bought", weightCol="w", max_iter=20)
    assert_same(one, stage.fit(data).local())
    auto = heft.spark.Auto(labelCol="bought", featuresCols=["width", "colour"])
    assert_same(heft.Auto().fit(X[["width", "colour"]], y), auto.fit(data).local())
    joined = data.limit(0).union(data.coalesce(2))  # which cannot be in one stage with the ranks
    assert_same(one, stage.fit(joined).local())


def test_pipelines_vectors_and_files(spark, tmp_path):
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.feature import VectorAssembler

    X, y = table(600)
    X, y = X[["size", "open"]].astype(float), (y == "yes").astype(float)
    data = spark.createDataFrame([(*map(float, row), float(label)) for row, label in zip(X.to_numpy(), y)],
                                 "size double, open double, label double").coalesce(2)
    pipeline = Pipeline(stages=[VectorAssembler(inputCols=["size", "open"], outputCol="features"),
                                heft.spark.RNB(featuresCol="features", predictionCol="guess")])
    fitted = pipeline.fit(data)
    one = heft.RNB().fit(X.to_numpy(), y.rename("label"))
    fitted.write().overwrite().save(str(tmp_path / "pipeline"))
    for model in (fitted, PipelineModel.load(str(tmp_path / "pipeline"))):
        assert_same(one, model.stages[1].local())
        found = model.transform(data).toPandas()
        assert found["guess"].tolist() == one.predict(X.to_numpy()).tolist() and found["guess"].dtype == float
    files = list((tmp_path / "pipeline" / "stages").glob("1_*/model.heft"))
    assert len(files) == 1 and (heft.load(files[0]).predict_proba(X.to_numpy()) == one.predict_proba(X.to_numpy())).all()
    other = heft.spark.LNB(max_iter=7).copy({heft.spark.LNB.tol: 1e-3})
    assert other._local().get_params()["max_iter"] == 7


def test_what_cannot_be_fitted_is_said(spark):
    X, y = table(100)
    data = rows(spark, X, y)
    with pytest.raises(ValueError, match="no column 'absent'"):
        heft.spark.NB(labelCol="absent").fit(data)
    with pytest.raises(ValueError, match="discretize"):
        heft.spark.NB(labelCol="bought", discretize="nonsense").fit(data)
    with pytest.raises(TypeError, match="no parameter 'nonsense'"):
        heft.spark.NB(nonsense=1)
    with pytest.raises(ValueError, match="takes no weights"):
        heft.spark.LCWNB(labelCol="bought", weightCol="size").fit(data)


class Dying(heft.spark._Task):
    """A task whose second rank ends its process in the middle of the first fit."""

    marker = ""

    def _fitted(self, rows, comm, n_threads):
        real, calls = comm._swap, []

        def swap(give):
            calls.append(1)
            if comm.rank == 1 and len(calls) == 12 and not os.path.exists(self.marker):
                open(self.marker, "w").close()
                os.kill(os.getpid(), signal.SIGKILL)
            return real(give)

        comm._swap = swap
        return super()._fitted(rows, comm, n_threads)


def test_a_task_that_is_killed(spark, tmp_path, monkeypatch):
    """Spark starts the stage again, and the model is the same."""
    X, y = table(600)
    Dying.marker = str(tmp_path / "died")
    monkeypatch.setattr(heft.spark, "_Task", Dying)
    model = heft.spark.LNB(labelCol="bought").fit(rows(spark, X, y))
    assert os.path.exists(Dying.marker)
    assert_same(heft.LNB().fit(X, y), model.local())
