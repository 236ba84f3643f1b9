"""Runs of the program on several ranks, for the tests and benches of them."""
import os
import pathlib
import random
import shutil
import subprocess
import sys

from harness import HEFT, files, require, same

PATIENCE = 120
ENV = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "PMIX_MCA_gds": "hash",  # else mpirun may wait for a lock that a killed rank has left
       "ASAN_OPTIONS": "detect_leaks=0"}  # an MPI library leaks by itself
TEMPORARY = "/tmp" if len(os.environ.get("TMPDIR", "/tmp")) > 60 else os.environ.get("TMPDIR", "/tmp")
ENV["TMPDIR"] = TEMPORARY  # sockets live there: their names must be short


def start(ranks, *args, stdin=None):
    return subprocess.Popen(["mpirun", "-q", "-n", str(ranks), HEFT, *map(str, args)], env=ENV,
                            stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ranks(n, *args, stdin=None, status=0):
    job = start(n, *args, stdin=stdin)
    out, err = (text.decode("utf-8", "replace") for text in job.communicate(stdin, PATIENCE))
    require(job.returncode == status,
            f"{n} ranks: heft {' '.join(map(str, args))}: status {job.returncode}\n{out}\n{err}")
    return out, err


def refused(n, *args, says, status=1):
    """One line from heft, nothing written, on whichever rank it happened."""
    before = files()
    out, err = ranks(n, *args, status=status)
    lines = [line for line in err.splitlines() if line.startswith("heft: ")]
    require(len(lines) == 1 and lines[0].startswith("heft: error: ") and says in lines[0],
            f"expected one line with {says!r}\n{err}")
    same(out, "", "standard output")
    same(files(), before, "files")


def table(rows, seed=1, header=True, first=0):
    """Numbers of many and of few values, words, missing cells, three classes."""
    deal = random.Random(seed)
    lines = ["width,height,colour,shape,kind"] if header else []
    for i in range(rows):
        c = deal.choice("aaabbc")
        width = f"{deal.gauss(ord(c) % 5, 1):.6f}" if deal.random() > 0.02 else ""
        colour = deal.choice(["red", "green", "blue"] + ["grey, light"] * (c == "b"))
        shape = deal.choice(["round", "long"]) if i + first > rows // 2 else "round"
        lines.append(f'{width},{deal.randrange(9) + (c == "a")},"{colour}",{shape},{c}')
    return "\n".join(lines) + "\n"


def children(pid):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) == pid and os.readlink(entry / "exe") == HEFT:
                found.append(int(entry.name))
        except (OSError, IndexError):
            continue
    return sorted(found)


def need_mpirun():
    if not HEFT or not shutil.which("mpirun"):
        print("skipped: there is no mpirun")
        sys.exit(77)
    probe = subprocess.run(["mpirun", "-q", "-n", "2", HEFT, "--version"], env=ENV, timeout=PATIENCE,
                           capture_output=True, check=False)
    if probe.returncode != 0:
        print("skipped: mpirun does not start ranks here:", probe.stderr.decode()[:300])
        sys.exit(77)
