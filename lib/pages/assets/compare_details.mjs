// compare_details.mjs - the tests of a comparison, and one method on one data set; g is what compare.mjs shares.
//
//   significance(g)   the section of the tests of accuracies, or of models on the same rows; false: there is none
//   details(g)        {element, go}: a section with menus, and go(data set, method), which chooses and shows one

import {make, name, clear} from './dom.mjs';
import {show} from './numbers.mjs';
import {section, card} from './layout.mjs';
import {table, confusion} from './tables.mjs';
import {swatch} from './colours.mjs';
import {cap} from './compare_marks.mjs';
import {missed} from './compare_tables.mjs';

const MOST_CLASSES = 40; // of a confusion matrix that is shown
const FEW_CLASSES = 6; // whose matrix stands beside the measures

// ---- significance ----

const number = (value, text) => ({value: value ?? Infinity, text: Number.isFinite(value) ? text ?? show(value) : ''});
const headsOf = (first, list) => [first, ...list.map(text => ({text, number: true}))];

function overall(g) {
  const t = g.tests, line = (title, letter, x, p) => [title, number(x, `${letter} = ${show(x, 4)}`), number(p)];
  if (!t.friedman) return t.note ? card('Over data sets', null, make('p', {}, t.note + '.')) : null;
  const rows = [
    line('Friedman', '\u03c7\u00b2', t.friedman.chi2, t.friedman.p),
    line('Iman and Davenport', 'F', t.iman_davenport.F, t.iman_davenport.p),
    line('Quade', 'F', t.quade.F, t.quade.p)];
  return card(`Over ${t.friedman.datasets} data sets: are all methods equal?`, null, table({id: 'tests', head: headsOf('test', ['statistic', 'p']), rows}));
}

function methodCell(g, text) {
  return {text: make('span', {}, swatch(g.colour(g.methods.indexOf(text))), name(text)), value: text};
}

// Saved models on the same rows, each against the first.
function sameRows(g) {
  const drawn = x => number(x.difference, `${show(x.difference)} (${show(x.low)} to ${show(x.high)})`);
  const heads = ['right by this one alone', 'by the first alone', 'McNemar p', 'log loss, difference', 'p', 'AUC, difference', 'p'];
  return ['The same test rows.', headsOf(g.thing, heads), g.tests.same_rows.map(r => [methodCell(g, r.method),
    r.mcnemar.only_other, r.mcnemar.only_first, number(r.mcnemar.p), drawn(r.log_loss), number(r.log_loss.p), drawn(r.auc), number(r.auc.p)])];
}

// Each method against the first, over the data sets.
function overSets(g) {
  const {record, wilcoxon, wilcoxon_holm: holm} = g.tests;
  const line = text => {
    const r = record[text], all = r.wins + r.ties + r.losses, better = r.significantly_better, worse = r.significantly_worse;
    return [methodCell(g, text), number(r.wins + r.ties / 2, `${r.wins}/${r.ties}/${r.losses}`), number(r.sign_p),
      number(better - worse, `${better}/${all - better - worse}/${worse}`), number((wilcoxon || {})[text]), number((holm || {})[text])];
  };
  return ['By accuracy. Significant: better, neither, worse, by the paired t-test on each data set. ' +
    'Holm p: Wilcoxon p adjusted for the number of comparisons.',
    headsOf('method', ['win/tie/loss', 'sign test p', 'significant', 'Wilcoxon p', 'Holm p']), g.methods.slice(1).map(line)];
}

// Each method against the first, over the folds of the only data set.
function overFolds(g) {
  return [`${g.tests.paired === 'plain' ? 'Paired' : 'Corrected resampled paired'} t-test over the folds. Holm p: adjusted for the number of methods.`,
    headsOf('method', ['difference, points', 'p', 'Holm p']),
    g.tests.paired_t.map(r => [methodCell(g, r.method), number(r.difference, show(100 * r.difference)), number(r.p), number(r.p_holm)])];
}

export function significance(g) {
  const t = g.tests, many = g.sets.length > 1;
  if (g.methods.length < 2) return false;
  const against = t.same_rows ? sameRows(g) : many ? overSets(g) : t.paired_t && t.paired_t.length ? overFolds(g) : null;
  const cards = [!t.same_rows && (many || !against) && overall(g), against && card(['Compared with ', name(g.methods[0])], against[0],
    table({id: 'rivals', sort: true, head: against[1], rows: against[2]}))].filter(Boolean);
  return cards.length > 0 && section('significance', 'Significance tests', t.same_rows ? null : 'Of accuracies.', ...cards);
}

