"""The types of the package are of use to those who call it."""

import os
import shutil
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
found = heft.evaluate("nb", [[1.0]], [1])
one: heft.Result = found.results[0]
print(one.accuracy + one.measures["auc"], [figures.recall for figures in one.per_class], found["accuracy"].mean())
print(heft.plot.importance(clf), heft.load("m.heft").predict([[1.0]]), heft.check("d.csv").findings)
'''
WRONG = '''
import heft

heft.Auto().fit([[1.0]], [0]).explain([[1.0]]).to_frames()
heft.evaluate("nb", [[1.0]], [1]).results[0].accurracy
'''


def test_a_strict_caller_is_checked(tmp_path):
    """mypy accepts a right program and finds the errors of a wrong one."""
    pytest.importorskip("mypy")
    (tmp_path / "right.py").write_text(CALLER)
    (tmp_path / "wrong.py").write_text(WRONG)
    home = os.path.dirname(os.path.abspath(heft.__file__))
    generate = os.path.join(os.path.dirname(home), "generate.py")
    if os.path.exists(generate):  # the sources, of which mypy sees no class: as they are installed
        home = shutil.copytree(home, tmp_path / "package" / "heft")
        subprocess.run([sys.executable, generate, heft._ffi.lib._name, home / "estimators.py"], check=True)
    env = {**os.environ, "MYPYPATH": os.path.dirname(home)}
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir",
                           str(tmp_path / "cache"), "right.py", "wrong.py"],
                          cwd=tmp_path, env=env, capture_output=True, text=True)
    found = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(found) == 2 and found[0].startswith("wrong.py:4") and "to_frames" in found[0], done.stdout
    assert found[1].startswith("wrong.py:5") and "accurracy" in found[1], done.stdout
