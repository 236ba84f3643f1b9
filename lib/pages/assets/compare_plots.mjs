// compare_plots.mjs - the plots of a comparison; g is what compare.mjs shares, k a measure of the document.
//
//   cap(text)            the text with a capital letter
//   rankDiagram(g, k)    mean ranks with the critical difference (Demsar 2006); null: too few data sets or methods
//   setPlot(g, k)        the measure on every data set; with one data set, of every method with its interval
//   timePlot(g, k)       the measure against the time to fit and predict
//   winTable(g, k)       on how many data sets one method beats another
//   stageCurves(g, k)    the measure against noise, training rows and attributes, where these were varied

import {draw} from './dom.mjs';
import {linear, show, fixed} from './numbers.mjs';
import {hover} from './tooltip.mjs';
import {section, card, grid} from './layout.mjs';
import {responsive, plot, curve} from './plot.mjs';
import {heat} from './tables.mjs';
import {legend} from './colours.mjs';

const WIDE = 640; // pixels from which on labels stand on both sides of the ranks

export const cap = text => text[0].toUpperCase() + text.slice(1);
const letters = text => [...text];
// A label of at most so many pixels; what is cut is told by the tooltip.
function fit(text, width) {
  const most = Math.max(4, Math.floor(width / 7.2)), all = letters(text);
  return all.length <= most ? text : all.slice(0, most - 1).join('') + '\u2026';
}
// A label right of which is x, in up to two lines of so many pixels around the height y.
function putLabel(root, text, x, y, width) {
  const most = Math.max(4, Math.floor(width / 7)), all = letters(text);
  let cut = all.length <= most ? all.length : most;
  if (cut < all.length) for (let k = cut; k > most / 2; k--) if (/[ \-_,;./:]/.test(all[k - 1])) { cut = k; break; }
  const rest = all.slice(cut).join('');
  root.append(hover(draw('text', {class: 'end'}, draw('tspan', {x, y: rest ? y - 2 : y + 4}, all.slice(0, cut).join('')), rest && draw('tspan', {x, y: y + 11}, fit(rest, width))), [text]));
}
const widestOf = (list, most) => Math.min(most, Math.max(...list.map(t => 7.2 * letters(t).length)) + 6);

// Groups of sorted ranks that differ by less than cd; none lies within another.
function rankGroups(ranks, cd) {
  const list = [];
  let last = 0;
  for (let a = 0; a < ranks.length; a++) {
    let b = a;
    while (b + 1 < ranks.length && ranks[b + 1] - ranks[a] < cd) b++;
    if (b > a && b > last) { list.push([a, b]); last = b; }
  }
  return list;
}

const line = (style, x1, y1, x2, y2, more) => draw('line', {class: style, x1, y1, x2, y2, ...more});
const label = (style, x, y, text) => draw('text', {class: style, x, y}, text);

// The axis of ranks at height y, with the critical difference above it and the permutation bounds behind.
function rankAxis(root, g, k, x, y, foot, n) {
  const cd = k.critical_difference, bounds = k.name === 'accuracy' && g.tests.permutation_bounds;
  if (bounds) root.append(draw('rect', {class: 'band', x: x(Math.max(1, bounds.rank_low)), y, height: foot - y, width: x(Math.min(n, bounds.rank_high)) - x(Math.max(1, bounds.rank_low))}));
  root.append(line('base', x(1), y, x(n), y));
  const step = Math.max(1, Math.ceil(26 * (n - 1) / (x(n) - x(1))));
  for (let r = 1; r <= n; r++) {
    root.append(line('mark', x(r), y - 5, x(r), y));
    if (r === 1 || r % step === 0) root.append(label('tick mid', x(r), y - 9, r));
  }
  const to = x(Math.min(n, 1 + cd)), text = `critical difference ${fixed(cd, 2)}`;
  root.append(line('span', x(1), 12, to, 12), line('span', x(1), 8, x(1), 16), line('span', to, 8, to, 16));
  root.append(to + 8 + 7 * text.length < x(n) + 60 ? label('tick', to + 8, 16, text) : label('tick end', to, 30, text));
}

function rankDot(root, g, m, rank, x, y) {
  root.append(hover(draw('circle', {class: 'dot', cx: x, cy: y, r: 5, tabindex: 0, style: `fill:${g.colour(m)}`}), [g.methods[m], ['mean rank', fixed(rank, 2)]]));
}

