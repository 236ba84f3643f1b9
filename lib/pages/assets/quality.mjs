// quality.mjs - how good the predictions are.
//
//   drawQuality(page), drawWrong(page)        sections, or null

import {make, name} from './dom.mjs';
import {show, percent, count, fixed, chance} from './numbers.mjs';
import {card, section, grid} from './layout.mjs';
import {curve, scatter} from './plot.mjs';
import {confusion, table, bars} from './tables.mjs';
import {legend} from './colours.mjs';
import {chip, sentence, fallOf} from './context.mjs';
import {curvePoints, drawThreshold} from './threshold.mjs';

const HEIGHT = 268, unit = {lo: 0, hi: 1};

function confusionCard(page) {
  const c = page.data.confusion;
  if (!c) return null;
  const some = c.n_classes > c.classes.length ? `The ${c.classes.length} most frequent of ${c.n_classes} classes. ` : '';
  return card('Confusion matrix', some + 'Rows by actual and predicted class. Strong colours: a large share of the line.',
    confusion({id: 'confusion', classes: c.classes.map(k => page.classes[k]), cells: c.cells, total: c.rows}));
}

function measureCard(page) {
  const row = m => [make('span', {title: m.description}, m.title, ...m.class == null ? [] : [' (', name(page.classes[m.class]), ')']),
    {text: fixed(m.value, 4), value: m.value}];
  return card('Measures', null,
    table({id: 'measures', head: ['measure', {text: 'value', number: true}],
    rows: page.data.measures.filter(m => Number.isFinite(m.value)).map(row)}));
}

function shownCurves(page) {
  const list = page.data.curves;
  if (page.two) return list;
  const own = list.filter(c => page.picked.includes(c.class));
  return own.length ? own : list.slice(0, 1);
}

function rocCard(page) {
  const list = shownCurves(page);
  return card('ROC', ['Area under the curve: ', ...list.flatMap(c => [chip(page, c.class), make('b', {}, ' ' + fixed(c.auc, 3) + ' ')])],
    curve({id: 'roc', label: 'ROC curve', height: HEIGHT, diagonal: true, x: {...unit, title: 'share of other rows taken for it'},
      y: {...unit, title: 'share of its rows found'},
      marks: list.filter(c => c.own).map(c => ({x: c.own.fp / (c.negatives || 1), y: c.own.tp / (c.positives || 1),
        colour: page.colour(c.class)})),
      series: list.map(c => ({name: page.classes[c.class], colour: page.colour(c.class), points: curvePoints(c).map(p => [p.alarm, p.recall,
        [['threshold', show(p.t, 3)], ['found', `${count(p.tp)} (${percent(p.recall)})`],
          ['false alarms', `${count(p.fp)} (${percent(p.alarm)})`]]])}))}));
}

function precisionCard(page) {
  const list = shownCurves(page);
  const prior = c => c.positives / (c.positives + c.negatives), ready = list.filter(c => c.own && c.own.tp + c.own.fp > 0);
  const base = c => ({name: page.classes[c.class], colour: page.colour(c.class), dash: true,
    points: [0, 1].map(x => [x, prior(c), [['share of the class', percent(prior(c))]]])});
  const line = c => ({name: page.classes[c.class], colour: page.colour(c.class),
    points: curvePoints(c).slice(1).map(p => [p.recall, p.precision,
      [['threshold', show(p.t, 3)], ['precision', percent(p.precision)], ['recall', percent(p.recall)]]])});
  const means = list.flatMap(c => [chip(page, c.class), make('b', {}, ' ' + fixed(c.average_precision, 3) + ' ')]);
  return card('Precision and recall', ['Average precision: ', ...means, page.two && ' (dashed: guessing)'],
    curve({id: 'pr', label: 'precision-recall curve', height: HEIGHT, x: {...unit, title: 'recall'}, y: {...unit, title: 'precision'},
      marks: ready.map(c => ({x: c.own.tp / (c.positives || 1), y: c.own.tp / (c.own.tp + c.own.fp), colour: page.colour(c.class)})),
      series: list.flatMap(c => page.two ? [line(c), base(c)] : [line(c)])}));
}

function reliabilityCard(page) {
  const r = page.data.reliability;
  if (!r || !r.bins.length) return null;
  const top = Math.max(...r.bins.flatMap(b => [b.predicted, b.observed])), hi = top > 0.5 ? 1 : Math.min(1, 1.25 * top || 1);
  const what = r.class == null ? 'highest probability' : `probability of ${page.short(r.class)}`;
  return card('Can the probabilities be trusted?',
    'On the dashed line they come true as often as they say. Every dot stands for as many rows; bars are 95\u2009% intervals.',
    scatter({id: 'reliability', label: 'reliability diagram', height: HEIGHT, diagonal: true,
      x: {lo: 0, hi, title: `predicted ${what}`, text: v => percent(v, hi < 0.1 ? 1 : 0)},
      y: {lo: 0, hi, title: 'observed share', text: v => percent(v, hi < 0.1 ? 1 : 0)},
        points: r.bins.map(b => ({x: b.predicted, y: b.observed, low: Math.max(0, b.low), high: Math.min(hi, b.high),
        colour: r.class == null ? 'var(--up)' : page.colour(r.class),
          lines: [['predicted', percent(b.predicted)], ['observed', percent(b.observed)],
          ['95\u2009% interval', `${percent(b.low)} to ${percent(b.high)}`], ['rows', count(b.rows)]]}))}));
}

