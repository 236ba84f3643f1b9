"""What a page looks like in a browser: what is too small, too faint, too wide, cut off, overlapping, or complained of."""
import json
import pathlib
import sys

import browser as browser_module
import harness
from harness import require, same

LOOK = """(() => {
const seen = {marks: {}, out: [], small: [], faint: [], faint_class: [], wide: document.documentElement.scrollWidth - innerWidth};
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const memo = new Map();
function colour(text) {  // [r, g, b, a] of any CSS colour, as the browser draws it
  if (!memo.has(text)) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const d = canvas.getImageData(0, 0, 1, 1).data;
    memo.set(text, [d[0], d[1], d[2], d[3] / 255]);
  }
  return memo.get(text);
}
const light = c => { const v = c.slice(0, 3).map(x => (x /= 255) <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
  return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
function behind(e) {
  for (; e; e = e.parentElement) { const c = colour(getComputedStyle(e).backgroundColor); if (c[3] > .5) return c; }
  return [255, 255, 255, 1];
}
const visible = e => e.getClientRects().length > 0;
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const e = texts.currentNode.parentElement;
  if (!texts.currentNode.textContent.trim() || /SCRIPT|STYLE|NOSCRIPT|OPTION|TITLE|title/.test(e.tagName) || !visible(e)) continue;
  const style = getComputedStyle(e);
  let svg = e.closest('svg');
  while (svg && svg.parentElement.closest('svg')) svg = svg.parentElement.closest('svg');
  const ink = colour(svg ? style.fill : style.color), size = parseFloat(style.fontSize) *
    (svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1);
  if (size < 11) seen.small.push(e.textContent.slice(0, 40) + ' ' + size);
  if (contrast(ink, behind(svg || e)) < 4.5)
    seen.faint.push(e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40) + ' ' + contrast(ink, behind(svg || e)).toFixed(2));
}
for (const svg of document.querySelectorAll('svg[id]')) {
  const box = svg.viewBox.baseVal;
  seen.marks[svg.id] = svg.querySelectorAll('rect, circle, path, line').length;
  if (!visible(svg)) continue;
  for (const mark of svg.children) {
    if (!visible(mark) || mark.tagName === 'svg' || getComputedStyle(mark).visibility === 'hidden') continue;
    const b = mark.getBBox(), m = mark.transform.baseVal.consolidate();
    const [x, y, w, h] = m ? [m.matrix.e - b.height, m.matrix.f - b.width / 2, b.height, b.width] : [b.x, b.y, b.width, b.height];
    if (x < -1 || y < -1 || x + w > box.width + 1 || y + h > box.height + 1)
      seen.out.push(svg.id + ': ' + (mark.textContent || mark.tagName) + ' ' + [x, y, w, h].map(Math.round));
  }
}
const root = getComputedStyle(document.documentElement), panel = colour(root.getPropertyValue('--panel').trim());
for (let k = 0; k < 10; k++) {
  const c = contrast(colour(root.getPropertyValue('--c' + k).trim()), panel);
  if (c < 4.5) seen.faint_class.push(k + ': ' + c);
}
for (const t of document.querySelectorAll('table[id]')) seen.marks[t.id] = t.rows.length;
return seen;
})()"""

DRAWN = """new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
  if (globalThis.heft && heft.drawn) heft.drawn();
  done(true);
}, 50))))"""

# Cards that overlap, and cards with whose neighbours less than 60 % of the width is used.
CARDS = """(() => {
const all = [...document.querySelectorAll('.card')].filter(e => e.checkVisibility()), box = all.map(e => e.getBoundingClientRect()), bad = [];
const whole = document.getElementById('page').clientWidth;
all.forEach((e, i) => {
  let used = [];
  all.forEach((f, j) => {
    const a = box[i], b = box[j], beside = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    if (!beside) return;
    used.push([b.left, b.right]);
    if (i < j && !e.contains(f) && !f.contains(e) && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1)
      bad.push('overlap: ' + e.textContent.slice(0, 30) + ' | ' + f.textContent.slice(0, 30));
  });
  let covered = 0, end = -1e9;
  for (const [from, to] of used.sort((p, q) => p[0] - q[0])) { covered += Math.max(0, to - Math.max(from, end)); end = Math.max(end, to); }
  if (covered < 0.6 * whole) bad.push('alone: ' + e.textContent.slice(0, 30) + ' ' + covered + ' of ' + whole);
});
return bad;
})()"""


def run(module):
    """Runs the tests of a module with a browser in its BROWSER; without chromium they are skipped."""
    if not browser_module.PROGRAM:
        print("skipped: chromium is not installed")
        sys.exit(77)
    with browser_module.Browser() as module.BROWSER:
        code = harness.main()
    sys.exit(code)


def opened(browser, path, **how):
    """The page with all its plots drawn."""
    page = browser.open(pathlib.Path(path).resolve().as_uri(), **how)
    page.run(DRAWN)
    return page


def check(browser, path, ids, sizes=((1280, False), (390, True))):
    """The page as laid out; `ids`: plots and tables, with the least number of marks or lines."""
    for width, dark in sizes:
        page = opened(browser, path, width=width, dark=dark)
        check_open(page, ids, f"{path}, {width} wide{', dark' if dark else ''}")
        same(len(page.requests), 1, f"{path}: requests {page.requests}")
        page.close()


def check_open(page, ids, what):
    page.run(DRAWN)
    seen = page.run(LOOK)
    same(page.complaints, [], f"{what}: console")
    require(seen["wide"] <= 0, f"{what}: {seen['wide']} too wide")
    require(not seen["out"], f"{what}: outside: {seen['out'][:5]}")
    for name, least in ids.items():
        require(seen["marks"].get(name, 0) >= least, f"{what}: {name} has {seen['marks'].get(name)} marks")
    require(not seen["small"], f"{what}: small: {seen['small'][:5]}")
    require(not seen["faint"], f"{what}: faint: {seen['faint'][:5]}")
    require(not seen["faint_class"], f"{what}: colours: {seen['faint_class']}")
    bad = page.run(CARDS)
    require(not bad, f"{what}: cards: {bad[:5]}")


def document(path):
    """The JSON document that a page contains."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    return json.loads(text.split('id="data">', 1)[1].split("</script>", 1)[0])