export function rankDiagram(g, k) {
  const order = g.methods.map((_, m) => m).filter(m => Number.isFinite(k.mean_rank[g.methods[m]]))
    .sort((a, b) => k.mean_rank[g.methods[a]] - k.mean_rank[g.methods[b]]);
  const ranks = order.map(m => k.mean_rank[g.methods[m]]), n = order.length, cd = k.critical_difference;
  if (!Number.isFinite(cd) || n < 2) return null;
  const groups = rankGroups(ranks, cd), names = order.map(m => g.methods[m]), half = Math.ceil(n / 2), ROW = 22, AXIS = 52;
  const top = AXIS + 14 + 8 * groups.length;
  const bars = (root, x) => groups.forEach(([a, b], i) => root.append(hover(line('group', x(ranks[a]) - 4, AXIS + 12 + 8 * i, x(ranks[b]) + 4, AXIS + 12 + 8 * i),
    ['no significant difference', ...names.slice(a, b + 1)])));
  const wide = (root, width) => { // labels left and right; lines do not cross
    const room = widestOf(names, width * 0.25) + 44, x = linear([1, n], [room, width - room]);
    rankAxis(root, g, k, x, AXIS, top + ROW * half, n);
    bars(root, x);
    order.forEach((m, i) => {
      const left = i < half, y = top + ROW * ((left ? i : n - 1 - i) + 0.5), at = x(ranks[i]), end = left ? room - 40 : width - room + 40;
      root.append(line('rank', at, AXIS, at, y, {style: `stroke:${g.colour(m)}`}), line('rank', at, y, end, y, {style: `stroke:${g.colour(m)}`}),
        label(left ? 'end' : '', left ? end - 6 : end + 6, y + 4, fit(names[i], room - 50)), label(left ? 'tick' : 'tick end', end, y - 4, fixed(ranks[i], 2)));
      rankDot(root, g, m, ranks[i], at, AXIS);
    });
  };
  const narrow = (root, width) => {
    const room = widestOf(names, width * 0.42) + 10, x = linear([1, n], [room, width - 44]);
    rankAxis(root, g, k, x, AXIS, top + ROW * n, n);
    bars(root, x);
    order.forEach((m, i) => {
      const y = top + ROW * (i + 0.5), at = x(ranks[i]);
      root.append(label('end', room - 10, y + 4, fit(names[i], room - 12)), line('rank', x(1), y, at, y, {style: `stroke:${g.colour(m)}`}), label('tick', at + 9, y + 4, fixed(ranks[i], 2)));
      rankDot(root, g, m, ranks[i], at, y);
    });
  };
  const height = width => top + ROW * (width >= WIDE ? half : n) + 8;
  return card(`Mean ranks by ${k.title} over ${k.datasets} data sets (1 is best)`,
    `A thick bar joins methods whose mean ranks do not differ significantly (Nemenyi). ${k.name === 'accuracy' && g.tests.permutation_bounds ? 'If all methods were equal, all would lie within the shaded band (permutation bounds). ' : ''}Friedman\u2019s test: p = ${show(k.friedman_p)}.`,
    responsive({id: 'ranks', label: 'mean ranks with the critical difference', height}, (root, width) => (width >= WIDE ? wide : narrow)(root, width)));
}

// ---- the measure on every data set ----

// The range of numbers for an axis, with some space, within the range of the measure; in percent where people see percents.
function axisRange(g, k, values) {
  const own = values.filter(Number.isFinite).map(x => g.plain(x, k)), lo = Math.min(...own), hi = Math.max(...own);
  const more = Math.max(0.06 * (hi - lo), k.percent ? 0.5 : 0.01), least = k.least === null ? -Infinity : g.plain(k.least, k), most = k.most === null ? Infinity : g.plain(k.most, k);
  return own.length ? {lo: Math.max(lo - more, Math.min(least, lo)), hi: Math.min(hi + more, Math.max(most, hi))} : null;
}

function whiskers(g, cell, k) {
  const pair = cell.intervals && cell.intervals[k.name];
  if (pair) return pair;
  return !cell.failure && k.name === 'accuracy' && cell.per_fold.length > 1 ? [Math.max(0, cell.accuracy - cell.accuracy_sd), Math.min(1, cell.accuracy + cell.accuracy_sd)] : null;
}

