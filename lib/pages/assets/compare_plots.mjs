// compare_plots.mjs - plots of one measure; g is what compare.mjs shares, k a measure of the document.
//
//   setPlot(g, k)       the measure on every data set; with one data set, of every method with its interval
//   timePlot(g, k)      the measure against the time to fit and predict
//   stageCurves(g, k)   the measure against noise, training rows and attributes, where these were varied

import {draw} from './dom.mjs';
import {linear, show} from './numbers.mjs';
import {section, card, grid} from './layout.mjs';
import {responsive, plot, curve} from './plot.mjs';
import {legend} from './colours.mjs';
import {cap, line, label, dot, widest, putLabel} from './compare_marks.mjs';

// The ends of an axis, in the numbers that people see: with some space, but within the range of the measure.
function axisRange(g, k, values) {
  const own = values.filter(Number.isFinite).map(x => g.plain(x, k)), lo = Math.min(...own), hi = Math.max(...own);
  const more = Math.max(0.06 * (hi - lo), k.percent ? 0.5 : 0.01), least = k.least ?? -Infinity, most = k.most ?? Infinity;
  return own.length ? {lo: Math.max(lo - more, Math.min(g.plain(least, k), lo)), hi: Math.min(hi + more, Math.max(g.plain(most, k), hi))} : null;
}

const meanUnit = (g, k) => (g.sets.length > 1 ? 'mean ' : '') + g.unit(k);

// ---- the measure on every data set ----

// The ends of the line through a dot: the interval, or one standard deviation over the folds.
function whiskers(cell, k) {
  const {accuracy: x, accuracy_sd: sd} = cell;
  if (cell.failure) return null;
  if (cell.intervals) return cell.intervals[k.name] ?? null;
  return k.name === 'accuracy' && cell.per_fold.length > 1 ? [Math.max(0, x - sd), Math.min(1, x + sd)] : null;
}

// The lines of the plot: a data set with all methods, or the only data set with one method, the best first.
function setLines(g, k) {
  const at = (d, m) => ({d, m, value: g.value(g.cell(d, m), k)}), known = p => p.value !== null;
  if (g.sets.length > 1) return g.names.map((text, d) => ({text, dots: g.methods.map((_, m) => at(d, m)).filter(known)}));
  return g.methods.map((text, m) => ({text, dots: [at(0, m)].filter(known), ends: whiskers(g.cell(0, m), k)})).filter(l => l.dots.length)
    .sort((a, b) => (k.higher_is_better ? -1 : 1) * (a.dots[0].value - b.dots[0].value));
}

export function setPlot(g, k) {
  const lines = setLines(g, k), one = g.sets.length === 1, n = g.methods.length;
  const range = axisRange(g, k, lines.flatMap(l => [...l.dots.map(p => p.value), ...l.ends || []]));
  if (!range) return null;
  const row = Math.max(26, Math.min(130, Math.floor(264 / lines.length))), high = row * lines.length;
  const lift = m => one ? 0 : (m / (n - 1 || 1) - 0.5) * Math.min(row - 14, 11 * (n - 1)); // dots of equal values do not hide each other
  const words = !lines.some(l => l.ends) ? null
    : g.methods.some((_, m) => g.cell(0, m).intervals) ? 'Lines: confidence intervals.' : 'Lines: one standard deviation over the folds.';
  const paint = (root, width) => {
    const room = widest(lines.map(l => l.text), width * 0.36) + 12, x = linear([range.lo, range.hi], [room, width - 12]), px = v => x(g.plain(v, k));
    for (const t of x.ticks(Math.max(2, Math.floor((width - room) / 70)))) {
      const text = x.text(t);
      root.append(line('rule', x(t), 4, x(t), high + 4), label('tick mid', Math.min(x(t), width - 4 * text.length), high + 18, text));
    }
    root.append(label('title end', width - 4, high + 36, g.unit(k) + ' \u2192'));
    lines.forEach((l, i) => {
      const y = 4 + row * (i + 0.5), xs = l.dots.map(p => px(p.value));
      putLabel(root, l.text, room - 10, y, room - 12);
      if (l.ends) root.append(line('whisker', px(l.ends[0]), y, px(l.ends[1]), y));
      else if (xs.length) root.append(line('rule', Math.min(...xs), y, Math.max(...xs), y));
      l.dots.forEach((p, j) => root.append(dot(xs[j], y + lift(p.m), 5, g.colour(p.m), g.lines(p.d, p.m, k))));
    });
  };
  return card(`${cap(k.title)} ${one ? `of every ${g.thing}` : 'on every data set'}`, words,
    responsive({id: 'sets', label: 'a measure by data set and method', height: high + 44}, paint));
}

// ---- against time ----

// The means of a method over the data sets that it completed.
function meanTime(g, m, k) {
  const cells = g.sets.map((_, d) => g.cell(d, m)).filter(c => g.value(c, k) !== null && !c.imported);
  const mean = f => cells.reduce((sum, c) => sum + f(c), 0) / cells.length;
  return {m, name: g.methods[m], n: cells.length, x: Math.max(1e-6, mean(g.seconds)), y: mean(c => g.value(c, k))};
}

