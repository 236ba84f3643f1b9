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
        if joined and places:
            path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
            yield f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        size = 2 if len(places) > 500 else 3.5
        yield from (f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{size}" fill="{colour}" fill-opacity="0.75"/>' for a, b in places)
        top = TOP + 10 + 20 * k
        yield f'<rect x="{WIDE - RIGHT + 15}" y="{top - 9}" width="10" height="10" fill="{colour}"/>'
        yield f'<text x="{WIDE - RIGHT + 30}" y="{top}">{escape(name)}</text>'


def plot(bench, name, title, x_label, y_label, series, joined=True, points=None):
    """series: {label: (xs, ys)}; points: more of them, as dots beside lines. Written to results/name.svg, said below the
    table."""
    frame = Frame({**series, **(points or {})})
    body = [*axes(frame, title, x_label, y_label), *marks(frame, series, joined)]
    if points:
        body += list(marks(frame, {**dict.fromkeys(series, ((), ())), **points}, False))
    write(bench, name, body)


def write(bench, name, body, wide=WIDE, high=HIGH):
    text = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif" font-size="12">'
            f'<rect width="{wide}" height="{high}" fill="white"/>' + "\n".join(body) + "</svg>\n")
    bench.results.mkdir(parents=True, exist_ok=True)
    (bench.results / (name + ".svg")).write_text(text, encoding="utf-8")
    bench.note(f"plot: {name}.svg in the results folder")


def bars(bench, name, title, y_label, groups, bounds=()):
    """groups: {label below: {series: value}}; bounds: heights of dashed lines across the chart."""
    labels = list(next(iter(groups.values())))
    values = [v for group in groups.values() for v in group.values() if v is not None]
    low, high = min(0, *values) if min(values) < 1 else min(*values, *bounds) - 1, max(*values, *bounds)
    frame = Frame({"": ([0, len(groups)], [low, high])})
    frame.y = (low, high + 0.05 * (high - low))
    body = [f'<text x="{LEFT}" y="22" font-size="15" font-weight="bold">{escape(title)}</text>']
    for value in ticks(*frame.y):
        _, top = frame.at(0, value)
        body += [f'<line x1="{LEFT}" y1="{top:.1f}" x2="{WIDE - RIGHT}" y2="{top:.1f}" stroke="#ddd"/>',
                 f'<text x="{LEFT - 8}" y="{top + 4:.1f}" text-anchor="end">{value:g}</text>']
    for k, (label, group) in enumerate(groups.items()):
        for i, value in enumerate(group.values()):
            if value is None:
                continue
            left, _ = frame.at(k + 0.1 + 0.8 * i / len(labels), 0)
            right, top = frame.at(k + 0.1 + 0.8 * (i + 1) / len(labels), value)
            _, foot = frame.at(0, max(low, 0))
            body.append(f'<rect x="{left:.1f}" y="{min(top, foot):.1f}" width="{right - left - 1:.1f}" '
                        f'height="{abs(foot - top):.1f}" fill="{COLOURS[i]}"/>')
        middle, _ = frame.at(k + 0.5, 0)
        body.append(f'<text x="{middle:.1f}" y="{HIGH - BOTTOM + 16}" text-anchor="middle" font-size="10">{escape(label)}</text>')
    for value in bounds:
        _, top = frame.at(0, value)
        body.append(f'<line x1="{LEFT}" y1="{top:.1f}" x2="{WIDE - RIGHT}" y2="{top:.1f}" stroke="#444" stroke-dasharray="6 4"/>')
    for i, label in enumerate(labels):
        top = TOP + 10 + 20 * i
        body += [f'<rect x="{WIDE - RIGHT + 15}" y="{top - 9}" width="10" height="10" fill="{COLOURS[i]}"/>',
                 f'<text x="{WIDE - RIGHT + 30}" y="{top}">{escape(label)}</text>']
    body.append(f'<text transform="translate(18 {(TOP + HIGH - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">'
                f'{escape(y_label)}</text>')
    write(bench, name, body)


def shade(value):
    """Blue for -1, white for 0, red for 1."""
    strength = min(abs(value), 1)
    towards = (27, 108, 168) if value < 0 else (196, 69, 54)
    return "#" + "".join(f"{round(255 + strength * (c - 255)):02x}" for c in towards)


def heat(bench, name, title, labels, matrix):
    """A square of correlations, -1 to 1."""
    side, left, top = max(12, min(40, 560 // len(labels))), 190, 40
    body = [f'<text x="20" y="22" font-size="15" font-weight="bold">{escape(title)}</text>']
    size = 9 if side < 18 else 11
    for i, row in enumerate(matrix):
        body.append(f'<text x="{left - 6}" y="{top + (i + 0.7) * side:.1f}" text-anchor="end" font-size="{size}">'
                    f'{escape(labels[i])}</text>')
        body += [f'<rect x="{left + j * side}" y="{top + i * side}" width="{side}" height="{side}" fill="{shade(v)}">'
                 f'<title>{escape(labels[i])}, {escape(labels[j])}: {v:.2f}</title></rect>' for j, v in enumerate(row)]
    wide = left + side * len(labels) + 110
    for k, value in enumerate((1, 0.5, 0, -0.5, -1)):
        at = top + 10 + 22 * k
        body += [f'<rect x="{wide - 80}" y="{at - 11}" width="14" height="14" fill="{shade(value)}" stroke="#ccc"/>',
                 f'<text x="{wide - 60}" y="{at}">{value:g}</text>']
    write(bench, name, body, wide, max(top + side * len(labels) + 20, 180))
