"""Figures as SVG, drawn with nothing but the standard library: lines or points of several series."""
import math
from xml.sax.saxutils import escape

COLOURS = ["#1b6ca8", "#c44536", "#3a7d44", "#8e5ea2", "#b8860b", "#444444", "#17a2a2", "#d16ba5"]
WIDE, HIGH, LEFT, TOP, RIGHT, BOTTOM = 720, 420, 70, 40, 170, 60


def ticks(low, high, most=6):
    """Round numbers from low to high."""
    step = 10 ** math.floor(math.log10((high - low) / most))
    step = next(step * k for k in (1, 2, 5, 10, 20) if (high - low) / (step * k) <= most)
    first = math.ceil(low / step - 1e-9)
    return [step * k for k in range(first, math.floor(high / step + 1e-9) + 1)]


class Frame:
    """Axes: data to places on the page."""

    def __init__(self, series):
        xs = [x for line in series.values() for x in line[0]]
        ys = [y for line in series.values() for y in line[1] if y is not None]
        self.x = (min(xs), max(xs) if max(xs) > min(xs) else min(xs) + 1)
        pad = (max(ys) - min(ys)) * 0.05 or 1
        self.y = (min(ys) - pad, max(ys) + pad)

    def at(self, x, y):
        left = LEFT + (x - self.x[0]) / (self.x[1] - self.x[0]) * (WIDE - LEFT - RIGHT)
        top = HIGH - BOTTOM - (y - self.y[0]) / (self.y[1] - self.y[0]) * (HIGH - TOP - BOTTOM)
        return left, top


def axes(frame, title, x_label, y_label):
    yield f'<text x="{LEFT}" y="22" font-size="15" font-weight="bold">{escape(title)}</text>'
    for value in ticks(*frame.x):
        left, _ = frame.at(value, frame.y[0])
        yield f'<line x1="{left:.1f}" y1="{HIGH - BOTTOM}" x2="{left:.1f}" y2="{HIGH - BOTTOM + 5}" stroke="#888"/>'
        yield f'<text x="{left:.1f}" y="{HIGH - BOTTOM + 20}" text-anchor="middle">{value:g}</text>'
    for value in ticks(*frame.y):
        _, top = frame.at(frame.x[0], value)
        yield f'<line x1="{LEFT}" y1="{top:.1f}" x2="{WIDE - RIGHT}" y2="{top:.1f}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 8}" y="{top + 4:.1f}" text-anchor="end">{value:g}</text>'
    yield f'<path d="M{LEFT} {TOP}V{HIGH - BOTTOM}H{WIDE - RIGHT}" fill="none" stroke="#888"/>'
    yield f'<text x="{(LEFT + WIDE - RIGHT) / 2}" y="{HIGH - 15}" text-anchor="middle">{escape(x_label)}</text>'
    yield (f'<text transform="translate(18 {(TOP + HIGH - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">'
           f'{escape(y_label)}</text>')


def marks(frame, series, joined):
    for k, (name, (xs, ys)) in enumerate(series.items()):
        colour, places = COLOURS[k % len(COLOURS)], [frame.at(x, y) for x, y in zip(xs, ys) if y is not None]
        if joined:
            path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
            yield f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        size = 2 if len(places) > 500 else 3.5
        yield from (f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{size}" fill="{colour}" fill-opacity="0.75"/>' for a, b in places)
        top = TOP + 10 + 20 * k
        yield f'<rect x="{WIDE - RIGHT + 15}" y="{top - 9}" width="10" height="10" fill="{colour}"/>'
        yield f'<text x="{WIDE - RIGHT + 30}" y="{top}">{escape(name)}</text>'


def plot(bench, name, title, x_label, y_label, series, joined=True):
    """series: {label: (xs, ys)}. Written to results/name.svg, said below the table."""
    frame = Frame(series)
    body = [*axes(frame, title, x_label, y_label), *marks(frame, series, joined)]
    text = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" font-family="sans-serif" font-size="12">'
            f'<rect width="{WIDE}" height="{HIGH}" fill="white"/>' + "\n".join(body) + "</svg>\n")
    bench.results.mkdir(parents=True, exist_ok=True)
    (bench.results / (name + ".svg")).write_text(text, encoding="utf-8")
    bench.note(f"plot: {name}.svg in the results folder")
