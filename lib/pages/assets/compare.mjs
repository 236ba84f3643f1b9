// compare.mjs - the page of a comparison of methods, drawn from the document of `heft evaluate --json`.
//
//   drawComparison(data, main)   a menu chooses the measure; all below it is drawn again for another one

import {make, name, clear, byId} from './dom.mjs';
import {show, count} from './numbers.mjs';
import {hover} from './tooltip.mjs';
import {section, card, grid} from './layout.mjs';
import {table, confusion} from './tables.mjs';
import {colour, legend, swatch, tint} from './colours.mjs';
import {cap, rankDiagram, setPlot, timePlot, winTable, stageCurves} from './compare_plots.mjs';

const DENSE = 9; // methods from which on a table shows fewer decimals and no deviations

// What the parts of the page share: methods, data sets, and the cell of each at the stage that the headline is about.
function comparison(data) {
  const stageOf = x => JSON.stringify([x.noise, x.learn, x.dimensions]), full = stageOf(data.summary), sets = data.datasets;
  const methods = [...new Set(sets.flatMap(s => s.methods.map(m => m.method)))];
  const cells = sets.map(s => new Map(s.methods.map(m => [stageOf(m) + m.method, m])));
  const tests = data.summary.tests || {};
  const marks = new Map((tests.paired_t || []).filter(t => t.significant)
    .map(t => [t.dataset + '\n' + t.method, t.difference > 0 ? '+' : '\u2212']));
  const g = {data, sets, methods, tests, full, stageOf, colour, names: sets.map(s => s.name),
    thing: data.split === 'models' ? 'model' : 'method',
    cell: (d, m, stage = full) => cells[d].get(stage + methods[m]) || {failure: 'not computed'},
    mark: (d, m) => marks.get(sets[d].name + '\n' + methods[m]) || '',
    value: (cell, k) => cell.failure || !Number.isFinite(cell[k.name]) ? null : cell[k.name],
    text: (x, k, fewer = 0) => x === null || !Number.isFinite(x) ? '' : k.percent ? (100 * x).toFixed(k.decimals - fewer) : x.toFixed(k.decimals - fewer),
    unit: k => k.percent ? `${k.title}, %` : k.title, plain: (x, k) => k.percent ? 100 * x : x};
  g.lines = (d, m, k) => {
    const c = g.cell(d, m), x = g.value(c, k);
    return [`${methods[m]} on ${g.names[d]}`, ...c.failure ? [c.failure] : [[k.title, x === null ? '\u2013' : g.text(x, k) + (k.percent ? '\u2009%' : '')],
      ...k.percent && c.per_fold.length > 1 ? [['deviation over folds', g.text(c.accuracy_sd, k)]] : [],
      ...c.imported ? [] : [['seconds', show(c.fit_seconds + c.predict_seconds)]]]];
  };
  return g;
}

function headlineCard(g, k) {
  const pairs = [];
  for (let i = 0; i < k.figures.length; i += 2) pairs.push(make('div', {class: 'figure'}, make('div', {class: 'big'}, k.figures[i]), make('p', {}, k.figures[i + 1])));
  return make('div', {class: 'card headline', id: 'headline'}, make('div', {class: 'figures'}, ...pairs), make('div', {class: 'words'},
    ...k.text.map((t, i) => make('p', {class: i ? undefined : 'first'}, t)),
    make('p', {class: 'soft'}, `${k.higher_is_better ? 'Higher' : 'Lower'} is better. ${cap(k.title)}: ${k.description}.`)));
}

// ---- data sets and methods ----

const missed = cell => (cell.per_class || []).filter(c => c.support > 0 && c.recall <= 0).map(c => c.class);

function warnMissed(cell) {
  const list = missed(cell);
  return list.length > 0 && hover(make('b', {class: 'missed', tabindex: 0}, '!'), ['no row is predicted right of class', ...list.slice(0, 8)]);
}