// ---- one method on one data set ----

function measureCard(g, d, m, id) {
  const cell = g.cell(d, m), wide = !!cell.intervals, level = 100 * (1 - (g.tests.alpha || 0.05)), set = g.sets[d];
  const title = k => set.classes === 2 && /^(auc|average_precision)$/.test(k.name)
    ? make('span', {}, `${k.title} (`, name(set.positive), ')') : g.unit(k);
  const line = (text, value, interval = '') => [text, {text: value, value: 0}, ...wide ? [interval] : []];
  const rows = g.data.measures.filter(k => g.value(cell, k) !== null).map(k => {
    const pair = wide && cell.intervals[k.name];
    return line(title(k), g.text(g.value(cell, k), k), pair ? `${g.text(pair[0], k)} to ${g.text(pair[1], k)}` : '');
  });
  if (Number.isFinite(cell.baseline)) rows.splice(1, 0, line('baseline, %', (100 * cell.baseline).toFixed(2)));
  if (!cell.imported) for (const what of ['fit', 'predict']) rows.push(line(`seconds to ${what}`, show(cell[what + '_seconds'])));
  const head = headsOf('measure', ['value', ...wide ? [`${show(level)}\u2009% interval`] : []]);
  return card('Measures', null, table({id: 'measures' + id, head, rows}));
}

function classCard(cell, id) {
  const keys = ['precision', 'recall', 'f1', 'auc', 'average_precision'], none = missed(cell);
  const line = c => [{text: make('span', {}, name(c.class), none.includes(c.class) && make('b', {class: 'missed'}, '!')), value: c.class},
    number(c.support, show(c.support, 6)), number(c.predicted, show(c.predicted, 6)), ...keys.map(key => number(c[key], c[key]?.toFixed(3)))];
  return card('Classes', null, table({id: 'classes' + id, kind: 'narrow', sort: true, rows: cell.per_class.map(line),
    head: headsOf('class', ['support', 'predicted', 'precision', 'recall', 'F1', 'AUC', 'avg. prec.'])}));
}

function cellDetails(g, d, m) {
  const cell = g.cell(d, m), id = `-${d}-${m}`, n = cell.per_class ? cell.per_class.length : 0;
  if (cell.failure) return make('p', {class: 'warn'}, name(cell.failure));
  const measures = measureCard(g, d, m, id), classes = n > 0 && classCard(cell, id);
  const matrix = cell.confusion && n > 0 && n <= MOST_CLASSES && card('Confusion matrix',
    'Rows of all repeats. Colours: the share of the rows of the actual class.',
    confusion({id: 'confusion' + id, classes: cell.per_class.map(c => c.class), cells: cell.confusion}));
  const split = (...right) => make('div', {class: 'split full'}, measures, make('div', {class: 'stack'}, ...right));
  if (!classes) return measures;
  return n > FEW_CLASSES ? make('div', {class: 'stack'}, split(classes), matrix) : split(matrix, classes); // large matrices need the width
}

export function details(g) {
  const place = make('div', {id: 'cell'}), choice = (id, text, list) => {
    const menu = make('select', {id, onchange: () => put()}, ...list.map((t, i) => make('option', {value: i}, t)));
    return {menu, label: make('label', {}, text, menu)};
  };
  const sets = choice('pick-set', 'Data set', g.names), methods = choice('pick-method', cap(g.thing), g.methods);
  const put = () => clear(place, cellDetails(g, +sets.menu.value, +methods.menu.value));
  const element = section('cells', g.one ? 'Measures and classes' : 'One data set and method', g.data.folds > 1
    ? 'Measures are computed over all test rows of a repeat and averaged over the repeats; the accuracy is the mean over the folds.' : null,
  !g.one && make('div', {class: 'menu'}, sets.label, methods.label), place);
  put();
  return {element, go(d, m) {
    sets.menu.value = d;
    methods.menu.value = m;
    put();
    element.scrollIntoView({behavior: 'smooth'});
  }};
}