function scoresCard(page) {
  const s = page.data.scores;
  if (!s) return null;
  const two = s.kind === 'classes', kinds = two ? [page.classes[page.one], page.classes[page.zero]]
    : ['predicted right', 'predicted wrong'];
  const colours = two ? [page.colour(page.one), page.colour(page.zero)] : ['var(--up)', 'var(--down)'],
    top = Math.max(...s.first, ...s.second);
  const steps = list => list.flatMap((v, k) => [[k / 20, v], [(k + 1) / 20, v]]).map(([x, v], k) => [x, v,
    [['probability', `${(k >> 1) / 20} to ${((k >> 1) + 1) / 20}`], ['share of these rows', percent(v)]]]);
  return card(two ? 'Probabilities by actual class' : 'Probabilities of right and wrong predictions',
    [legend(kinds.map((text, k) => ({colour: colours[k], name: text})))],
    curve({id: 'scores', label: 'distribution of the probabilities', height: HEIGHT - 6,
      x: {...unit, title: two ? `predicted probability of ${page.short(page.one)}` : 'highest probability'},
      y: {lo: 0, hi: 1.05 * top || 1, title: 'share of the rows', text: v => percent(v, 0)},
        series: [s.first, s.second].map((list, k) => ({name: kinds[k], colour: colours[k], area: true, points: steps(list)}))}));
}

function classCard(page, many) {
  const head = ['class', ...['rows', 'predicted', 'precision', 'recall', 'F1', 'AUC'].map(text => ({text, number: true}))];
  const f = v => ({text: fixed(v, 3), value: v ?? -1});
  return card('Classes', 'Click a head to sort.',
    table({id: 'per-class', head, sort: true, kind: many && 'tall', rows: page.data.per_class.map(c => [
    {text: chip(page, c.class), value: page.classes[c.class]}, {text: count(c.support), value: c.support},
      {text: count(c.predicted), value: c.predicted}, f(c.precision), f(c.recall), f(c.f1), f(c.auc)])}));
}

function confusedCard(page, many) {
  const list = page.data.confusions;
  if (!list.length) return null;
  return card('Most frequent confusions', null, bars({id: 'worst', head: 'rows', shown: many ? 15 : 8, format: count, rows: list.map(c => ({
    name: make('span', {}, name(page.classes[c.actual]), ' \u2192 ', name(page.classes[c.predicted])), value: c.rows, colour: 'var(--down)',
    lines: [`${page.classes[c.actual]} predicted ${page.classes[c.predicted]}`, ['rows', count(c.rows)],
      [`of ${page.classes[c.actual]}`, percent(c.share)]]}))}));
}

export function drawQuality(page) {
  const {data} = page;
  if (!data.source || !data.confusion) return null;
  const many = data.confusion.classes.length > 8;
  const replaced = make_ => { // curves of the picked classes are drawn again when others are picked
    let own = make_(page);
    if (!page.two) page.onPick(() => { const next = make_(page); next.style.cssText = own.style.cssText; own.replaceWith(next); own = next; });
    return own;
  };
  const rows = [];
  if (many) rows.push(confusionCard(page), grid(400, ...[classCard(page, true), confusedCard(page, true)].filter(Boolean)));
  else if (!page.two) rows.push(grid(400, confusionCard(page), classCard(page)));
  if (page.two && data.costs && data.curves.length) rows.push(drawThreshold(page));
  rows.push(grid(320, ...[!many && page.two ? confusionCard(page) : null, measureCard(page), reliabilityCard(page), scoresCard(page),
    !many && !page.two ? confusedCard(page) : null,
    ...data.curves.length ? [replaced(rocCard), replaced(precisionCard)] : []].filter(Boolean)));
  return section('quality', 'How good it is', ['Predictions compared with the actual classes, ', ...sentence(data.source), '.'], ...rows);
}

export function drawWrong(page) {
  const {data} = page, {wrong} = data;
  if (!wrong || !wrong.list.length) return null;
  const folds = data.source && data.source.kind === 'folds', detail = make('div', {class: 'detail', 'aria-live': 'polite'});
  const tell = w => {
    const text = make('p', {}, `Row ${w.row}: actual `, chip(page, w.actual), ', predicted ', chip(page, w.predicted),
      ` with probability ${chance(w.p)}`, folds ? ' in cross-validation. ' : '. ');
    const sum = w.fall && (w.fall.a === w.predicted ? w.fall.p : page.two ? 1 - w.fall.p : null);
    const differ = sum !== null && Math.abs(sum - w.p) > 0.005;
    const word = differ ? make('p', {class: 'soft'}, folds ? 'The evidence below is that of the model of all rows, which gives '
      : 'The sum below gives ', chip(page, w.predicted), ` the probability ${chance(sum)}.`) : '';
    detail.replaceChildren(text, word, w.fall ? fallOf(page, w.fall) : make('p', {class: 'soft'},
      data.model.additive ? 'The model never predicts one of the two classes.' : 'The score of this method is not a sum over attributes.'));
  };
  const head = [{text: 'row', number: true}, 'actual', 'predicted', {text: 'probability', number: true}];
  const list = table({id: 'wrong-list', head, kind: 'choose',
    rows: wrong.list.map(w => Object.assign([String(w.row), chip(page, w.actual), chip(page, w.predicted), {text: chance(w.p), value: w.p}],
    {w})), go: r => tell(r.w)});
  tell(wrong.list[0]);
  return section('wrong', 'Most confident errors',
    `${count(wrong.n)} of ${count(wrong.rows)} rows are predicted wrong (${percent(wrong.n / wrong.rows)}).`,
    card(null, null, make('div', {class: 'split'}, make('div', {}, make('p', {class: 'sub'}, 'Choose one to see its evidence.'), list),
      detail)));
}