function bestOf(values, k) {
  const own = values.filter(x => x !== null), most = k.higher_is_better ? Math.max(...own) : Math.min(...own);
  return own.length > 1 ? x => x !== null && Math.abs(x - most) <= 1e-9 : () => false;
}

// A cell of the table; `among`: the values it is compared with.
function valueCell(g, d, m, k, among, go, fewer = 0) {
  const cell = g.cell(d, m), x = g.value(cell, k), own = among.filter(v => v !== null);
  const low = Math.min(...own), high = Math.max(...own), share = high > low ? (x - low) / (high - low) : 0;
  if (cell.failure) return hover(make('td', {class: 'none'}, 'failed'), g.lines(d, m, k));
  if (x === null) return make('td', {class: 'none'});
  const best = bestOf(among, k)(x), deviation = k.percent && !fewer && cell.per_fold.length > 1;
  return hover(make('td', {class: 'go', tabindex: 0, onclick: () => go(d, m), onkeydown: e => { if (e.key === 'Enter') go(d, m); },
    style: `background:${tint(0.5 * (k.higher_is_better ? share : 1 - share), 1)}`}, make(best ? 'strong' : 'span', {}, g.text(x, k, fewer)),
  k.name === 'accuracy' && g.mark(d, m), warnMissed(cell), deviation && make('small', {}, ` \u00b1\u2009${g.text(cell.accuracy_sd, k)}`)), g.lines(d, m, k));
}

const methodHead = (g, m, turned) => make('th', {scope: 'col', class: turned ? 'turn' : 'up'}, make('span', {}, swatch(g.colour(m)), name(g.methods[m])));

function setTable(g, k, go) {
  const turned = g.methods.length >= DENSE, baseline = k.name === 'accuracy' && g.sets.some((_, d) => g.methods.some((_, m) => Number.isFinite(g.cell(d, m).baseline)));
  const base = d => g.methods.map((_, m) => g.cell(d, m).baseline).find(Number.isFinite);
  const row = (_, d) => {
    const among = g.methods.map((_, m) => g.value(g.cell(d, m), k));
    return make('tr', {}, make('th', {scope: 'row'}, name(g.names[d]), !turned && make('small', {}, ` ${count(g.sets[d].rows)} rows`)),
      ...g.methods.map((_, m) => valueCell(g, d, m, k, among, go, turned ? 1 : 0)), baseline && make('td', {class: 'base'}, g.text(base(d), k, turned ? 1 : 0)));
  };
  const means = (title, of, text) => make('tr', {class: 'mean'}, make('th', {scope: 'row'}, title), ...g.methods.map(m => make('td', {}, text(of[m]))), baseline && make('td', {class: 'base'}));
  return make('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `${k.title} by data set and method`},
    make('table', {id: 'results', class: turned ? 'heat compare dense' : 'heat compare', 'data-measure': k.name},
      make('tr', {}, make('th', {class: 'corner'}, g.unit(k)), ...g.methods.map((_, m) => methodHead(g, m, turned)), baseline && make('th', {scope: 'col', class: turned ? 'turn base' : 'up base'}, make('span', {}, 'baseline'))),
      ...g.sets.map(row), k.datasets > 1 && means('mean', k.mean, x => g.text(x, k, turned ? 1 : 0)),
      k.datasets > 1 && g.methods.length > 1 && means('mean rank', k.mean_rank, x => x === null ? '' : x.toFixed(turned ? 1 : 2))));
}

