#!/bin/bash
# wheel.sh - the Python package as a user installs it: sdist and wheel are built in isolation, the sdist
# is installed into a fresh environment, and the package is used there. Needs a network.
set -euo pipefail
cd "$(dirname "$0")/.."
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
python3 -m venv "$room/tools"
"$room/tools/bin/pip" install --quiet --disable-pip-version-check build
"$room/tools/bin/python" -m build --outdir "$room/dist" . >"$room/log" 2>&1 || { tail -n 30 "$room/log"; exit 1; }
wheel=$(basename "$room"/dist/*.whl)
echo "$wheel"
[[ $wheel == heft-*-py3-none-*.whl && $wheel != *-any.whl ]] || { echo "not a wheel for every Python 3"; exit 1; }
for from in "$room"/dist/*.tar.gz "$room"/dist/*.whl; do
    python3 -m venv "$room/fresh"
    "$room/fresh/bin/pip" install --quiet --disable-pip-version-check "$from"
    (cd "$room" && env -u HEFT_LIBRARY fresh/bin/python - <<'PY'
import os
import heft
import numpy as np
X = np.random.default_rng(0).normal(size=(60, 3))
assert heft.RNB().fit(X, X[:, 0] > 0).score(X, X[:, 0] > 0) > 0.9
assert os.path.exists(os.path.join(os.path.dirname(heft.__file__), "py.typed"))
print("works:", heft.__version__, "with", os.path.relpath(heft._ffi.lib._name))
PY
    )
    rm -rf "$room/fresh"
done
