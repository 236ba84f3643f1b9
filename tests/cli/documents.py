#!/usr/bin/env python3
"""What the documents show is what heft does.

    documents.py HEFT [FILE...]            fail where a document differs from what happens
    documents.py HEFT --write [FILE...]    put the present output into the documents; times stay as they are

FILE is README.md and every Markdown file of docs/ unless named.

    ```console    every "$ " line is run, in order, in a folder that holds the tables of examples/; what follows
                  it must be what the command prints. All blocks of a document share the folder.
    ```c          a block with a main function is compiled against include/ and libheft, and run
    ```python     a block that says "import heft" is run, where the modules it imports are installed

The block after "It prints:" must be what the C or Python block before it prints. In the documents of QUOTING,
decimal numbers and percentages of the text must be numbers of a block, perhaps rounded: --write does not renew them.

Blocks of another kind (sh, text) are not run: they show commands on files a reader would have.
"""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
PRINTS = re.compile(r"\A\n*It prints:\n+```(?:text)?\n(.*?)^```$", re.M | re.S)
TIME = re.compile(r"(?:less than )?\d[\d.e-]* s\b")
OWN = ROOT / "build-test/python/bin/python"  # made by the tests of the Python package
PYTHON = str(OWN) if OWN.exists() else sys.executable
QUOTING = {"docs/tutorial.md", "docs/howto/columns.md", "docs/howto/compare-methods.md", "docs/howto/deploy.md",
           "docs/howto/wide-and-sparse.md"}
NUMBER = re.compile(r"(?<![\w.,/])(-?\d[\d,]*(?:\.\d+)?)(?![\w.]*\w)( ?%)?")


class Workplace:
    """A folder with the tables of examples/, and heft on the PATH."""

    def __init__(self, home, heft):
        self.home, self.heft = pathlib.Path(home), heft
        self.folder = self.home / "examples"
        self.folder.mkdir()
        for table in (ROOT / "examples").glob("*.csv"):
            shutil.copy(table, self.folder)
        os.symlink(heft, self.home / "heft")
        self.library = next(iter(sorted(heft.parent.parent.glob("lib/libheft.so"))), None)
        self.env = {**os.environ, "PATH": f"{home}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "python"),
                    "PYTHONPYCACHEPREFIX": os.environ.get("PYTHONPYCACHEPREFIX", f"{home}/pycache"), "COLUMNS": "100",
                    "LD_LIBRARY_PATH": str(self.library.parent) if self.library else "",
                    "HEFT_LIBRARY": str(self.library or "")}

    def run(self, *command):
        done = subprocess.run(command, cwd=self.folder, env=self.env, check=False, timeout=300,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.decode()


def console(place, block):
    lines = []
    for command in re.findall(r"^\$ (.*)$", block, re.M):
        _, output = place.run("bash", "-c", command)
        lines += [f"$ {command}", *output.rstrip("\n").splitlines()]
    return "".join(line.rstrip() + "\n" for line in lines)


def compile_and_run(place, block):
    source, program = place.home / "block.c", place.home / "block"
    source.write_text(block, encoding="utf-8")
    status, output = place.run("cc", "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{ROOT}/include",
                               f"-I{place.heft.parent.parent}/include", str(source), "-o", str(program),
                               f"-L{place.library.parent}", "-lheft")
    return (status, output) if status else place.run(str(program))


def run_python(place, block):
    script = place.folder / "block" / "block.py"  # beside the tables, as the programs of examples/ are
    script.parent.mkdir(exist_ok=True)
    script.write_text(block, encoding="utf-8")
    return place.run(PYTHON, str(script))


PROGRAMS = {"c": (r"^int main\(", compile_and_run), "python": (r"^import heft$", run_python)}


def check(place, name, text):
    """The faults of one document, and its text with the present output."""
    faults, pieces, at = [], [], 0
    for m in BLOCK.finditer(text):
        kind, block = m.groups()
        if kind == "console":
            printed = console(place, block)
            errors = [line for line in printed.splitlines() if "heft: error:" in line and line not in block]
            print("".join(f"{name} did not show this error before: {line}\n" for line in errors), end="")
            before, after = (TIME.sub("TIME s", t).splitlines() for t in (block, printed))
            faults += difflib.unified_diff(before, after, name, "heft", lineterm="", n=1)
            known = {TIME.sub("TIME s", line): line for line in block.splitlines()}
            printed = "".join(known.get(TIME.sub("TIME s", line), line) + "\n" for line in printed.splitlines())
            pieces += [text[at:m.start(2)], printed]
            at = m.end(2)
        elif kind in PROGRAMS and re.search(PROGRAMS[kind][0], block, re.M) and place.library:
            status, output = PROGRAMS[kind][1](place, block)
            last = output.rstrip().rsplit("\n", 1)[-1]
            shown = PRINTS.match(text[m.end():])
            if status and last.startswith("ModuleNotFoundError") and "heft" not in last:
                print(f"skipped a block of {name}: {last}")
            elif status:
                faults.append(f"{name}: a program ({kind}) fails:\n{output[-800:]}")
            elif shown:
                faults += difflib.unified_diff(shown.group(1).splitlines(), output.splitlines(), name, kind,
                                               lineterm="", n=1)
                pieces += [text[at:m.end() + shown.start(1)], output]
                at = m.end() + shown.end(1)
    return faults, "".join(pieces) + text[at:]


def is_rounded(said, numbers):
    """Whether one of the numbers is the said one when it is rounded to as many decimals."""
    text = said.replace(",", "")
    half = 0.5001 * 10.0 ** -len(text.partition(".")[2])
    return any(abs(abs(number) - abs(float(text))) <= half for number in numbers)


def quotes(name, text):
    """The numbers in the text of a document that no block shows."""
    shown = [float(n) for block in BLOCK.findall(text) for n in re.findall(r"-?\d+(?:\.\d+)?", block[1])]
    for said, percent in NUMBER.findall(BLOCK.sub("", text)):
        known = is_rounded(said, shown) or percent and is_rounded(said, [100 * n for n in shown])
        if ("." in said or percent) and not known:
            yield f"{name}: no block shows {said}{percent}"


def main():
    heft, arguments = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    write = "--write" in arguments
    files = [pathlib.Path(a).resolve() for a in arguments if a != "--write"]
    files = files or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    passed = failed = 0
    for file in files:
        name = file.relative_to(ROOT).as_posix()
        text = file.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as home:
            faults, present = check(Workplace(home, heft), name, text)
        unknown = list(quotes(name, present if write else text)) if name in QUOTING else []
        if write:
            file.write_text(present, encoding="utf-8")
        faults = unknown if write else faults + unknown
        print("".join(f"{fault}\n" for fault in faults), end="")
        passed, failed = passed + (not faults), failed + bool(faults)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
