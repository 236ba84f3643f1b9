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


def test_building_wheels_tells_what_it_does(root, tmp_path):
    """With stand-ins for the tools: each step is printed before it begins."""
    work = tmp_path / "build-wheels"
    for name in ("jansson-2/src", "zlib-1", "libzstd-1/lib/common"):
        (work / "sources" / name).mkdir(parents=True)
    (work / "sources/zlib-1/zlib.h").touch()
    (work / "tools/bin").mkdir(parents=True)
    (work / "tools/bin/python").write_text('#!/bin/sh\n[ "$1" = -c ]\n')
    (work / "tools/bin/python").chmod(0o755)
    (tmp_path / "tools").mkdir()
    with open(os.path.join(root, "tools", "wheels"), encoding="utf-8") as file:
        (tmp_path / "tools/wheels").write_text(file.read())
    done = subprocess.run(["bash", str(tmp_path / "tools/wheels"), "x86_64-gnu"], capture_output=True, text=True)
    assert done.returncode != 0 and done.stdout.splitlines() == [
        "wheels: building x86_64-gnu, for build-wheels/dist", "wheels: x86_64-gnu: compiling libz.a (15 files)"]
    done = subprocess.run(["bash", str(tmp_path / "tools/wheels"), "vax"], capture_output=True, text=True)
    assert done.returncode == 2 and "there is no target vax (there are x86_64-gnu " in done.stderr
