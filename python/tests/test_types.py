"""The types of the package are of use to those who call it."""

import os
import subprocess
import sys

import pytest

import heft

CALLER = '''
import heft
from heft import plot

clf = heft.Auto(class_weight="balanced", n_jobs=1).fit([[1.0], [2.0]], [0, 1])
why: heft.Explanation = clf.explain([[1.0]])
print(why.bias.sum(), why.to_frame(), len(why[:1]), why.pairs, clf.explain_model().importances)
plot.waterfall(why, positive=1)
print(heft.evaluate("nb", [[1.0]], [1]), heft.load("m.heft").predict([[1.0]]), heft.check("d.csv").findings)
'''
WRONG = '''
import heft

heft.Auto().fit([[1.0]], [0]).explain([[1.0]]).to_frames()
'''


def test_a_strict_caller_is_checked(tmp_path):
    """mypy accepts a right program and finds the error of a wrong one."""
    pytest.importorskip("mypy")
    (tmp_path / "right.py").write_text(CALLER)
    (tmp_path / "wrong.py").write_text(WRONG)
    env = {**os.environ, "MYPYPATH": os.path.dirname(os.path.dirname(heft.__file__))}
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir",
                           str(tmp_path / "cache"), "right.py", "wrong.py"],
                          cwd=tmp_path, env=env, capture_output=True, text=True)
    found = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(found) == 1 and found[0].startswith("wrong.py:4") and "to_frames" in found[0], done.stdout