const overlap = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

// Puts the names of points where they cover nothing; a name without such a place is told by the tooltip alone.
function putNames(svg, points, box) {
  const taken = points.map(p => ({x: p.px - 6, y: p.py - 6, w: 12, h: 12}));
  for (const p of points) {
    const w = 7 * [...p.name].length;
    for (const [dx, dy] of [[0, -10], [0, 19], [w / 2 + 9, 4], [-w / 2 - 9, 4]]) {
      const own = {x: p.px + dx - w / 2, y: p.py + dy - 11, w, h: 14};
      const inside = own.x >= box.left && own.x + w <= box.left + box.width && own.y >= box.top && own.y + own.h <= box.top + box.height;
      if (!inside || taken.some(t => overlap(own, t))) continue;
      taken.push(own);
      svg.append(label('tick mid', p.px + dx, p.py + dy, p.name));
      break;
    }
  }
}

export function timePlot(g, k) {
  const points = g.methods.map((_, m) => meanTime(g, m, k)).filter(p => p.n > 0), times = points.map(p => p.x);
  if (points.length < 2) return null;
  const lo = Math.min(...times), hi = Math.max(...times), more = Math.max(1.4, Math.sqrt(Math.max(1, 15 * lo / hi)));
  const paint = ({svg, x, y, box}) => {
    const list = points.map(p => ({...p, px: x(p.x), py: y(g.plain(p.y, k))}));
    putNames(svg, list, box);
    for (const p of list) svg.append(dot(p.px, p.py, 6, g.colour(p.m), [p.name, [k.title, g.text(p.y, k)], ['seconds', show(p.x)]]));
  };
  return card(`${cap(k.title)} against time`, `Better: ${k.higher_is_better ? 'up' : 'down'} and to the left.`,
    plot({id: 'time', label: 'a measure against time', height: 300, paint, y: {...axisRange(g, k, points.map(p => p.y)), title: meanUnit(g, k)},
      x: {lo: lo / more, hi: hi * more, log: true, n: 8, title: `seconds to fit and predict${g.data.folds > 1 ? ', all folds' : ''} (logarithmic)`}}));
}

// ---- stages ----

const AXES = [
  {key: 'noise', caption: 'wrong classes in the training rows', along: x => 100 * (x || 0), title: () => 'training rows with a wrong class, %'},
  {key: 'learn', caption: 'training rows', along: x => x ?? 1, title: xs => Math.max(...xs) <= 1 ? 'share of the training rows' : 'training rows'},
  {key: 'dimensions', caption: 'attributes', along: x => parseFloat(x ?? 0), title: (_, x) => /%/.test(x) ? 'share of the attributes, %' : 'attributes'}];

function stageCurve(g, k, {key, caption, along, title}, stages) {
  const xs = stages.map(s => along(s[key])), name = title(xs, String(stages[0][key]));
  const value = (d, m, s) => g.value(g.cell(d, m, g.stageOf(s)), k);
  const points = m => { // means over the data sets that the method completed at all stages
    const whole = g.sets.map((_, d) => d).filter(d => stages.every(s => value(d, m, s) !== null));
    const mean = s => whole.reduce((sum, d) => sum + value(d, m, s), 0) / whole.length;
    return whole.length ? stages.map((s, i) => [xs[i], g.plain(mean(s), k), [[name, show(xs[i], 4)], [k.title, g.text(mean(s), k)]]]) : [];
  };
  const series = g.methods.map((text, m) => ({name: text, colour: g.colour(m), dash: m >= 10, points: points(m)}));
  const range = axisRange(g, k, series.flatMap(s => s.points.map(p => k.percent ? p[1] / 100 : p[1])));
  const spots = ({svg, x, y}) => series.forEach(s => s.points.forEach(p => svg.append(
    draw('circle', {class: 'dot', cx: x(p[0]), cy: y(p[1]), r: 3.5, style: `fill:${s.colour}`}))));
  return range && card(`${cap(k.title)} against ${caption}`,
    g.sets.length > 1 && 'Each point is the mean over the data sets that the method completed at all points.',
    curve({id: 'curve-' + key, label: caption, height: 280, series, over: spots,
      x: {lo: Math.min(...xs), hi: Math.max(...xs), title: name}, y: {...range, title: meanUnit(g, k)}}));
}

export function stageCurves(g, k) {
  const {summary} = g.data, cards = [];
  for (const axis of summary.stages ? AXES : []) { // the stages that differ from that of the headline along this axis only
    const own = summary.stages.filter(s => AXES.every(({key}) => key === axis.key || s[key] === summary[key]));
    if (own.length > 1) cards.push(stageCurve(g, k, axis, own));
  }
  const shown = cards.filter(Boolean);
  return shown.length > 0 && section('curves', 'Curves', 'The training rows were changed; the test rows were not.',
    g.methods.length > 1 && legend(g.methods.map((t, m) => ({colour: g.colour(m), name: t, dash: m >= 10}))), grid(380, ...shown));
}