export function setPlot(g, k) {
  const one = g.sets.length === 1, all = g.sets.flatMap((_, d) => g.methods.map((_, m) => [d, m])).filter(([d, m]) => g.value(g.cell(d, m), k) !== null);
  const range = axisRange(g, k, all.flatMap(([d, m]) => [g.value(g.cell(d, m), k), ...one ? whiskers(g, g.cell(d, m), k) || [] : []]));
  if (!range) return null;
  const sign = k.higher_is_better ? -1 : 1, lines = one ? all.map(([, m]) => m).sort((a, b) => sign * (g.value(g.cell(0, a), k) - g.value(g.cell(0, b), k))) : g.sets.map((_, d) => d);
  const names = lines.map(i => one ? g.methods[i] : g.names[i]), ROW = Math.max(26, Math.min(80, Math.floor(256 / lines.length))), high = ROW * lines.length;
  const lift = m => one ? 0 : (m / (g.methods.length - 1 || 1) - 0.5) * Math.min(ROW - 14, 6 * (g.methods.length - 1)); // dots of equal values do not hide each other
  const folds = k.name === 'accuracy' && g.data.folds > 1, intervals = all.some(([d, m]) => g.cell(d, m).intervals);
  return card(`${cap(k.title)} ${one ? `of every ${g.thing}` : 'on every data set'}`, one && (intervals ? 'Lines: confidence intervals.' : folds ? 'Lines: one standard deviation over the folds.' : null),
    responsive({id: 'sets', label: 'a measure by data set and method', height: high + 44}, (root, width) => {
      const room = widestOf(names, width * 0.36) + 12, x = linear([range.lo, range.hi], [room, width - 12]);
      for (const t of x.ticks(Math.max(2, Math.floor((width - room) / 70)))) root.append(line('rule', x(t), 4, x(t), high + 4), label('tick mid', Math.min(x(t), width - 4 * x.text(t).length), high + 18, x.text(t)));
      root.append(label('title end', width - 4, high + 36, g.unit(k) + ' \u2192'));
      lines.forEach((i, row) => {
        const y = 4 + ROW * (row + 0.5), cells = one ? [[0, i]] : all.filter(([d]) => d === i), xs = cells.map(([d, m]) => x(g.plain(g.value(g.cell(d, m), k), k)));
        const pair = one && whiskers(g, g.cell(0, i), k);
        putLabel(root, names[row], room - 10, y, room - 12);
        if (pair) root.append(line('whisker', x(g.plain(pair[0], k)), y, x(g.plain(pair[1], k)), y));
        else if (xs.length) root.append(line('rule', Math.min(...xs), y, Math.max(...xs), y));
        cells.forEach(([d, m], j) => root.append(hover(draw('circle', {class: 'dot', cx: xs[j], cy: y + lift(m), r: 5, tabindex: 0, style: `fill:${g.colour(m)}`}), g.lines(d, m, k))));
      });
    }));
}

// ---- against time ----

function meanTimes(g, k) {
  return g.methods.map((_, m) => {
    const cells = g.sets.map((_, d) => g.cell(d, m)).filter(c => g.value(c, k) !== null && !c.imported), mean = f => cells.reduce((sum, c) => sum + f(c), 0) / cells.length;
    return cells.length ? {m, x: Math.max(1e-6, mean(c => c.fit_seconds + c.predict_seconds)), y: mean(c => g.value(c, k))} : null;
  }).filter(Boolean);
}

// Puts the names of points where they cover nothing; a name without such a place is told by the tooltip alone.
function putNames(svg, points, box) {
  const taken = points.map(p => ({x: p.px - 6, y: p.py - 6, w: 12, h: 12}));
  for (const p of points) {
    const w = 7 * letters(p.name).length;
    for (const [dx, dy] of [[0, -10], [0, 19], [w / 2 + 9, 4], [-w / 2 - 9, 4]]) {
      const own = {x: p.px + dx - w / 2, y: p.py + dy - 11, w, h: 14};
      if (own.x < box.left || own.x + w > box.left + box.width || own.y < box.top || own.y + own.h > box.top + box.height) continue;
      if (taken.some(t => own.x < t.x + t.w && t.x < own.x + own.w && own.y < t.y + t.h && t.y < own.y + own.h)) continue;
      taken.push(own);
      svg.append(label('tick mid', p.px + dx, p.py + dy, p.name));
      break;
    }
  }
}

export function timePlot(g, k) {
  const points = meanTimes(g, k), y = axisRange(g, k, points.map(p => p.y));
  if (points.length < 2) return null;
  const lo = Math.min(...points.map(p => p.x)), hi = Math.max(...points.map(p => p.x)), more = Math.max(1.4, Math.sqrt(Math.max(1, 15 * lo / hi)));
  return card(`${cap(k.title)} against time`, `Better: ${k.higher_is_better ? 'up' : 'down'} and to the left.`, plot({id: 'time', label: 'a measure against time', height: 300,
    x: {lo: lo / more, hi: hi * more, log: true, title: `seconds to fit and predict${g.data.folds > 1 ? ', all folds' : ''} (logarithmic)`, n: 8},
    y: {...y, title: (g.sets.length > 1 ? 'mean ' : '') + g.unit(k)},
    paint({svg, x, y: up, box}) {
      const list = points.map(p => ({...p, name: g.methods[p.m], px: x(p.x), py: up(g.plain(p.y, k))}));
      putNames(svg, list, box);
      for (const p of list) svg.append(hover(draw('circle', {class: 'dot', cx: p.px, cy: p.py, r: 6, tabindex: 0, style: `fill:${g.colour(p.m)}`}), [p.name, [k.title, g.text(p.y, k)], ['seconds', show(p.x)]]));
    }}));
}

