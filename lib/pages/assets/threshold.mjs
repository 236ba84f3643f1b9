// threshold.mjs - two classes: the curves over all thresholds, and a panel in which a threshold and costs can be tried out.
//
//   countsAt(of, t)            {tp, fp, fn, tn} where the class is predicted from probability t on
//   figuresOf(counts, costs)      accuracy, precision, recall, ..., mean cost per row
//   cheapest(of, costs)        the threshold of the least mean cost
//   drawThreshold(page)           the card
//   curvePoints(of)            [{t, tp, fp, taken, recall, precision, alarm}], from the highest threshold on

import {make, name} from './dom.mjs';
import {show, percent, count, fixed, logarithmic, linear} from './numbers.mjs';
import {card} from './layout.mjs';
import {curve} from './plot.mjs';
import {corner} from './tables.mjs';
import {chip} from './context.mjs';

const share = (a, b) => b > 0 ? a / b : 0;

export function countsAt(of, t) {
  let lo = 0, hi = of.at.length; // the thresholds fall
  while (lo < hi) { const mid = (lo + hi) >> 1; if (of.at[mid] >= t) lo = mid + 1; else hi = mid; }
  const tp = lo ? of.tp[lo - 1] : 0, fp = lo ? of.fp[lo - 1] : 0;
  return {tp, fp, fn: of.positives - tp, tn: of.negatives - fp};
}

export function figuresOf({tp, fp, fn, tn}, costs) {
  const n = tp + fp + fn + tn;
  return {accuracy: share(tp + tn, n), precision: share(tp, tp + fp), recall: share(tp, tp + fn), f1: share(2 * tp, 2 * tp + fp + fn),
    specificity: share(tn, tn + fp), cost: share(tp * costs.tp + fp * costs.fp + fn * costs.fn + tn * costs.tn, n)};
}

export function cheapest(of, costs) {
  let best = Infinity, at = 1;
  for (const t of [1 + 1e-9, ...of.at]) {
    const {cost} = figuresOf(countsAt(of, t), costs);
    if (cost < best) { best = cost; at = t; }
  }
  return Math.min(at, 1);
}

export function curvePoints(c) {
  const n = c.positives + c.negatives;
  const list = [{t: 1, tp: 0, fp: 0}, ...c.at.map((t, k) => ({t, tp: c.tp[k], fp: c.fp[k]}))];
  return list.map(p => ({...p, taken: share(p.tp + p.fp, n), recall: share(p.tp, c.positives), alarm: share(p.fp, c.negatives),
    precision: p.tp + p.fp ? p.tp / (p.tp + p.fp) : 1}));
}

// Rare classes have their thresholds far below 1/2, so their axis is logarithmic.
function thresholdAxis(c) {
  const prior = share(c.positives, c.positives + c.negatives), least = c.at.filter(t => t > 0).pop() || 0.001;
  return prior < 0.1 ? {lo: Math.max(prior / 300, Math.min(least, 0.01)), hi: 1, log: true} : {lo: 0, hi: 1, log: false};
}

