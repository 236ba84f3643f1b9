"""python -m heft is the program."""

import os
import subprocess
import sys

import pytest

PROGRAM = os.environ.get("HEFT_PROGRAM")


def run(*arguments, path):
    python = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return subprocess.run([sys.executable, "-m", "heft", *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": path, "PYTHONPATH": python})


@pytest.mark.skipif(not PROGRAM, reason="HEFT_PROGRAM names no program")
def test_the_program_gets_the_arguments():
    wanted = subprocess.run([PROGRAM, "methods", "nb"], capture_output=True, text=True, check=True).stdout
    done = run("methods", "nb", path=os.path.dirname(PROGRAM))
    assert (done.returncode, done.stdout) == (0, wanted)
    assert run("no-such-command", path=os.path.dirname(PROGRAM)).returncode == 2


def test_a_missing_program_is_named():
    done = run("methods", path="/nonexistent")
    if done.returncode == 0:
        pytest.skip("the package is installed with its program")
    assert done.returncode == 1
    assert "the program heft is not installed" in done.stderr