// ---- one method against another ----

export function winTable(g, k) {
  if (g.methods.length < 3 || g.sets.length < 3 || !Number.isFinite(k.critical_difference)) return null;
  const sign = k.higher_is_better ? 1 : -1, order = g.methods.map((_, m) => m).sort((a, b) => (k.mean_rank[g.methods[a]] ?? Infinity) - (k.mean_rank[g.methods[b]] ?? Infinity));
  const duel = (a, b) => {
    const by = g.sets.map((_, d) => [g.value(g.cell(d, a), k), g.value(g.cell(d, b), k)]).filter(([x, y]) => x !== null && y !== null).map(([x, y]) => sign * (x - y));
    return {wins: by.filter(x => x > 1e-9).length, losses: by.filter(x => x < -1e-9).length, n: by.length};
  };
  const names = order.map(m => g.methods[m]), of = names.map((_, i) => names.map((_, j) => duel(order[i], order[j])));
  return card(`Who beats whom, by ${k.title}`, 'Data sets on which the method of the line is better than that of the column. Blue: more often better than worse.', heat({id: 'wins', down: names, across: names, most: 2 * g.sets.length,
    at: (i, j) => i === j ? null : of[i][j].wins - of[i][j].losses || 1e-9, text: (_, i, j) => String(of[i][j].wins),
    lines: (i, j) => [`${names[i]} against ${names[j]}`, ['better', of[i][j].wins], ['equal', of[i][j].n - of[i][j].wins - of[i][j].losses], ['worse', of[i][j].losses]]}));
}

// ---- stages ----

const AXES = [
  ['noise', 'wrong classes in the training rows', x => 100 * (x || 0), () => 'training rows with a wrong class, %'],
  ['learn', 'training rows', x => x ?? 1, most => most <= 1 ? 'share of the training rows' : 'training rows'],
  ['dimensions', 'attributes', x => parseFloat(x ?? 0), (_, text) => /%/.test(text) ? 'share of the attributes, %' : 'attributes']];

function stageCurve(g, k, [key, caption, along, title], stages) {
  const height = (m, stage) => { // the mean over the data sets that the method completed at all points
    const whole = g.sets.map((_, d) => d).filter(d => stages.every(s => g.value(g.cell(d, m, g.stageOf(s)), k) !== null));
    return whole.length ? whole.reduce((sum, d) => sum + g.value(g.cell(d, m, g.stageOf(stage)), k), 0) / whole.length : null;
  };
  const series = g.methods.map((text, m) => ({name: text, colour: g.colour(m), dash: m >= 10, points: stages.map(s => [along(s[key]), height(m, s)]).filter(p => p[1] !== null)
    .map(([a, b]) => [a, g.plain(b, k), [[title(1, s => s), show(a, 4)], [k.title, g.text(b, k)]]])}));
  const xs = stages.map(s => along(s[key])), y = axisRange(g, k, series.flatMap(s => s.points.map(p => k.percent ? p[1] / 100 : p[1]))), name = title(Math.max(...xs), String(stages[0][key]));
  if (!y) return null;
  for (const s of series) for (const p of s.points) p[2][0][0] = name;
  return card(`${cap(k.title)} against ${caption}`, g.sets.length > 1 && 'Each point is the mean over the data sets that the method completed at all points.',
    curve({id: 'curve-' + key, label: caption, height: 280, x: {lo: Math.min(...xs), hi: Math.max(...xs), title: name}, y: {...y, title: (g.sets.length > 1 ? 'mean ' : '') + g.unit(k)}, series,
      over: ({svg, x, y: up}) => series.forEach(s => s.points.forEach(p => svg.append(draw('circle', {class: 'dot', cx: x(p[0]), cy: up(p[1]), r: 3.5, style: `fill:${s.colour}`}))))}));
}

export function stageCurves(g, k) {
  const {summary} = g.data, {stages} = summary, cards = [];
  for (const axis of stages ? AXES : []) { // stages that differ from that of the headline along this axis only
    const own = stages.filter(s => AXES.every(([key]) => key === axis[0] || s[key] === summary[key]));
    if (own.length > 1) cards.push(stageCurve(g, k, axis, own));
  }
  const shown = cards.filter(Boolean);
  return shown.length > 0 && section('curves', 'Curves', 'The training rows were changed; the test rows were not.',
    g.methods.length > 1 && legend(g.methods.map((t, m) => ({colour: g.colour(m), name: t, dash: m >= 10}))), grid(380, ...shown));
}