export function drawThreshold(page) {
  const c = page.data.curves[0], costs = {...page.data.costs}, axis = thresholdAxis(c), STEPS = 200;
  const one = page.classes[page.one], brief = page.short(page.one), zero = page.classes[page.zero], colour = page.colour(page.one);
  const slide = (axis.log ? logarithmic : linear)([axis.lo, axis.hi], [0, STEPS]), own = c.own ? c.own.threshold : 0.5;
  let t = own, asModel = true;
  const counts = () => asModel && c.own ? {tp: c.own.tp, fp: c.own.fp, fn: c.positives - c.own.tp, tn: c.negatives - c.own.fp}
    : countsAt(c, t);
  const number = make('input', {type: 'number', min: 0, max: 1, step: 'any', id: 't-number', 'aria-label': 'threshold'});
  const slider = make('input', {type: 'range', min: 0, max: STEPS, step: 1, id: 't-slider', 'aria-label': 'threshold'});
  const said = make('span', {class: 'soft', id: 't-said'});
  const cells = {}, out = {};
  const entry = key => {
    const input = make('input', {type: 'number', min: 0, step: 'any', id: `t-cost-${key}`, value: costs[key],
      'aria-label': 'cost of such a row',
      oninput: () => { costs[key] = +input.value || 0; put(); }});
    cells[key] = make('b', {id: `t-${key}`});
    return make('td', {class: key === 'tp' || key === 'tn' ? 'right' : 'wrong'}, cells[key], make('label', {}, 'cost each ', input));
  };
  const titles = {cost: 'mean cost per row', accuracy: 'accuracy', precision: 'precision', recall: 'recall', specificity: 'specificity',
    f1: 'F1'};
  const facts = make('dl', {class: 'facts'},
    ...Object.entries(titles).map(([key, text]) => make('div', {}, make('dt', {}, text), out[key] = make('dd', {id: `t-${key}`}))));
  const plots = make('div', {class: 'pairplots'});
  const cheap = make('button', {type: 'button', id: 't-best', onclick: () => set(cheapest(c, costs), false)}, 'Least cost');
  const points = curvePoints(c);

  function costPlot() {
    const list = points.map(p => [Math.max(p.t, axis.lo), figuresOf({tp: p.tp, fp: p.fp, fn: c.positives - p.tp, tn: c.negatives - p.fp},
      costs).cost, p]);
    const most = Math.max(...list.map(p => p[1])) || 1, at = figuresOf(counts(), costs).cost;
    return curve({id: 't-curve', label: 'mean cost by threshold', height: 240,
      x: {...axis, title: `predict ${brief} from this probability on`, text: v => show(v, axis.log ? 1 : 2)},
      y: {lo: 0, hi: most * 1.05, title: 'mean cost per row'}, marks: [{x: Math.max(t, axis.lo), y: at, colour}],
      series: [{colour, step: true,
        points: list.map(([x, y, p]) => [x, y, [['threshold', show(p.t, 3)], ['mean cost', show(y, 3)], ['found', count(p.tp)],
        ['false alarms', count(p.fp)]]])}]});
  }
  function gainPlot() {
    const now = counts(), n = c.positives + c.negatives;
    return curve({id: 't-gain', label: 'share of the class found among the rows taken', height: 240, diagonal: true,
      x: {lo: 0, hi: 1, title: 'share of all rows taken', text: v => percent(v, 0)},
        y: {lo: 0, hi: 1, title: `share of ${brief} found (gain)`, text: v => percent(v, 0)},
      marks: [{x: share(now.tp + now.fp, n), y: share(now.tp, c.positives), colour}],
      series: [{colour, area: true,
        points: points.map(p => [p.taken, p.recall, [['rows taken', `${count(p.tp + p.fp)} (${percent(p.taken)})`],
        ['found', `${count(p.tp)} (${percent(p.recall)})`],
        ['threshold', show(p.t, 3)], ['lift', p.taken ? show(p.recall / p.taken, 2) + '\u2009\u00d7' : '\u2013']]])}]});
  }
  let timer = null;
  function put() {
    const now = counts(), value = figuresOf(now, costs);
    for (const key in cells) {
      cells[key].textContent = count(now[key]);
      cells[key].parentNode.style.setProperty('--o', share(now[key], key === 'tp' || key === 'fn' ? c.positives : c.negatives).toFixed(3));
    }
    for (const key in out) { out[key].textContent = fixed(value[key], 4); out[key].dataset.value = value[key]; }
    said.textContent = asModel ? 'as the model decides' : 'chosen here';
    clearTimeout(timer);
    timer = setTimeout(() => plots.replaceChildren(costPlot(), gainPlot()), plots.firstChild ? 60 : 0);
  }
  function set(to, model) {
    t = to;
    asModel = model;
    number.value = +t.toPrecision(4);
    slider.value = Math.round(slide(Math.max(t, axis.lo)));
    put();
  }
  slider.addEventListener('input', () => { const at = slide.back(+slider.value); t = axis.log ? +at.toPrecision(2)
    : +at.toFixed(3); asModel = false; number.value = t; put(); });
  number.addEventListener('input',
    () => { t = +number.value; asModel = false; slider.value = Math.round(slide(Math.max(t, axis.lo))); put(); });
  const head = (text, scope) => make('th', {scope}, name(text));
  // The classes stand in the order of the confusion matrix.
  const grid4 = page.one < page.zero ? [['tp', 'fn'], ['fp', 'tn']] : [['tn', 'fp'], ['fn', 'tp']], names = page.one < page.zero
    ? [one, zero] : [zero, one];
  const panel = make('div', {class: 'split'},
    make('div', {}, make('div', {class: 'control'}, make('label', {for: 't-slider'}, 'Predict ', chip(page, page.one),
      ' from this probability on: ', said), slider, number),
      make('p', {class: 'buttons'}, make('button', {type: 'button', id: 't-own', onclick: () => set(own, true)}, 'As the model decides'),
        ' ', cheap),
      make('div', {class: 'scroll'}, make('table', {class: 'matrix costs', id: 't-matrix'},
        make('tr', {}, corner(), ...names.map(x => head(x, 'col'))),
        ...grid4.map((keys, i) => make('tr', {}, head(names[i], 'row'), ...keys.map(entry))))), facts),
    plots);
  const result = card(['When to predict ', name(one)], 'Try a threshold, and what errors cost: every cell has its own cost per row.',
    panel);
  result.id = 'threshold-panel';
  set(own, true);
  return result;
}