// One data set: a line for each method, a column for each measure.
function methodTable(g, k, go) {
  const all = g.data.measures, among = new Map(all.map(q => [q, g.methods.map((_, m) => g.value(g.cell(0, m), q))]));
  const order = g.methods.map((_, m) => m).sort((a, b) => {
    const x = among.get(k)[a], y = among.get(k)[b];
    return x === null ? 1 : y === null ? -1 : k.higher_is_better ? y - x : x - y;
  });
  return make('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'measures of every method'},
    make('table', {id: 'results', class: 'heat compare', 'data-measure': k.name},
      make('tr', {}, make('th', {class: 'corner'}, g.thing), ...all.map(q => make('th', {scope: 'col', class: q === k ? 'up chosen' : 'up'}, g.unit(q))), make('th', {scope: 'col', class: 'up'}, 'seconds')),
      ...order.map(m => make('tr', {}, make('th', {scope: 'row'}, swatch(g.colour(m)), name(g.methods[m])), ...all.map(q => {
        const cell = valueCell(g, 0, m, q, among.get(q), go);
        cell.classList.toggle('chosen', q === k);
        return cell;
      }), make('td', {class: 'base'}, g.cell(0, m).failure || g.cell(0, m).imported ? '' : show(g.cell(0, m).fit_seconds + g.cell(0, m).predict_seconds))))));
}

function tableNotes(g, k) {
  const several = g.methods.length > 1, folds = g.data.folds > 1, list = [];
  if (several) list.push('Bold and underlined: the best. The stronger the colour, the better among the others. ');
  if (k.name === 'accuracy' && several && folds) list.push('+ and \u2212: significantly better and worse than ', name(g.methods[0]),
    ` (${g.tests.paired === 'plain' ? 'paired' : 'corrected resampled paired'} t-test, level ${show(g.tests.alpha)}). `);
  if (k.percent && folds && g.methods.length < DENSE) list.push('\u00b1: standard deviation over the folds. ');
  if (g.sets.length > 1 && k.name === 'accuracy') list.push('Baseline: always the most frequent class. ');
  if (g.sets.some((_, d) => g.methods.some((_, m) => missed(g.cell(d, m)).length))) list.push('!: no row of some class is predicted right. ');
  if (k.datasets > 1 && k.datasets < g.sets.length) list.push(`Means are over the ${k.datasets} data sets where every method has a figure. `);
  return [...list, `A click on a cell shows its details.`];
}

// ---- significance ----

const cellP = x => ({text: Number.isFinite(x) ? show(x) : '', value: x ?? Infinity});
const numberHead = text => ({text, number: true});

function overall(g) {
  const t = g.tests, line = (title, letter, x, p) => [title, {text: Number.isFinite(x) ? `${letter} = ${show(x, 4)}` : ''}, cellP(p)];
  if (!t.friedman) return t.note ? card('Over data sets', null, make('p', {}, t.note + '.')) : null;
  return card(`Over ${t.friedman.datasets} data sets: are all methods equal?`, null, table({id: 'tests', head: ['test', numberHead('statistic'), numberHead('p')],
    rows: [line('Friedman', '\u03c7\u00b2', t.friedman.chi2, t.friedman.p), line('Iman and Davenport', 'F', t.iman_davenport.F, t.iman_davenport.p),
      line('Quade', 'F', t.quade.F, t.quade.p)]}));
}

const named = (g, m) => make('span', {}, swatch(g.colour(m)), name(g.methods[m]));
const sortable = (g, m) => ({text: named(g, m), value: g.methods[m]});

