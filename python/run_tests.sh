#!/bin/bash
# run_tests.sh BUILD - the tests of the Python package against the library of a build folder, in a
# virtual environment made in build-test/python. The last line is "PASSED FAILED SKIPPED".
#     run_tests.sh --packages       make the environment and its packages only
#     run_tests.sh BUILD --ready    the tests only, with the packages that are there
#
# Exit status: 0 all passed, 1 some failed, 77 nothing could be run (the line says why): without
# Python, or without numpy and pytest where they cannot be installed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
: "${1:?the build folder}"
ready=$([ "${2:-}" != --ready ] || echo yes)
env=build-test/python
# modules are compiled when they are imported first, not all when they are installed
export PYTHONPYCACHEPREFIX=${PYTHONPYCACHEPREFIX:-$PWD/build-test/pycache}

cannot() {
    echo "$*"
    exit 77
}

command -v python3 >/dev/null || cannot "python3 is not installed"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || cannot "python3 is older than 3.9"
if ! "$env/bin/python" -c '' 2>/dev/null; then
    rm -rf "$env"
    python3 -m venv --system-site-packages "$env" >/dev/null 2>&1 ||
        { rm -rf "$env"; cannot "python3 -m venv does not work (python3-venv is missing)"; }
fi

has() { "$env/bin/python" -c "import $1" 2>/dev/null; }
# want SECONDS MODULES PACKAGES...: once, unless the modules can be imported
want() {
    local seconds=$1 modules=$2 tried
    shift 2
    tried="$env/tried-${1%%[*}"
    [ "$ready" ] || has "$modules" || [ -e "$tried" ] && return
    timeout "$seconds" "$env/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check \
        --retries 0 --timeout 5 "$@" >>"$env/pip.log" 2>&1 && touch "$tried"
}
want 75 "numpy, pytest, pandas, scipy, sklearn" numpy pytest scikit-learn scipy pandas
want 75 "onnx, onnxruntime" onnx onnxruntime                   # tests/cli/onnx_scorer.py
want 75 "pyarrow, polars, duckdb" pyarrow polars duckdb        # tests/cli/parquet.py, test_frames.py
want 75 matplotlib matplotlib                                  # test_explain.py, test_around.py: plots
want 75 "dask.dataframe, distributed" 'dask[dataframe]' distributed # test_dask.py
spark=${HEFT_SPARK:-0}
[ "$spark" != 0 ] && command -v java >/dev/null && want 300 pyspark pyspark # test_spark.py
[ "$1" != --packages ] || exit 0
build=$(realpath "$1")
has "numpy, pytest" || cannot "numpy and pytest are not there and could not be installed"
has sklearn || echo "without scikit-learn its checks are skipped"
has matplotlib || echo "without matplotlib the tests of heft.plot are skipped"
has "dask.dataframe, distributed" || echo "without Dask the tests of heft.dask are skipped"
[ "$spark" != 0 ] || echo "the tests of heft.spark are skipped (HEFT_SPARK=1 runs them; some minutes)"

out=$(HEFT_LIBRARY=$build/lib/libheft.so HEFT_PROGRAM=$build/cli/heft \
    timeout "$([ "$spark" = 0 ] && echo 600 || echo 1800)" "$env/bin/python" -m pytest -q --no-header --tb=short \
    -p no:cacheprovider python/tests 2>&1)
status=$?
[ "$status" -eq 0 ] || printf '%s\n' "$out" | tail -n 60
count() { printf '%s\n' "$out" | tail -n 1 | grep -oE "[0-9]+ $1" | grep -oE '[0-9]+' || echo 0; }
failed=$(($(count failed) + $(count error)))
[ "$status" -ne 0 ] && [ "$failed" -eq 0 ] && failed=1
# typed: mypy, strict by pyproject.toml, on the package as it is installed
typed() {
    local made=$build/installed
    rm -rf "$made" && mkdir "$made" && cp -r python/heft "$made/heft" &&
        "$env/bin/python" python/generate.py "$build/lib/libheft.so" "$made/heft/estimators.py" &&
        "$env/bin/python" python/generate.py --structs "$made/heft/_structs.py" &&
        "$env/bin/python" -m mypy --cache-dir "$env/mypy" "$made/heft"
}
if has mypy && ! typed; then
    failed=$((failed + 1))
fi
echo "$(count passed) $failed $(count skipped)"
[ "$failed" -eq 0 ]
