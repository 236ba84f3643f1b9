// compare_tables.mjs - the table of a comparison; g is what compare.mjs shares, k a measure of the document.
//
//   resultTable(g, k, go)   data sets by methods; with one data set methods by measures. go(d, m): a cell is clicked
//   tableNotes(g, k)        what its signs mean: texts and nodes
//   missed(cell)            names of the classes of which no row is predicted right

import {make, name} from './dom.mjs';
import {show, count, fixed} from './numbers.mjs';
import {hover} from './tooltip.mjs';
import {swatch, tint} from './colours.mjs';

const DENSE = 9; // methods from which on the table shows fewer decimals and no deviations

export const missed = cell => (cell.per_class || []).filter(c => c.support > 0 && c.recall <= 0).map(c => c.class);

function warnMissed(cell) {
  const list = missed(cell);
  return list.length > 0 && hover(make('b', {class: 'missed', tabindex: 0}, '!'), ['no row is predicted right of class', ...list.slice(0, 8)]);
}

// One value; `among`: those that it is compared with.
function valueCell(g, d, m, k, {among, go, fewer = 0}) {
  const cell = g.cell(d, m), x = g.value(cell, k), own = among.filter(v => v !== null), low = Math.min(...own), high = Math.max(...own);
  if (cell.failure) return hover(make('td', {class: 'none'}, 'failed'), g.lines(d, m, k));
  if (x === null) return make('td', {class: 'none'});
  const share = high > low ? (k.higher_is_better ? x - low : high - x) / (high - low) : 0;
  const best = own.length > 1 && Math.abs(x - (k.higher_is_better ? high : low)) <= 1e-9;
  const attributes = {class: 'go', tabindex: 0, style: `background:${tint(0.5 * share, 1)}`, onclick: () => go(d, m),
    onkeydown: e => { if (e.key === 'Enter') go(d, m); }};
  return hover(make('td', attributes, make(best ? 'strong' : 'span', {}, g.text(x, k, fewer)),
    k.name === 'accuracy' && g.mark(d, m), warnMissed(cell),
    k.percent && !fewer && cell.per_fold.length > 1 && make('small', {}, ` \u00b1\u2009${g.text(cell.accuracy_sd, k)}`)), g.lines(d, m, k));
}

const frame = (k, label, kind, ...rows) => make('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label},
  make('table', {id: 'results', class: 'heat compare ' + kind, 'data-measure': k.name}, ...rows));

function setTable(g, k, go) {
  const turned = g.methods.length >= DENSE, fewer = turned ? 1 : 0, side = turned ? 'turn' : 'up';
  const base = g.sets.map((_, d) => g.methods.map((_, m) => g.cell(d, m).baseline).find(Number.isFinite));
  const shown = k.name === 'accuracy' && base.some(Number.isFinite);
  const head = (attributes, ...inside) => make('th', {scope: 'col', ...attributes}, make('span', {}, ...inside));
  const row = (_, d) => {
    const among = g.methods.map((_, m) => g.value(g.cell(d, m), k));
    return make('tr', {},
      make('th', {scope: 'row'}, name(g.names[d]), !turned && make('small', {}, ` ${count(g.sets[d].rows)} rows`)),
      ...g.methods.map((_, m) => valueCell(g, d, m, k, {among, go, fewer})), shown && make('td', {class: 'base'}, g.text(base[d], k, fewer)));
  };
  const means = (title, of, text) => make('tr', {class: 'mean'}, make('th', {scope: 'row'}, title),
    ...g.methods.map(m => make('td', {}, text(of[m]))), shown && make('td', {class: 'base'}));
  return frame(k, `${k.title} by data set and method`, turned ? 'dense' : '',
    make('tr', {}, make('th', {class: 'corner'}, g.unit(k)),
      ...g.methods.map((t, m) => head({class: side}, swatch(g.colour(m)), name(t))), shown && head({class: side + ' base'}, 'baseline')),
    ...g.sets.map(row),
    k.datasets > 1 && means('mean', k.mean, x => g.text(x, k, fewer)),
    k.datasets > 1 && g.methods.length > 1 && means('mean rank', k.mean_rank, x => x === null ? '' : fixed(x, 2 - fewer)));
}

// One data set: a line for each method, the best first, and a column for each measure.
function methodTable(g, k, go) {
  const all = g.data.measures, columns = all.map(q => g.methods.map((_, m) => g.value(g.cell(0, m), q))), by = columns[all.indexOf(k)];
  const order = g.methods.map((_, m) => m).sort((a, b) => by[a] === null ? 1 : by[b] === null ? -1 : (k.higher_is_better ? -1 : 1) * (by[a] - by[b]));
  const head = (text, chosen) => make('th', {scope: 'col', class: chosen ? 'up chosen' : 'up'}, text);
  return frame(k, 'measures of every method', '',
    make('tr', {}, make('th', {class: 'corner'}, g.thing), ...all.map(q => head(g.unit(q), q === k)), head('seconds')),
    ...order.map(m => make('tr', {}, make('th', {scope: 'row'}, swatch(g.colour(m)), name(g.methods[m])),
      ...all.map((q, i) => valueCell(g, 0, m, q, {among: columns[i], go})),
      make('td', {class: 'base'}, g.seconds(g.cell(0, m)) === null ? '' : show(g.seconds(g.cell(0, m)))))));
}

export const resultTable = (g, k, go) => (g.sets.length > 1 ? setTable : methodTable)(g, k, go);

export function tableNotes(g, k) {
  const several = g.methods.length > 1, folds = g.data.folds > 1, sets = g.sets.length > 1, list = [];
  if (several) list.push('Bold and underlined: the best. The stronger the colour, the better among the others. ');
  if (several && folds && (k.name === 'accuracy' || !sets)) list.push('+ and \u2212: accuracies significantly better and worse than ', name(g.methods[0]),
    ` (${g.tests.paired === 'plain' ? 'paired' : 'corrected resampled paired'} t-test, level ${show(g.tests.alpha)}). `);
  if (folds && (!sets || k.percent && g.methods.length < DENSE)) list.push('\u00b1: standard deviation over the folds. ');
  if (sets && k.name === 'accuracy') list.push('Baseline: always the most frequent class. ');
  if (g.sets.some((_, d) => g.methods.some((_, m) => missed(g.cell(d, m)).length))) list.push('!: no row of some class is predicted right. ');
  if (k.datasets > 1 && k.datasets < g.sets.length) list.push(`Means are over the ${k.datasets} data sets where every method has a figure. `);
  return [...list, 'A click on a cell shows its details.'];
}
