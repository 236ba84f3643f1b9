#!/usr/bin/env python3
"""tools/join.py: modules become one script in the order of their imports, and mistakes are found when heft is built.

    join_test.py JOIN
"""
import pathlib
import subprocess
import sys
import tempfile

JOIN = pathlib.Path(sys.argv[1]).resolve()


def join(files, *listed):
    """The joined script, or the message of a failure."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, JOIN, "out.js", "main.mjs", *listed], cwd=folder, capture_output=True, text=True, check=False)
        return (pathlib.Path(folder) / "out.js").read_text(encoding="utf-8") if done.returncode == 0 else "failed: " + done.stderr


A, B = "export const a = 1;\n", "import {a} from './a.mjs';\nexport function b() { return a; }\n"
MAIN = "import {a} from './a.mjs';\nimport {b} from './b.mjs';\nb(a);\n"

script = join({"main.mjs": MAIN, "b.mjs": B, "a.mjs": A})
assert script.index("const a") < script.index("function b") < script.index("b(a);"), script
assert "import" not in script and "export" not in script, script
assert "failed" not in join({"main.mjs": MAIN, "b.mjs": B + "const own = 2;\n", "a.mjs": A + "const own = 1;\n"})
assert "does not export" in join({"main.mjs": MAIN, "b.mjs": B, "a.mjs": "const a = 1;\n"})
assert "imports itself" in join({"main.mjs": MAIN, "b.mjs": B, "a.mjs": "import {b} from './b.mjs';\n" + A})
assert "nothing imports c.mjs" in join({"main.mjs": MAIN, "b.mjs": B, "a.mjs": A, "c.mjs": ""}, "a.mjs", "b.mjs", "c.mjs")
assert "another form" in join({"main.mjs": "import * as a from './a.mjs';\n" + MAIN, "b.mjs": B, "a.mjs": A})
