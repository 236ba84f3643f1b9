#!/usr/bin/env python3
"""Completion scripts, asked as a shell asks them.

    completion.py HEFT [NAME...]      as harness.py says

zsh and fish are asked where they are installed.
"""
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time

import harness
from harness import PATIENCE, heft, put, refused, require, same, test

METHODS = ("auto", "nb", "rnb", "lcwnb")


def script(shell):
    return put(f"heft.{shell}", heft("completion", shell).out)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    require(done.returncode == 0 and done.stderr == "", f"{command}: {done.stderr}")
    return done.stdout


def installed(shell):
    if shutil.which(shell):
        return True
    print(f"        ({shell} is not installed: not asked)")
    return False


def bash(*words):
    """What bash offers for the last of the words."""
    return run("bash", "--norc", "-c", 'source heft.bash; COMP_WORDS=(heft "$@"); COMP_CWORD=$#; _heft; '
               'printf "%s\\n" "${COMPREPLY[@]}"', "bash", *words).strip("\n").splitlines()


def fish(line):
    return [answer.split("\t") for answer in
            run("fish", "--no-config", "-c", f"source heft.fish; complete -C '{line}'").splitlines()]


class Zsh:
    """An interactive zsh; a key writes the line as it stands to a file."""

    def __init__(self):
        put("rc", 'PS1=; autoload -U compinit; compinit -u -D; source ./heft.zsh\n'
                  'keep() { print -r -- "$BUFFER" > kept.new; mv kept.new kept; BUFFER=; }\n'
                  'zle -N keep; bindkey "^T" keep; bindkey "^I" complete-word; touch ready\n')
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb"})
        self.send("source ./rc\n", "ready")

    def send(self, text, answer):
        """Type, and wait for the file."""
        os.write(self.terminal, text.encode())
        for _ in range(PATIENCE * 200):
            if os.path.exists(answer):
                return
            time.sleep(0.005)
        raise harness.Wrong(f"zsh does not answer to {text!r}")

    def ask(self, line):
        if os.path.exists("kept"):
            os.remove("kept")
        self.send(line + "\t\x14", "kept")
        return open("kept", encoding="utf-8").read().rstrip("\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


def commands():
    return re.findall(r"^  ([a-z]+) ", heft("--help").out.split("Commands:\n")[1].split("\n\n")[0], re.M)


def options(command):
    return re.findall(r"^  (?:-., |    )(--[a-z-]+)", heft(command, "--help").out, re.M)


@test
def unknown_shells_are_refused():
    refused("completion", "tcsh", status=2, says="bash, zsh or fish, not 'tcsh'")
    refused("completion", status=2, says="needs an argument")


@test
def bash_offers_commands_and_options():
    run("bash", "-n", script("bash"))
    same(bash(""), commands(), "commands")
    same(bash("pre"), ["predict"], "pre")
    same(bash("-q", "--threads", "=", "2", "ins"), ["inspect"], "after general options")
    same(bash("help", "tr"), ["train"], "help")
    for command in commands():
        same([o for o in bash(command, "--")], options(command), command)
    same(bash("train", "x.csv", "--pr"), ["--prior"], "after an operand")
    same(bash("train", "-q", "--pro"), [], "no such option")


@test
def bash_offers_values():
    script("bash")
    put("iris.csv", "")
    put("my data.csv", "")
    os.mkdir("folder")
    everything = ["folder", "iris.csv", "my data.csv"]
    same(bash("train", "--format", ""), ["csv", "tsv", "arff", "libsvm", "parquet"], "--format")
    same(bash("train", "--format", "=", "a"), ["arff"], "--format=a")
    same(bash("train", "--format", "="), ["csv", "tsv", "arff", "libsvm", "parquet"], "--format=")
    same(bash("train", "--discretize", ""), ["none", "width:", "frequency:", "mdl", "presence"], "--discretize")
    same(bash("train", "--prior", ""), ["smoothed", "frequency", "uniform"], "--prior")
    same(bash("train", "--select", ""), ["none", "gain-ratio:", "mutual-information:", "cfs"], "--select")
    same(bash("export", "m.heft", "--to", "j"), ["json"], "--to")
    same(bash("completion", ""), ["bash", "zsh", "fish"], "completion")
    for words in (["train", "-m", ""], ["evaluate", "--method", ""], ["methods", ""]):
        require(set(METHODS) < set(bash(*words)), str(words))
    same(bash("evaluate", "-m", "nb,ao"), ["nb,aode"], "a list of methods")
    same(bash("train", "--seed", ""), [], "a number")
    for words in (["train", ""], ["train", "-o", ""], ["predict", "m.heft", ""], ["evaluate", "--json", ""]):
        same(sorted(set(bash(*words)) & set(everything)), everything, str(words))
    same(bash("train", "my"), ["my data.csv"], "a name with a blank")
    same(bash("train", "--scratch", ""), ["folder"], "--scratch")


@test
def fish_offers_commands_options_and_values():
    script("fish")
    if not installed("fish"):
        return
    run("fish", "-n", "heft.fish")
    put("iris.csv", "")
    require(["predict", "predict the class of each row"] in fish("heft pre"), str(fish("heft pre")))
    same(sorted(a[0] for a in fish("heft ")), sorted(commands()), "commands")
    for command in commands():
        same(sorted({a[0] for a in fish(f"heft {command} --")}), sorted(options(command)), command)
    require(["--quiet", "print only errors"] in fish("heft train --qu"), str(fish("heft train --qu")))
    same(sorted(a[0] for a in fish("heft train --format ")), ["arff", "csv", "libsvm", "parquet", "tsv"], "--format")
    same([a[0] for a in fish("heft train --discretize pr")], ["presence"], "--discretize")
    same([a[0] for a in fish("heft evaluate -m nb,ao")], ["nb,aode"], "a list of methods")
    same(sorted(a[0] for a in fish("heft completion ")), ["bash", "fish", "zsh"], "completion")
    for line in ("heft train ir", "heft train -o ir", "heft predict m.heft ir"):
        same([a[0] for a in fish(line)], ["iris.csv"], line)
    same(fish("heft train --seed "), [], "a number")


@test
def zsh_offers_commands_options_and_values():
    script("zsh")
    if not installed("zsh"):
        return
    run("zsh", "-n", "heft.zsh")
    put("iris.csv", "")
    with Zsh() as zsh:
        for line, whole in (
                ("heft pre", "heft predict"), ("heft train --form", "heft train --format="),
                ("heft train --format li", "heft train --format libsvm"),
                ("heft train --format=li", "heft train --format=libsvm"),
                ("heft train --discretize fr", "heft train --discretize frequency:"),
                ("heft train -m lcw", "heft train -m lcwnb"), ("heft methods ao", "heft methods aode"),
                ("heft evaluate -m nb,ao", "heft evaluate -m nb,aode,"),
                ("heft -q train --qui", "heft -q train --quiet"),
                ("heft train ir", "heft train iris.csv"), ("heft train -o ir", "heft train -o iris.csv"),
                ("heft export m.heft --to j", "heft export m.heft --to json"),
                ("heft completion f", "heft completion fish")):
            same(zsh.ask(line).rstrip(), whole, line)
        for command in commands():
            known = options(command)
            for option in known:
                if sum(other.startswith(option[:-1]) for other in known) == 1:
                    same(zsh.ask(f"heft {command} {option[:-1]}").rstrip(" ="), f"heft {command} {option}", option)


if __name__ == "__main__":
    sys.exit(harness.main())
