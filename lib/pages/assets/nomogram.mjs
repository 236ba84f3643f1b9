// nomogram.mjs - the nomogram of a two-class model: every attribute is a line on which its values stand at what they add
// to the log-odds. The sum with the start is read as a probability on the last line.
//
//   drawNomogram(page)     the section, or null

import {make, draw} from './dom.mjs';
import {linear, signed, percent, ticks} from './numbers.mjs';
import {card, section} from './layout.mjs';
import {responsive} from './plot.mjs';
import {hover} from './tooltip.mjs';
import {chip} from './context.mjs';

const LINE = 44, TALL = 62, LETTER = 6.6, WIDE = 7.6; // a line on a phone has its name above it

// Labels in two rows above their line; one that fits in neither is left to the tooltip.
function labelled(marks, x) {
  const ends = [-Infinity, -Infinity];
  return marks.slice().sort((a, b) => a.odds - b.odds).map(m => {
    const half = LETTER * Math.min(m.label.length, 24) / 2, at = x(m.odds), row = ends.findIndex(end => at - half > end);
    if (row >= 0) ends[row] = at + half + 4;
    return {...m, at, row};
  });
}

function wrap(text, most) { // two lines at most
  if (text.length <= most) return [text];
  const cut = text.lastIndexOf(' ', most) > most / 2 ? text.lastIndexOf(' ', most) : text.lastIndexOf('_', most) > most / 2
    ? text.lastIndexOf('_', most) + 1 : most;
  const rest = text.slice(cut).trim();
  return [text.slice(0, cut), rest.length > most ? rest.slice(0, most - 1) + '\u2026' : rest];
}

function lineOf(page, root, line, k, x, left, narrow) {
  const y = narrow ? 46 + k * TALL : 44 + k * LINE, text = page.label(line.attribute), low = Math.min(...line.marks.map(m => m.odds)),
    high = Math.max(...line.marks.map(m => m.odds));
  const base = narrow ? y + 18 : y;
  if (narrow) root.append(draw('text', {class: 'tick', x: 2, y: y - 14}, text.length > 44 ? text.slice(0, 43) + '\u2026' : text));
  else wrap(text, Math.floor((left - 16) / WIDE)).forEach((part, i, all) => root.append(draw('text',
    {class: 'tick end', x: left - 14, y: base + 4 + (i - (all.length - 1) / 2) * 14}, part)));
  root.append(draw('line', {class: 'rule', x1: x.from, x2: x.to, y1: base, y2: base}),
    draw('line', {class: 'thick', x1: x(low), x2: x(high), y1: base, y2: base}));
  for (const m of labelled(line.marks, x)) {
    const mark = hover(draw('circle', {class: 'dot', r: 4.5, cx: m.at, cy: base,
      style: `fill:${page.colour(m.odds > 0 ? page.one : page.zero)}`, tabindex: 0}),
      [`${text} = ${m.label}`, ['log-odds', signed(m.odds, 3)]]);
    const half = LETTER * Math.min(m.label.length, 24) / 2, at = Math.max(half, Math.min(x.to + 14 - half, m.at));
    if (m.row >= 0) root.append(draw('text', {class: 'tick mid', x: at, y: m.row ? base + 18 : base - 9}, m.label.length > 24
      ? m.label.slice(0, 23) + '\u2026' : m.label));
    root.append(mark);
  }
}

export function drawNomogram(page) {
  const n = page.data.nomogram;
  if (!n) return null;
  if (n.note) return section('nomogram', 'Nomogram', null, make('p', {class: 'note'}, n.note));
  const lines = n.lines, height = width => 110 + lines.length * (width < 620 ? TALL : LINE) + (width < 620 ? 20 : 0);
  const figure = responsive({id: 'nomogram-plot', label: 'nomogram', height}, (root, width, high) => {
    const narrow = width < 620, left = narrow ? 16 : Math.min(240,
      Math.max(110, Math.max(...lines.map(l => page.label(l.attribute).length)) * LETTER + 30)),
      line = linear([n.low, n.high], [left, width - 20]), x = Object.assign(v => line(Math.max(n.low, Math.min(n.high, v))), line);
    for (const t of ticks(n.low, n.high, Math.max(3, Math.floor((width - left) / 70))))
      root.append(draw('line', {class: t === 0 ? 'zero' : 'rule', x1: x(t), x2: x(t), y1: 20, y2: high - (narrow ? 84 : 62)}),
        draw('text', {class: 'tick mid', x: Math.max(20, x(t)), y: 12}, signed(t, 1)));
    lines.forEach((line, k) => lineOf(page, root, line, k, x, left, narrow));
    // The scale of the sum: where the probability is read.
    const base = high - 34, sum = linear([-6, 6], [left, width - 20]);
    root.append(draw('text', {class: narrow ? 'title' : 'title end', x: narrow ? 2 : left - 14, y: narrow ? base - 24 : base + 4}, narrow
      ? 'sum of the points and the start \u2192 probability' : 'sum and start'),
      draw('line', {class: 'base', x1: left, x2: width - 20, y1: base, y2: base}));
    for (const s of ticks(-6, 6, narrow ? 4 : 8)) root.append(draw('text', {class: 'tick mid', x: sum(s), y: base - 6}, signed(s, 0)),
      draw('line', {class: 'mark', x1: sum(s), x2: sum(s), y1: base - 4, y2: base}));
    for (const p of narrow ? [0.01, 0.1, 0.5, 0.9, 0.99] : [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99,
      0.995])
      root.append(draw('text', {class: 'tick mid', x: sum(Math.log(p / (1 - p))), y: base + 18}, percent(p, p < 0.01 || p > 0.99 ? 1 : 0)),
        draw('line', {class: 'mark', x1: sum(Math.log(p / (1 - p))), x2: sum(Math.log(p / (1 - p))), y1: base, y2: base + 4}));
  });
  const words = [...n.agreement ? [n.agreement.text] : [], ...n.rest];
  return section('nomogram', 'Nomogram', ['Find each value on its line and add up the log-odds, beginning with ',
    make('b', {}, signed(n.start)), '; the last line gives the probability of ', chip(page, page.one), '.'],
    card(null, null, figure, ...words.map(text => make('p', {class: 'sub'}, text))));
}
