// Counts, figures and costs at a threshold, against the rows themselves.
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {countsAt, figuresOf, cheapest, curvePoints} from '../../lib/pages/assets/threshold.mjs';
import {sliderStep} from '../../lib/pages/assets/whatif.mjs';

const rows = Array.from({length: 200}, (_, k) => ({p: ((k * 37) % 101) / 101, y: (k * 53 % 97) / 97 < ((k * 37) % 101) / 101}));
const at = [...new Set(rows.map(r => r.p))].sort((a, b) => b - a);
const number = (t, y) => rows.filter(r => r.p >= t && r.y === y).length;
const curve = {at, tp: at.map(t => number(t, true)), fp: at.map(t => number(t, false)), positives: number(-1, true), negatives: number(-1, false)};

test('counts at every threshold are those of the rows', () => {
  for (const t of [0, 1e-9, 0.25, 0.5, 0.77, 1, 1.1, ...at])
    assert.deepEqual(countsAt(curve, t), {tp: number(t, true), fp: number(t, false), fn: curve.positives - number(t, true), tn: curve.negatives - number(t, false)});
});

test('figures, also where nothing is predicted', () => {
  const f = figuresOf({tp: 6, fp: 2, fn: 4, tn: 8}, {tp: 0, fp: 1, fn: 5, tn: 0});
  assert.deepEqual(f, {accuracy: 0.7, precision: 0.75, recall: 0.6, f1: 12 / 18, specificity: 0.8, cost: 22 / 20});
  assert.equal(figuresOf({tp: 0, fp: 0, fn: 4, tn: 8}, {tp: 0, fp: 1, fn: 1, tn: 0}).precision, 0);
});

test('no threshold is cheaper than the cheapest', () => {
  for (const [fp, fn] of [[1, 1], [1, 20], [20, 1], [0, 1], [1, 0]]) {
    const costs = {tp: 0, fp, fn, tn: 0}, best = figuresOf(countsAt(curve, cheapest(curve, costs)), costs).cost;
    for (const t of [0, ...at]) assert.ok(figuresOf(countsAt(curve, t), costs).cost >= best - 1e-12, `${fp} ${fn} ${t}`);
  }
});

test('the points of the curves begin with no row and end with all', () => {
  const points = curvePoints(curve), last = points[points.length - 1];
  assert.deepEqual([points[0].taken, points[0].recall, points[0].alarm], [0, 0, 0]);
  assert.deepEqual([last.taken, last.recall, last.alarm], [1, 1, 1]);
});

test('sliders step in sensible units', () => {
  assert.equal(sliderStep({least: 19, most: 75, decimals: 0}), 1);
  assert.equal(sliderStep({least: 250, most: 18424, decimals: 0}), 100);
  assert.equal(sliderStep({least: 0.1, most: 2.5, decimals: 1}), 0.1);
  assert.equal(sliderStep({least: 0, most: 1, decimals: null}), 0.005);
  assert.equal(sliderStep({least: 3, most: 3, decimals: 0}), 1);
});
