#!/usr/bin/env python3
"""Every fuzz target over its seeds and its corpus, without a fuzzer: replay_all.py FOLDER HEFT.

FOLDER holds the replay_* programs. The last line counts the targets.
"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def main():
    built, heft = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as seeds:
        subprocess.run([sys.executable, HERE / "seeds.py", heft, seeds], check=True)
        for program in sorted(built.glob("replay_*")):
            if not program.is_file() or program.suffix:
                continue
            target = program.name.removeprefix("replay_")
            folders = [p for p in (pathlib.Path(seeds) / target, HERE / "corpus" / target)
                       if p.is_dir()]
            done = subprocess.run([program, *folders], capture_output=True, text=True,
                                  errors="replace", check=False)
            if done.returncode == 0:
                passed += 1
                print(f"{target}: {done.stdout.strip()}")
            else:
                failed += 1
                print(f"{target}: FAILED\n" + "\n".join(done.stderr.splitlines()[-40:]))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
