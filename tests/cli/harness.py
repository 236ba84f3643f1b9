"""What the tests of the program share: runs, refusals, and the loop over tests.

Each test gets an empty folder of its own. A refusal must be one line "heft: error: ..." on standard
error, the right exit status, and no file that was not there before. The arguments of a file of tests are HEFT, the
program, and NAME...: only tests whose name holds one of these.
"""
import csv
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
HEFT = str(pathlib.Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else ""
TESTS = []
SANITIZED = bool(HEFT) and b"__asan_init" in pathlib.Path(HEFT).read_bytes()
PATIENCE = 120  # seconds, under a sanitizer on a busy machine

SMALL = "size,colour,kind\n" + "".join(
    f"{1 + i % 5 / 10},green,grape\n{3 + i % 7 / 10},{'red' if i % 3 else 'green'},apple\n"
    for i in range(10))


class Wrong(Exception):
    pass


def test(function):
    TESTS.append(function)
    return function


def figures(function):
    """A test about figures, not memory: left out under a sanitizer, where other tests run the same code."""
    return function if SANITIZED else test(function)


def require(condition, message):
    if not condition:
        raise Wrong(message)


def same(found, expected, what):
    require(found == expected, f"{what}: {found!r}, expected {expected!r}")


class Run:
    def __init__(self, args, stdin=b"", env=None):
        done = subprocess.run([HEFT, *map(str, args)], input=stdin, capture_output=True,
                              timeout=PATIENCE, env={**os.environ, **(env or {})}, check=False)
        self.args = args
        self.status = done.returncode
        self.raw = done.stdout
        self.out = done.stdout.decode("utf-8", "replace")
        self.err = done.stderr.decode("utf-8", "replace")

    def __str__(self):
        return (f"heft {' '.join(map(str, self.args))[:200]}: status {self.status}\n"
                f"stdout: {self.out[:600]}\nstderr: {self.err[:1500]}")


def files():
    return sorted(str(p) for p in pathlib.Path(".").rglob("*"))


def heft(*args, stdin=b"", env=None):
    """A run that must succeed."""
    run = Run(args, stdin, env)
    require(run.status == 0, str(run))
    return run


def refused(*args, status=1, says="", stdin=b"", env=None):
    """A run that must be refused: one line, the status, nothing written."""
    before = files()
    run = Run(args, stdin, env)
    require(run.status == status, f"expected status {status}\n{run}")
    errors = [line for line in run.err.splitlines() if not line.startswith("heft: warning: ")]
    require(len(errors) == 1 and errors[0].startswith("heft: error: "), f"not one line\n{run}")
    require(re.search(says, errors[0]), f"does not say {says!r}\n{run}")
    require(run.out == "", f"wrote to standard output\n{run}")
    same(files(), before, "files")
    return run


def put(name, content):
    data = content if isinstance(content, bytes) else content.encode()
    pathlib.Path(name).write_bytes(data)
    return name


def model(data="small.csv", name="m.heft", *more):
    if data == "small.csv" and not os.path.exists(data):
        put(data, SMALL)
    heft("train", data, "-m", "nb", "-o", name, *more)
    return name


def method_names():
    listed = heft("methods").out.splitlines()[1:]
    return [line.split()[0] for line in listed[:listed.index("")]]


def predictions(*args, stdin=b""):
    return list(csv.reader(io.StringIO(heft("predict", *args, stdin=stdin).out)))


def main():
    wanted = sys.argv[2:]
    passed = failed = 0
    home = os.getcwd()
    for function in TESTS:
        name = function.__name__
        if wanted and not any(word in name for word in wanted):
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            before = sum(os.times()[:4])  # CPU seconds, the programs that were run included
            try:
                function()
                passed += 1
                print(f"ok      {name}  {sum(os.times()[:4]) - before:.1f} s", flush=True)
            except Wrong as wrong:
                failed += 1
                print(f"FAILED  {name}\n    " + str(wrong).replace("\n", "\n    "), flush=True)
            except Exception:  # a test that stumbles has failed
                failed += 1
                print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
            finally:
                os.chdir(home)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
