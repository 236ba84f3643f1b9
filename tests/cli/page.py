#!/usr/bin/env python3
"""Reports in a real browser: they load without a complaint and every plot shows its marks.

    page.py HEFT      needs chromium; skipped (status 77) where there is none

A script is added to a copy of each page, which looks at the page as laid out: marks of each plot,
marks that stick out of their plot, and whether a narrow page must be scrolled sideways.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
HEFT = str(pathlib.Path(sys.argv[1]).resolve())
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")

LOOK = """<script>
const seen = {plots: {}, out: [], wide: document.documentElement.scrollWidth - innerWidth};
for (const svg of document.querySelectorAll('svg[id]')) {
  const marks = svg.querySelectorAll('rect, circle, path, line.thick');
  const box = svg.viewBox.baseVal;
  seen.plots[svg.id] = marks.length;
  for (const mark of svg.children) {
    const b = mark.getBBox();
    if (b.x < -8 || b.y < -4 || b.x + b.width > box.width + 8 || b.y + b.height > box.height + 4)
      seen.out.push(svg.id + ': ' + (mark.textContent || mark.tagName));
  }
}
const told = document.createElement('pre');
told.id = 'seen';
told.textContent = JSON.stringify(seen);
document.body.append(told);
</script></body>"""


def run(*args):
    done = subprocess.run([HEFT, *map(str, args)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"heft {' '.join(map(str, args))}: {done.stderr}")


def look(page, width, folder, dark=False):
    """What the script saw, and nothing on the console."""
    copy = page.with_name("look.html")
    copy.write_text(page.read_text(encoding="utf-8").replace("</body>", LOOK), encoding="utf-8")
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
         "--enable-logging=stderr", "--hide-scrollbars", f"--window-size={width},900",
         *(["--force-dark-mode"] if dark else []), "--dump-dom", copy.as_uri()],
        capture_output=True, text=True, timeout=120, check=False)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    if console:
        sys.exit(f"{page.name}: {console}")
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.S)
    if not found:
        sys.exit(f"{page.name}: the page did not load: {done.stderr[-2000:]}")
    return json.loads(found.group(1).replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&"))


def check(page, width, folder, least, dark=False):
    seen = look(page, width, folder, dark)
    for name, marks in least.items():
        if seen["plots"].get(name, 0) < marks:
            sys.exit(f"{page.name}: plot {name} has {seen['plots'].get(name, 0)} marks, "
                     f"expected {marks} at least")
    if seen["out"]:
        sys.exit(f"{page.name}, {width} wide: sticking out: {seen['out'][:5]}")
    if seen["wide"] > 0:
        sys.exit(f"{page.name}, {width} wide: {seen['wide']} too wide")


def main():
    if not BROWSER:
        print("skipped: chromium is not at hand")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        loans, iris = EXAMPLES / "loans.csv", EXAMPLES / "iris.csv"
        run("train", loans, "-m", "lnb", "-o", folder / "m.heft")
        run("report", folder / "m.heft", loans, "-o", folder / "model.html")
        run("evaluate", loans, iris, "-m", "nb,gnb,cfwnb", "--cv", 3, "--noise", "0,0.2,0.4", "--learn",
            "0.5,1", "--report", folder / "compared.html")
        model = {"weights": 6, "histogram": 3, "bits": 8, "priors": 2, "evidence-0": 2,
                 "nomogram": 12, "confusion": 4, "reliability": 12, "roc": 2, "correlations": 16}
        check(folder / "model.html", 1100, folder, model)
        check(folder / "model.html", 500, folder, model, dark=True)
        run("train", loans, "-o", folder / "a.heft")
        run("report", folder / "a.heft", loans, "-o", folder / "auto.html")
        auto = {"weights": 8, "priors": 2, "pairs": 10, "evidence-0": 2, "evidence-1": 4, "roc": 2}
        check(folder / "auto.html", 1100, folder, auto)
        check(folder / "auto.html", 500, folder, auto, dark=True)
        compared = {"ranks": 4, "time": 3, "sets": 6, "curve-noise": 12, "curve-learn": 9,
                    "confusion-0-0": 4, "confusion-1-2": 9}
        check(folder / "compared.html", 1100, folder, compared)
        check(folder / "compared.html", 500, folder, compared, dark=True)
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
