#!/usr/bin/env python3
"""SIGKILL one of several ranks at a random moment, over and over.

    bench/mpi_kill.py HEFT [TIMES] [SEED]

HEFT is the program built with -Dmpi=enabled; mpirun must be at hand. After each kill: mpirun must end
with a status that is not 0 and say that a rank was killed, all ranks must be gone, and neither output,
temporary files nor scratch files may be left. Prints a line a kill, and the longest time to the end.
"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "cli"))
from mpi_runs import ENV, children  # noqa: E402

HEFT = str(pathlib.Path(sys.argv[1]).resolve())
TIMES = int(sys.argv[2]) if len(sys.argv) > 2 else 30
DEAL = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
MANY = ["-p", "maxit=1000000", "-p", "tol=0", "-p", "eta=1e-7"]
WORK = {
    "train auto": ["train", "t.csv", "-o", "m"],
    "train vwnb": ["train", "t.csv", "-m", "vwnb", *MANY, "--discretize", "mdl", "-o", "m"],
    "train rnb, scratch": ["train", "t.csv", "-m", "rnb", "--memory", "32M", "--scratch", "scratch", "-o", "m"],
    "predict lcwnb": ["predict", "lazy", "t.csv", "--proba", "-o", "p.csv"],
    "evaluate": ["evaluate", "t.csv", "-m", "nb,lnb,rnb,aode", "--cv", "10", "--repeat", "10", "--csv", "e.csv"],
}


def make_table(rows):
    deal = random.Random(3)
    lines = ["a,b,c,d,e,f,class"]
    for _ in range(rows):
        c = deal.randrange(3)
        lines.append(",".join([f"{deal.gauss(c, 1):.4f}" for _ in range(3)] +
                              [f"v{deal.randrange(4 + c)}" for _ in range(3)] + [f"k{c}"]))
    pathlib.Path("t.csv").write_text("\n".join(lines) + "\n")


def strike(name, args, size, longest):
    """One kill; what went wrong, or None, and the seconds it took to the end."""
    before = sorted(str(p) for p in pathlib.Path(".").rglob("*"))
    job = subprocess.Popen(["mpirun", "-n", str(size), HEFT, *args], env=ENV, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    began = time.monotonic()
    while len(pids := children(job.pid)) < size and time.monotonic() - began < 60 and job.poll() is None:
        time.sleep(0.01)
    time.sleep(DEAL.random() * longest)
    victim = DEAL.choice(pids) if pids else 0
    if job.poll() is not None or not victim:
        job.communicate()
        for new in set(map(str, pathlib.Path(".").rglob("*"))) - set(before):
            os.unlink(new)
        return "over before the kill", 0
    os.kill(victim, signal.SIGKILL)
    struck = time.monotonic()
    try:
        _, err = job.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        job.kill()
        return "mpirun did not end in 60 s", 60
    took = time.monotonic() - struck
    while (left := [p for p in pids if os.path.exists(f"/proc/{p}")]) and time.monotonic() - struck < 20:
        time.sleep(0.05)
    after = sorted(str(p) for p in pathlib.Path(".").rglob("*"))
    if job.returncode == 0:
        return "status 0", took
    if b"signal 9" not in err and b"heft: error" not in err:
        return "nothing was said: " + err.decode()[-200:], took
    if left:
        return f"ranks left: {left}", took
    if after != before:
        return f"files left: {set(after) - set(before)}", took
    return None, took


def main():
    worst, faults, done = 0.0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("scratch")
        make_table(12000)
        subprocess.run([HEFT, "train", "t.csv", "-m", "lcwnb", "--discretize", "mdl", "-o", "lazy", "-q"], check=True)
        while done < TIMES:
            name = DEAL.choice(list(WORK))
            size = DEAL.choice([2, 3, 4])
            fault, took = strike(name, WORK[name], size, DEAL.choice([0.2, 1.5, 4]))
            if fault == "over before the kill":
                continue
            done += 1
            worst = max(worst, took)
            faults += fault is not None
            print(f"{done:3} {name:20} {size} ranks: {fault or 'all ended'} after {took:.2f} s", flush=True)
        os.chdir("/")
    print(f"{done} kills, {faults} faults, at most {worst:.2f} s to the end")
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
