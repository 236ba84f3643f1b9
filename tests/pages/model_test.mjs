// The score in the page: sums worked out by hand, changes against whole evaluations, and flips against brute force.
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {model} from '../../lib/pages/assets/model.mjs';
import {flips, sizeOf} from '../../lib/pages/assets/flip.mjs';
import {upperTail} from '../../lib/pages/assets/densities.mjs';
import {unpack} from '../../lib/pages/assets/arrays.mjs';

const same = (a, b, what) => assert.ok(Math.abs(a - b) < 1e-12, `${what}: ${a} is not ${b}`);

// Arrays as the page holds them: integers of one byte, doubles.
function packed(lists) {
  const arrays = {}, bytes = [];
  for (const [name, list] of Object.entries(lists)) {
    const wide = list instanceof Float64Array;
    arrays[name] = [wide ? 'd' : '1', bytes.length, list.length, 0];
    bytes.push(...wide ? new Uint8Array(list.buffer) : list);
  }
  return {arrays, bytes: btoa(String.fromCharCode(...bytes))};
}

// Three classes; a nominal attribute of three values, a number with cuts at 1 and 2, a number with normal densities, and a
// table of the first two together.
const TABLE = Array.from({length: 8 * 3}, (_, k) => Math.sin(7 * k)), CELLS = Array.from({length: 9 * 3}, (_, k) => Math.cos(3 * k));
const NORMAL = [-0.2, 0.1, 0.3, 0, 1, 2, 1, 0.5, 2, 0.5, 0.5, 0.5];
function three(more) {
  const none = new Float64Array(0);
  return {attributes: [{}, {}, {}], model: {classes: ['a', 'b', 'c']}, whatif: {start: [-1, -0.5, -2], columns: 3, differences: false, decision: 0, ...more, ...packed({
    kind: [1, 2, 0], term: [1, 1, 2], lines: [4, 4, 0], n_cuts: [0, 2, 0], missing: [3, 3, 0], unseen: [3, 3, 0], table: new Float64Array(TABLE),
    cuts: new Float64Array([1, 2]), normal: new Float64Array(NORMAL), moments: none, precision: none, points: [], kernel: none,
    views: [1, 1, 0], view: [3, 0, 1, 2, 0, 3, 0, 1, 2, 0], joint: [2, 0, 0, 1, 0, 9, 0], keys: none, cells: new Float64Array(CELLS)})}};
}
function byHand([v, x, z]) {
  const one = v === null || v < 0 ? 3 : v, two = x === null ? 3 : x > 2 ? 2 : x > 1 ? 1 : 0, cell = (one === 3 ? 0 : one) * 3 + (two === 3 ? 0 : two);
  const score = [-1, -0.5, -2].map((s, c) => s + TABLE[one * 3 + c] + TABLE[(4 + two) * 3 + c] + CELLS[cell * 3 + c] +
    (z === null ? 0 : NORMAL[c] - NORMAL[9 + c] * ((z - NORMAL[3 + c]) * NORMAL[6 + c]) ** 2));
  const sum = score.reduce((s, t) => s + Math.exp(t), 0);
  return score.map(s => Math.exp(s) / sum);
}
const ROWS = [[0, 0.5, 0.3], [1, 1.5, -2], [2, 2.5, 4], [null, 1, null], [-1, null, 1], [1, 2, 0]];

test('probabilities are those worked out by hand', () => {
  const net = model(three());
  for (const row of ROWS) net.probabilities(net.evidence(row).score).forEach((p, c) => same(p, byHand(row)[c], `${row}, class ${c}`));
});

test('evidence of the attributes and of the pair adds up to the log-odds', () => {
  const net = model(three());
  for (const row of ROWS) {
    const e = net.evidence(row);
    let sum = -1 - -2;
    for (let j = 0; j < 3; j++) sum += net.odds(e.alone, j, 0, 2);
    net.members.forEach((_, k) => { sum += net.odds(e.together, k, 0, 2); });
    same(sum, e.score[0] - e.score[2], `${row}`);
  }
  assert.deepEqual(net.members, [[0, 1]]);
});

test('vector calibration is a scale and a shift of normalised scores', () => {
  const net = model(three({scale: [0.5, 1, 2], shift: [0.1, 0, -0.1], vector: true}));
  for (const row of ROWS) {
    const p = byHand(row), q = p.map((x, c) => Math.exp([0.5, 1, 2][c] * Math.log(x) + [0.1, 0, -0.1][c])), sum = q.reduce((a, b) => a + b);
    net.probabilities(net.evidence(row).score).forEach((x, c) => same(x, q[c] / sum, `${row}`));
  }
});

test('changed cells give the score of the changed row', () => {
  const net = model(three());
  for (const row of ROWS) {
    const score = net.changing(row);
    for (const other of ROWS)
      for (const which of [[], [0], [1], [2], [0, 1], [1, 2], [0, 1, 2]]) {
        const changed = row.slice();
        which.forEach(j => { changed[j] = other[j]; });
        score(which.map(j => [j, other[j]])).forEach((s, c) => same(s, net.evidence(changed).score[c], `${row} with ${which} of ${other}`));
      }
  }
});