function rivals(g) {
  const t = g.tests, others = g.methods.map((_, m) => m).slice(1), first = ['compared with ', name(g.methods[0])];
  const drawn = x => ({text: Number.isFinite(x.difference) ? `${x.difference.toFixed(4)} (${x.low.toFixed(4)} to ${x.high.toFixed(4)})` : '', value: x.difference});
  if (t.same_rows) return card(first, 'The same test rows.', table({id: 'rivals', sort: true, head: [g.thing, ...['right by this one alone', 'by the first alone', 'McNemar p', 'log loss, difference', 'p', 'AUC, difference', 'p'].map(numberHead)],
    rows: t.same_rows.map(r => [sortable(g, g.methods.indexOf(r.method)), r.mcnemar.only_other, r.mcnemar.only_first, cellP(r.mcnemar.p), drawn(r.log_loss), cellP(r.log_loss.p), drawn(r.auc), cellP(r.auc.p)])}));
  if (g.sets.length > 1) return card(first, 'By accuracy. Significant: better, neither, worse, by the paired t-test on each data set. Holm p: Wilcoxon p adjusted for the number of comparisons.',
    table({id: 'rivals', sort: true, head: ['method', ...['win/tie/loss', 'sign test p', 'significant', 'Wilcoxon p', 'Holm p'].map(numberHead)],
      rows: others.map(m => {
        const r = t.record[g.methods[m]], all = r.wins + r.ties + r.losses, b = r.significantly_better, w = r.significantly_worse;
        return [sortable(g, m), {text: `${r.wins}/${r.ties}/${r.losses}`, value: r.wins + r.ties / 2}, cellP(r.sign_p), {text: `${b}/${all - b - w}/${w}`, value: b - w},
          cellP((t.wilcoxon || {})[g.methods[m]]), cellP((t.wilcoxon_holm || {})[g.methods[m]])];
      })}));
  if (!t.paired_t || !t.paired_t.length) return null;
  return card(first, `${t.paired === 'plain' ? 'Paired' : 'Corrected resampled paired'} t-test over the folds; Holm p: adjusted for the number of methods.`, table({id: 'rivals', sort: true,
    head: ['method', numberHead('difference, points'), numberHead('p'), numberHead('Holm p')], rows: t.paired_t.map(r => [sortable(g, g.methods.indexOf(r.method)), {text: show(100 * r.difference), value: r.difference}, cellP(r.p), cellP(r.p_holm)])}));
}

function significance(g) {
  const cards = g.methods.length > 1 ? [!g.tests.same_rows && overall(g), rivals(g)].filter(Boolean) : [];
  return cards.length > 0 && section('significance', 'Significance tests', g.tests.same_rows ? null : 'Of accuracies.', ...cards);
}

// ---- one method on one data set ----

function measureTable(g, d, m, id) {
  const cell = g.cell(d, m), intervals = cell.intervals || {}, wide = !!cell.intervals, level = 100 * (1 - (g.tests.alpha || 0.05));
  const of = k => g.sets[d].classes === 2 && /^(auc|average_precision)$/.test(k.name) ? make('span', {}, `${k.title} (`, name(g.sets[d].positive), ')') : g.unit(k);
  const number = (x, text) => ({text, value: x});
  const rows = g.data.measures.filter(k => g.value(cell, k) !== null).map(k => {
    const x = g.value(cell, k), pair = intervals[k.name];
    return [of(k), number(x, g.text(x, k)), ...wide ? [pair ? `${g.text(pair[0], k)} to ${g.text(pair[1], k)}` : ''] : []];
  });
  if (Number.isFinite(cell.baseline)) rows.splice(1, 0, ['baseline, %', number(0, (100 * cell.baseline).toFixed(2)), ...wide ? [''] : []]);
  if (!cell.imported) for (const what of ['fit', 'predict']) rows.push([`seconds to ${what}`, number(0, show(cell[what + '_seconds'])), ...wide ? [''] : []]);
  return card('Measures', null, table({id: 'measures' + id, head: ['measure', numberHead('value'), ...wide ? [numberHead(`${show(level)}\u2009% interval`)] : []], rows}));
}

function classTable(cell, id) {
  const few = ['precision', 'recall', 'f1', 'auc', 'average_precision'];
  return card('Classes', null, table({id: 'classes' + id, sort: true, head: ['class', ...['support', 'predicted', 'precision', 'recall', 'F1', 'AUC', 'avg. precision'].map(numberHead)],
    rows: cell.per_class.map(c => [{text: make('span', {}, name(c.class), c.support > 0 && c.recall <= 0 && make('b', {class: 'missed'}, '!')), value: c.class},
      {text: show(c.support, 6), value: c.support}, {text: show(c.predicted, 6), value: c.predicted},
      ...few.map(key => ({text: Number.isFinite(c[key]) ? c[key].toFixed(4) : '', value: c[key] ?? -1}))])}));
}

