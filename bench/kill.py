#!/usr/bin/env python3
"""Kill heft at random moments and look at what is left: bench/kill.py HEFT [ROUNDS].

train, convert, predict and evaluate --json replace a file that is there; SIGKILL comes at a random
moment of the run, ROUNDS times each. Afterwards the file is the old one or the new one, whole; files
left beside it are counted (a kill between naming the new file and renaming it leaves one). evaluate is then run again: cells that were in the file are taken from there,
and the figures are those of a run that nobody stopped. The suite runs it with few rounds.
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

OLD = b"what was here before"


def table(path, rows):
    lines = ["a,b,c,d,class"]
    lines += [f"{i % 97},{i * 7 % 89 / 3},v{i % 83},w{i * i % 31},{'pq'[i * i % 11 % 2]}" for i in range(rows)]
    pathlib.Path(path).write_text("\n".join(lines) + "\n")


def run(heft, args):
    began = time.monotonic()
    subprocess.run([heft, *args], check=True, capture_output=True)
    return time.monotonic() - began


def kill_once(heft, args, seconds):
    """True when it was killed, False when it had ended."""
    with subprocess.Popen([heft, *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL


def whole(heft, name, data):
    """Is this a whole output of the command?"""
    if name == "train":
        return subprocess.run([heft, "inspect", "out"], capture_output=True, check=False).returncode == 0
    return data == pathlib.Path("want").read_bytes()


def replace(heft, name, args, rounds):
    took = run(heft, args)
    os.replace("out", "want")
    kills = old = new = strays = 0
    for _ in range(rounds):
        pathlib.Path("out").write_bytes(OLD)
        kills += kill_once(heft, args, random.uniform(0, took * 1.15))
        data = pathlib.Path("out").read_bytes()
        if data == OLD:
            old += 1
        elif whole(heft, name, data):
            new += 1
        else:
            sys.exit(f"{name}: neither the old file nor the new one: {len(data)} bytes")
        strays += remove_strays()
    print(f"{name:9} {rounds:5} runs, {kills:5} killed: {old} old, {new} new, {strays} left beside",
          flush=True)
    return kills, strays


def remove_strays():
    left = [p for p in os.listdir() if p.startswith(".heft-")]
    for path in left:
        os.remove(path)
    return len(left)


def figures(path):
    """What of the results does not depend on the clock, by data set and method."""
    root = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    return {(d["name"], m["method"]): (m["accuracy"], m["per_fold"], m["log_loss"])
            for d in root["datasets"] for m in d["methods"] if "accuracy" in m}


def resume(heft, rounds):
    args = ["evaluate", "s1.csv", "s2.csv", "-m", "nb,gnb,cfwnb,rnb,klnb,vwnb", "--cv", "4", "--threads", "1",
            "--json", "r.json", "-q"]
    took = run(heft, args)
    want = figures("r.json")
    kills = kept = strays = 0
    for _ in range(rounds):
        if os.path.exists("r.json"):
            os.remove("r.json")
        while True:  # killed again and again until it comes through
            killed = kill_once(heft, args, random.uniform(took * 0.1, took * 1.05))
            kills += killed
            strays += remove_strays()
            found = figures("r.json") if os.path.exists("r.json") else {}
            for cell, values in found.items():
                if want[cell] != values:
                    sys.exit(f"evaluate: {cell}: {values}, not {want[cell]}")
            if not killed:
                break
            kept += len(found)
        if figures("r.json") != want:
            sys.exit("evaluate: the figures after going on are others")
    print(f"{'evaluate':9} {rounds:5} runs, {kills:5} killed: {kept} cells taken up again, "
          f"{strays} left beside", flush=True)
    return kills, strays


def main():
    heft = str(pathlib.Path(sys.argv[1]).resolve())
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        table("big.csv", 30000)
        table("s1.csv", 700)
        table("s2.csv", 500)
        subprocess.run([heft, "train", "big.csv", "-m", "nb", "-o", "m.heft", "-q"], check=True)
        done = [replace(heft, name, args, rounds) for name, args in (
            ("train", ["train", "big.csv", "-m", "nb", "-o", "out"]),
            ("convert", ["convert", "big.csv", "-o", "out", "--to", "arff"]),
            ("predict", ["predict", "m.heft", "big.csv", "--proba", "-o", "out"]))]
        done.append(resume(heft, max(2, rounds // 4)))
        os.chdir("/")
    kills, strays = (sum(k) for k in zip(*done))
    print(f"{kills} kills survived, {strays} files left beside")
    return 1 if kills == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
