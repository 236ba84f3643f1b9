// compare_ranks.mjs - who is better than whom; g is what compare.mjs shares, k a measure of the document.
//
//   rankDiagram(g, k)   mean ranks with the critical difference (Demsar 2006); null: too few data sets or methods
//   winTable(g, k)      on how many data sets one method beats another; null: too few

import {draw} from './dom.mjs';
import {linear, show, fixed} from './numbers.mjs';
import {hover} from './tooltip.mjs';
import {card} from './layout.mjs';
import {responsive} from './plot.mjs';
import {heat} from './tables.mjs';
import {line, label, dot, fit, widest} from './compare_marks.mjs';

const WIDE = 640; // pixels from which on labels stand on both sides of the ranks
const ROW = 22, AXIS = 52, BAR = 8;

// Methods by mean rank, the best first.
function ordered(g, k) {
  const rank = m => k.mean_rank[g.methods[m]];
  return g.methods.map((_, m) => m).filter(m => Number.isFinite(rank(m))).sort((a, b) => rank(a) - rank(b))
    .map(m => ({m, name: g.methods[m], rank: rank(m), colour: g.colour(m)}));
}

// Groups of sorted ranks that differ by less than cd; none lies within another.
function rankGroups(list, cd) {
  const groups = [];
  let last = 0;
  for (let a = 0; a < list.length; a++) {
    let b = a;
    while (b + 1 < list.length && list[b + 1].rank - list[a].rank < cd) b++;
    if (b > a && b > last) groups.push([a, last = b]);
  }
  return groups;
}

// The axis, the critical difference above it, and the band of the permutation bounds behind.
function putAxis(root, {list, cd, bounds}, x, foot) {
  const n = list.length, step = Math.max(1, Math.ceil(26 * (n - 1) / (x(n) - x(1))));
  if (bounds) {
    const from = x(Math.max(1, bounds.rank_low)), to = x(Math.min(n, bounds.rank_high));
    root.append(draw('rect', {class: 'band', x: from, y: AXIS, width: to - from, height: foot - AXIS}));
  }
  root.append(line('base', x(1), AXIS, x(n), AXIS));
  for (let r = 1; r <= n; r++) {
    root.append(line('mark', x(r), AXIS - 5, x(r), AXIS));
    if (r === 1 || r % step === 0) root.append(label('tick mid', x(r), AXIS - 9, r));
  }
  const to = x(Math.min(n, 1 + cd)), text = `critical difference ${fixed(cd, 2)}`;
  root.append(line('span', x(1), 12, to, 12), line('span', x(1), 8, x(1), 16), line('span', to, 8, to, 16),
    to + 8 + 7 * text.length < x(n) + 60 ? label('tick', to + 8, 16, text) : label('tick end', to, 30, text));
}

function putGroups(root, {list, groups}, x) {
  groups.forEach(([a, b], i) => {
    const y = AXIS + 12 + BAR * i;
    root.append(hover(line('group', x(list[a].rank) - 4, y, x(list[b].rank) + 4, y),
      ['no significant difference', ...list.slice(a, b + 1).map(p => p.name)]));
  });
}

const hint = p => [p.name, ['mean rank', fixed(p.rank, 2)]];

// Labels left and right; the outermost methods are the highest, so that lines do not cross.
function drawWide(root, width, d) {
  const {list, top} = d, n = list.length, half = Math.ceil(n / 2);
  const room = widest(list.map(p => p.name), width * 0.25) + 44, x = linear([1, n], [room, width - room]);
  putAxis(root, d, x, top + ROW * half);
  putGroups(root, d, x);
  list.forEach((p, i) => {
    const left = i < half, y = top + ROW * ((left ? i : n - 1 - i) + 0.5), at = x(p.rank), style = {style: `stroke:${p.colour}`};
    const end = left ? room - 40 : width - room + 40, text = fit(p.name, room - 50);
    root.append(line('rank', at, AXIS, at, y, style), line('rank', at, y, end, y, style),
      left ? label('end', end - 6, y + 4, text) : label('', end + 6, y + 4, text),
      label(left ? 'tick' : 'tick end', end, y - 4, fixed(p.rank, 2)), dot(at, AXIS, 5, p.colour, hint(p)));
  });
}

function drawNarrow(root, width, d) {
  const {list, top} = d, room = widest(list.map(p => p.name), width * 0.42) + 10, x = linear([1, list.length], [room, width - 44]);
  putAxis(root, d, x, top + ROW * list.length);
  putGroups(root, d, x);
  list.forEach((p, i) => {
    const y = top + ROW * (i + 0.5), at = x(p.rank);
    root.append(label('end', room - 10, y + 4, fit(p.name, room - 12)), line('rank', x(1), y, at, y, {style: `stroke:${p.colour}`}),
      label('tick', at + 9, y + 4, fixed(p.rank, 2)), dot(at, y, 5, p.colour, hint(p)));
  });
}

export function rankDiagram(g, k) {
  const list = ordered(g, k), cd = k.critical_difference, bounds = k.name === 'accuracy' && g.tests.permutation_bounds;
  if (!Number.isFinite(cd) || list.length < 2) return null;
  const groups = rankGroups(list, cd), d = {list, cd, bounds, groups, top: AXIS + 14 + BAR * groups.length};
  const words = 'A thick bar joins methods whose mean ranks do not differ significantly (Nemenyi). ' +
    (bounds ? 'If all methods were equal, all would lie within the shaded band (permutation bounds). ' : '') +
    `Friedman\u2019s test: p = ${show(k.friedman_p)}.`;
  const height = width => d.top + ROW * (width >= WIDE ? Math.ceil(list.length / 2) : list.length) + 8;
  return card(`Mean ranks by ${k.title} over ${k.datasets} data sets (1 is best)`, words,
    responsive({id: 'ranks', label: 'mean ranks with the critical difference', height},
      (root, width) => (width >= WIDE ? drawWide : drawNarrow)(root, width, d)));
}

export function winTable(g, k) {
  const list = ordered(g, k), names = list.map(p => p.name), sign = k.higher_is_better ? 1 : -1;
  if (list.length < 3 || k.datasets < 3) return null;
  const duel = (a, b) => {
    const by = g.sets.map((_, d) => [g.value(g.cell(d, a), k), g.value(g.cell(d, b), k)])
      .filter(pair => !pair.includes(null)).map(([x, y]) => sign * (x - y));
    const wins = by.filter(x => x > 1e-9).length, losses = by.filter(x => x < -1e-9).length;
    return {wins, losses, ties: by.length - wins - losses};
  };
  const of = list.map(a => list.map(b => duel(a.m, b.m)));
  return card(`Who beats whom, by ${k.title}`,
    'Data sets on which the method of the line is better than that of the column. Blue: more often better than worse.',
    heat({id: 'wins', down: names, across: names, most: 2 * g.sets.length, text: (_, i, j) => String(of[i][j].wins),
      at: (i, j) => i === j ? null : of[i][j].wins - of[i][j].losses || 1e-9,
      lines: (i, j) => [`${names[i]} against ${names[j]}`, ['better', of[i][j].wins], ['equal', of[i][j].ties], ['worse', of[i][j].losses]]}));
}