function cellDetails(g, d, m) {
  const cell = g.cell(d, m), id = `-${d}-${m}`, matrix = cell.confusion && cell.per_class && cell.confusion.length <= 40;
  if (cell.failure) return [make('p', {class: 'warn'}, name(cell.failure))];
  const beside = [matrix && card('Confusion matrix', 'Rows of all repeats. Colours: the share of the rows of the actual class.',
    confusion({id: 'confusion' + id, classes: cell.per_class.map(c => c.class), cells: cell.confusion})), cell.per_class && classTable(cell, id)].filter(Boolean);
  return [grid(440, measureTable(g, d, m, id), ...beside.length ? [make('div', {class: 'stack'}, ...beside)] : [])];
}

function details(g) {
  const place = make('div', {id: 'cell'}), choice = (id, label, list) => make('label', {}, label + ' ', make('select', {id, onchange: () => put()}, ...list.map((t, i) => make('option', {value: i}, t))));
  const bar = make('div', {class: 'menu'}, choice('pick-set', 'Data set', g.names), choice('pick-method', cap(g.thing), g.methods));
  const [sets, methods] = bar.querySelectorAll('select');
  const put = () => clear(place, cellDetails(g, +sets.value, +methods.value));
  const one = g.methods.length * g.sets.length === 1;
  const element = section('cells', one ? 'Measures and classes' : 'One data set and method', g.data.folds > 1
    ? 'Measures are computed over all test rows of a repeat and averaged over the repeats; the accuracy is the mean over the folds.' : null, !one && bar, place);
  put();
  return {element, go(d, m) { sets.value = d; methods.value = m; put(); element.scrollIntoView({behavior: 'smooth'}); }};
}

// ---- the page ----

function plots(g, k) {
  const cards = [setPlot(g, k), timePlot(g, k)].filter(Boolean), wins = winTable(g, k);
  if (!cards.length) return null;
  const tall = (g.sets.length > 1 ? g.sets.length : g.methods.length) > 14;
  return section('plots', 'Plots', null, g.methods.length > 1 && legend(g.methods.map((t, m) => ({colour: g.colour(m), name: t}))),
    tall ? make('div', {class: 'stack'}, ...cards) : grid(420, ...cards), wins);
}

export function drawComparison(data, main) {
  const g = comparison(data), one = g.methods.length * g.sets.length === 1, view = make('div', {id: 'view'}), detail = details(g);
  const when = main.querySelector('time'), menu = make('select', {id: 'measure', onchange: () => put()}, ...data.measures.map(k => make('option', {value: k.name}, k.title)));
  const put = () => {
    const k = data.measures.find(q => q.name === menu.value) || data.measures[0];
    const ranks = rankDiagram(g, k);
    clear(view, headlineCard(g, k), ranks && section('standing', 'Mean ranks', null, ranks),
      !one && section('table', g.sets.length > 1 ? 'Data sets and methods' : 'Methods', null, g.sets.length > 1 ? setTable(g, k, detail.go) : methodTable(g, k, detail.go), make('p', {class: 'sub'}, ...tableNotes(g, k))),
      stageCurves(g, k), !one && plots(g, k));
  };
  clear(main, make('header', {}, make('p', {class: 'over'}, 'Comparison of methods', ...when ? [' \u00b7 ', when] : []), make('h1', {}, data.title), ...data.how.map(t => make('p', {class: 'lead'}, t))),
    data.measures.length > 1 && make('div', {class: 'menu', id: 'choose'}, make('label', {}, 'Measure ', menu)), view, significance(g), detail.element);
  put();
  addEventListener('pageshow', () => { if (view.querySelector('[data-measure]')?.dataset.measure !== menu.value) put(); }); // the browser may restore a choice
  if (location.hash && byId(location.hash.slice(1))) byId(location.hash.slice(1)).scrollIntoView();
}