test('decisions follow thresholds and costs', () => {
  assert.equal(model(three()).decide([0.4, 0.4, 0.2]), 0, 'a tie goes to the first class');
  assert.equal(model(three({decision: 1, chosen: 1, threshold: 0.2})).decide([0.75, 0.25]), 1);
  assert.equal(model(three({decision: 2, cost: [0, 1, 1, 1, 0, 1, 9, 9, 0]})).decide([0.4, 0.4, 0.2]), 2);
});

test('fixed point of 48 and of 40 bits', () => {
  const bytes = [], put = (x, n) => { for (let k = 0; k < n; k++) bytes.push(Number((BigInt.asUintN(64, BigInt(x)) >> BigInt(8 * k)) & 255n)); };
  const wide = [1.5, -1.25, 0.0001], narrow = [-3.5, 3.75];
  for (const x of wide) put(Math.round(x * 2 ** 46), 6);
  for (const x of narrow) put(Math.round(x * 2 ** 37), 5);
  const a = unpack({arrays: {w: ['q', 0, 3, 1], n: ['p', 18, 2, 2]}, bytes: btoa(String.fromCharCode(...bytes))});
  wide.forEach((x, k) => same(a.w[k], x, 'wide'));
  narrow.forEach((x, k) => same(a.n[k], x, 'narrow'));
});

test('the upper tail of the normal distribution', () => {
  for (const [z, p] of [[0, 0.5], [1, 0.15865525393145707], [-1, 0.8413447460685429], [2.999, 0.0013543365337271066], [3.5, 0.00023262907903552504], [6, 9.865876450376946e-10]])
    assert.ok(Math.abs(upperTail(z) - p) < 1e-12 * Math.max(1e-3, p), `${z}: ${upperTail(z)}`);
});

// ---- flips ----

const CHOICES = [{attribute: 0, numeric: false, values: [0, 1, 2]}, {attribute: 1, numeric: true, values: [0, 0.5, 1.2, 1.8, 2.5]},
  {attribute: 2, numeric: true, values: [-2, -1, 0, 0.5, 1, 2, 3]}];

function bruteForce(net, row) {
  const decide = r => net.decide(net.probabilities(net.evidence(r).score)), now = decide(row), alone = new Map(), pairs = new Map();
  const put = (r, changes) => changes.reduce((x, [j, v]) => { x[j] = v; return x; }, r.slice());
  for (const a of CHOICES) for (const v of a.values) if (v !== row[a.attribute] && decide(put(row, [[a.attribute, v]])) !== now) {
    const size = sizeOf(a, row[a.attribute], v);
    if (!(alone.get(a.attribute) <= size)) alone.set(a.attribute, size);
  }
  for (const a of CHOICES) for (const b of CHOICES) if (a.attribute < b.attribute)
    for (const v of a.values) for (const w of b.values) {
      if (v === row[a.attribute] || w === row[b.attribute] || decide(put(row, [[a.attribute, v], [b.attribute, w]])) === now) continue;
      if (decide(put(row, [[a.attribute, v]])) !== now || decide(put(row, [[b.attribute, w]])) !== now) continue;
      const size = sizeOf(a, row[a.attribute], v) + sizeOf(b, row[b.attribute], w), key = `${a.attribute},${b.attribute}`;
      if (!(pairs.get(key) <= size + 1e-12)) pairs.set(key, size);
    }
  return {alone, pairs, now};
}

test('the smallest changes of one and of two attributes, as brute force finds them', () => {
  const net = model(three());
  let ones = 0, twos = 0;
  for (const v of [0, 1, 2]) for (const x of [0, 0.5, 1.2, 1.8, 2.5]) for (const z of [-2, 0, 1, 3]) {
    const row = [v, x, z], {alone, pairs, now} = bruteForce(net, row), found = flips(net, row, CHOICES, {most: 99});
    assert.equal(found.length, alone.size + pairs.size, `${row}`);
    for (const f of found) {
      const key = f.changes.map(c => c[0]);
      same(f.size, key.length === 1 ? alone.get(key[0]) : pairs.get(key.join()), `${row}: ${key}`);
      const changed = row.slice();
      for (const [j, to] of f.changes) { assert.ok(CHOICES[j].values.includes(to)); changed[j] = to; }
      const p = net.probabilities(net.evidence(changed).score);
      assert.equal(net.decide(p), f.to);
      assert.notEqual(f.to, now);
      same(f.p, p[f.to], 'probability after the change');
      if (key.length === 1) ones++; else twos++;
    }
    const sizes = n => found.filter(f => f.changes.length === n).map(f => f.size);
    for (const n of [1, 2]) assert.deepEqual(sizes(n), sizes(n).slice().sort((a, b) => a - b), 'the smallest first');
    assert.ok(flips(net, row, CHOICES, {most: 2}).length <= 2);
  }
  assert.ok(ones > 20 && twos > 5, `${ones} of one attribute, ${twos} of two`);
});
