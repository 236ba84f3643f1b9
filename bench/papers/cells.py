"""One cell of a table at a time: where the data are, how heft is run, and what was computed before.

A finished cell is kept as a JSON file in the results folder (default build/papers, which git does not see)
under a hash of everything it depends on but the program itself: after a change to heft, say --fresh.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Absent(Exception):
    """Something a cell needs is not on this machine; the cell stays empty and the reason is printed."""


class Enough(Exception):
    """The cells that were asked for alone are computed."""


class Refused(Exception):
    """heft would not do it; the message is its own."""


@dataclass(frozen=True)
class Task:
    """A data set as a paper uses it."""

    name: str
    file: str
    options: tuple = ()


@dataclass
class Bench:
    heft: str
    data: pathlib.Path
    results: pathlib.Path
    quick: bool = False
    brief: bool = False
    fresh: bool = False
    threads: int = 0
    spent: float = 0.0
    kept: float = 0.0
    notes: list = field(default_factory=list)
    seen: set = field(default_factory=set)
    only: dict = field(default_factory=dict)  # {column: rows}: compute these cells of the next comparison alone
    found: list = field(default_factory=list)  # (column, row, printed, paper's protocol, honest), as text

    def note(self, text):
        """Said once below the table."""
        if text not in self.notes:
            self.notes.append(text)

    def path(self, name):
        """A data file, or one made from it (see made)."""
        for folder in (self.results / "data", self.data):
            if (folder / name).exists():
                return folder / name
        raise Absent(f"{name} is not in {self.data}")

    def at_hand(self, names, file_of):
        """Those whose data file is there; the others are noted."""
        there = [n for n in names if any((f / file_of(n)).exists() for f in (self.results / "data", self.data))]
        for name in names:
            if name not in there:
                self.note(f"left out: {file_of(name)} is not in {self.data}")
        return there

    def made(self, name, write):
        """A file made from the data files by write(path), once."""
        target = self.results / "data" / name
        if self.fresh or not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            part = target.with_name("." + target.name)
            write(part)
            part.replace(target)
        return target

    def cached(self, key, compute):
        """compute() as JSON data, and its CPU seconds; from the results folder when it is there."""
        text = json.dumps(key, sort_keys=True)
        target = self.results / "cells" / (hashlib.sha256(text.encode()).hexdigest()[:24] + ".json")
        if target.exists() and not self.fresh:
            held = json.loads(target.read_text(encoding="utf-8"))
        else:
            begun = sum(os.times()[:4])
            progress(key)
            value = compute()
            held = {"key": key, "value": value, "cpu": sum(os.times()[:4]) - begun}
            self.spent += held["cpu"]
            target.parent.mkdir(parents=True, exist_ok=True)
            part = target.with_suffix(".part")
            part.write_text(json.dumps(held), encoding="utf-8")
            part.replace(target)
        if target.name not in self.seen:
            self.seen.add(target.name)
            self.kept += held["cpu"]
        return held["value"]

    def run(self, *words):
        """Standard output of heft."""
        command = [self.heft, *map(str, words)]
        if self.threads and "--threads" not in command:
            command += ["--threads", str(self.threads)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Refused(done.stderr.strip().removeprefix("heft: error: "))
        return done.stdout

    def evaluate(self, task, method, *options):
        """What heft evaluate --json says of one method on one data set; {} and a note where it refuses."""
        path = self.path(task.file)
        words = [*split_method(method), *task.options, *map(str, options)]

        def compute():
            try:
                whole = json.loads(self.run("evaluate", path, "-q", *words, "--json", "-"))
            except Refused as refusal:
                return {"refused": str(refusal)}
            return whole["datasets"][0]["methods"][0]

        files = [pathlib.Path(w).name if os.path.isabs(w) else w for w in words]
        found = self.cached(["evaluate", task.file, files], compute)
        if "refused" in found:
            self.note(f"left empty: {found['refused']}")
        return found

    def fitted(self, task, method, *options):
        """What heft inspect --json says of a model of all rows."""
        path = self.path(task.file)
        words = [*split_method(method), *task.options, *map(str, options)]

        def compute():
            with tempfile.TemporaryDirectory() as folder:
                model = os.path.join(folder, "m.heft")
                self.run("train", path, "-q", "-o", model, *words)
                return json.loads(self.run("inspect", model, "--json", "-"))

        return self.cached(["fitted", task.file, words], compute)

    def said_cpu(self):
        return f"{self.kept:.0f} s of CPU in all, {self.spent:.0f} s of them now"


def split_method(text):
    """'rnb:gradient=printed,tol=1e-5' as options of heft."""
    name, _, rest = text.partition(":")
    words = ["-m", name]
    for pair in filter(None, rest.split(",")):
        words += ["-p", pair]
    return words


def progress(key):
    """What is being computed, on a terminal only; each line overwrites the last."""
    if sys.stderr.isatty():
        text = " ".join(str(word) for word in key)
        print(f"\r\033[K{text[:100]}", end="\r", file=sys.stderr, flush=True)
