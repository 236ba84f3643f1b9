// The score in the page: sums worked out by hand, changes against whole evaluations, and flips against brute force.
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {model} from '../../lib/pages/assets/model.mjs';
import {flips, sizeOf} from '../../lib/pages/assets/flip.mjs';
import {tables, unpack} from '../../lib/pages/assets/arrays.mjs';
import {effects} from '../../lib/pages/assets/trees.mjs';

const same = (a, b, what) => assert.ok(Math.abs(a - b) < 1e-12, `${what}: ${a} is not ${b}`);

// Arrays as the page holds them: lists of integers of one or two bytes, and doubles.
function packed(lists) {
  const arrays = {}, bytes = [];
  for (const [name, list] of Object.entries(lists)) {
    const typed = list instanceof Array ? (list.some(x => x > 255) ? Uint16Array : Uint8Array).from(list) : list;
    arrays[name] = [typed.BYTES_PER_ELEMENT, bytes.length, typed.length];
    bytes.push(...new Uint8Array(typed.buffer));
  }
  return {arrays, bytes: btoa(String.fromCharCode(...bytes))};
}
const doubles = (...list) => Float64Array.from(list);

// Three classes; a nominal attribute of three values, a number with cuts at 1 and 2, a number with normal densities, and a
// table of the first two together. Numbers of tables are multiples of 2^-20.
const whole = x => Math.round(x * 2 ** 20);
const TABLE = Array.from({length: 8 * 3}, (_, k) => whole(Math.sin(7 * k)) / 2 ** 20);
const CELLS = Array.from({length: 9 * 3}, (_, k) => whole(Math.cos(3 * k)) / 2 ** 20);
const NORMAL = [-0.2, 0.1, 0.3, 0, 1, 2, 1, 0.5, 2, 0.5, 0.5, 0.5], START = [-1, -0.5, -2];
const LAST = {score: 20, sum: 20, lines: 19, probabilities: 21, decision: 22};
function three({end = [{op: 'softmax', columns: 3, in: [20]}, {op: 'decide', columns: 1, in: [21], rule: 0}], lists = {}, ...more} = {}) {
  const node = (op, rows, columns, from, rest) => ({op, rows, columns, in: from, ...rest});
  const nodes = [
    node('numbers', 2, 1), node('codes', 1, 1), node('cut', 1, 1, [0]), node('join', 2, 1, [1, 2]), node('cell', 1, 1, [3]),
    node('join', 3, 1, [3, 4]), node('lookup', 3, 3, [5]), node('pick', 1, 1, [0]), node('constant', 1, 3), node('sub', 1, 3, [7, 8]),
    node('constant', 1, 3), node('mul', 1, 3, [9, 10]), node('square', 1, 3, [11]), node('constant', 1, 1, undefined, {one: 0.5}),
    node('mul', 1, 3, [13, 12]), node('constant', 1, 3), node('sub', 1, 3, [15, 14]), node('constant', 1, 1, undefined, {one: 0}),
    node('if_missing', 1, 3, [7, 17, 16]), node('join', 4, 3, [6, 18]), node('sum', 1, 3, [19]), ...end.map(x => ({rows: 1, ...x}))];
  const arrays = {
    list0: [1, 2], number0: doubles(NaN, NaN), list1: [0], missing1: [3], unseen1: [3], from2: [0], size2: [2], number2: doubles(1, 2),
    from4: [0, 1], map4: [0, 4], maps4: [0, 1, 2, 0, 0, 1, 2, 0], times4: [3], size4: [0], key4: doubles(), from6: [0, 1, 2], size6: [4, 4, 9],
    width6: [4, 4, 4], power6: [1080, 1080, 1080], table6: new Uint8Array(Int32Array.from([...TABLE, ...CELLS], whole).buffer),
    list7: [1], number8: doubles(...NORMAL.slice(3, 6)), number10: doubles(...NORMAL.slice(6, 9)), number15: doubles(...NORMAL.slice(0, 3)),
    number20: doubles(...START), ...lists};
  return {attributes: [{}, {}, {}], model: {classes: ['a', 'b', 'c']}, whatif: {kept: [0, 1, 2], differences: false, unit: false,
    ...LAST, ...more, nodes, ...packed(arrays)}};
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
  const one = (op, columns, from, rows = 1) => ({op, rows, columns, in: from});
  const net = model(three({score: 28, probabilities: 29, decision: 30, scale: [0.5, 1, 2], end: [one('turn', 1, [20], 3), one('log_sum', 1, [21]),
    one('turn', 1, [22]), one('sub', 3, [20, 23]), one('constant', 3), one('mul', 3, [25, 24]), one('constant', 3), one('add', 3, [26, 27]),
    one('softmax', 3, [28]), {...one('decide', 1, [29]), rule: 0}], lists: {number25: doubles(0.5, 1, 2), number27: doubles(0.1, 0, -0.1)}}));
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
  const soft = {op: 'softmax', columns: 3, in: [20]};
  assert.equal(model(three()).decide([0.4, 0.4, 0.2]), 0, 'a tie goes to the first class');
  assert.equal(model(three({end: [soft, {op: 'decide', columns: 1, in: [21], rule: 2, chosen: 1, one: 0.2}]})).decide([0.75, 0.25]), 1);
  assert.equal(model(three({decision: 26, end: [soft, {op: 'turn', rows: 3, columns: 1, in: [21]}, {op: 'constant', rows: 3, columns: 3},
    {op: 'mul', rows: 3, columns: 3, in: [22, 23]}, {op: 'sum', columns: 3, in: [24]}, {op: 'decide', columns: 1, in: [25], rule: 1}],
    lists: {number23: doubles(0, 1, 1, 1, 0, 1, 9, 9, 0)}})).decide([0.4, 0.4, 0.2]), 2);
});

test('tables of whole numbers in several widths', () => {
  const bytes = [];
  for (const [x, n] of [[-3, 1], [127, 1], [-30000, 2], [2 ** 39 - 1, 6], [-(2 ** 40), 6]])
    for (let k = 0; k < n; k++) bytes.push(Number((BigInt.asUintN(64, BigInt(x)) >> BigInt(8 * k)) & 255n));
  assert.deepEqual([...tables(Uint8Array.from(bytes), [2, 1, 2], [1, 2, 6], [1100, 1099, 1060])],
    [-3, 127, -15000, (2 ** 39 - 1) / 2 ** 40, -1]);
  assert.deepEqual([...unpack(packed({x: doubles(0.1, -2), y: [300]})).x], [0.1, -2]);
});

test('the evidence of a tree is divided among its attributes, pairs, triples and the rest', () => {
  // A tree of five attributes of two codes: the split of attribute j sends code 0 to leaf j, code 1 on to the next split.
  const n = 5, q = [[0.3, 0.7], [0.5, 0.5], [0.9, 0.1], [0.2, 0.8], [0.6, 0.4]], sets = new Map(), code = [];
  const splits = {leaves: [n + 1], row: [0, 1, 2, 3, 4], left: [1, 1, 1, 1, 1], first: [0, n], goesLeft: (s, c) => c === 0};
  const g = {trees: () => splits, attributes: (k, r) => new Set([r]), at: {7: r => code[r]}};
  const placeOf = of => { const key = of.join(); if (!sets.has(key)) sets.set(key, sets.size); return sets.get(key); };
  const divide = effects(g, 3, 7, r => q[r], placeOf), value = leaf => [Math.sin(leaf + 1)], sums = new Map();
  let start = null;
  for (let row = 0; row < 1 << n; row++) {
    let share = 1, leaf = 0, sum = 0;
    for (let j = 0; j < n; j++) { code[j] = row >> j & 1; share *= q[j][code[j]]; }
    while (leaf < n && code[leaf]) leaf++;
    divide(0, value, (place, by, x) => { sum += by * x[0]; sums.set(place, (sums.get(place) || 0) + share * by * x[0]); });
    start ??= value(leaf)[0] - sum;
    same(value(leaf)[0] - sum, start, 'the same is left for every row');
  }
  assert.equal(sets.size, 5 + 10 + 10 + 1);
  for (const [place, mean] of sums) same(mean, 0, `mean of the evidence of set ${place}`);
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

// One tree whose last leaves are five attributes deep; attribute j has the values 0, 1 and 2, and 0 goes left.
const DEEP = 5, SHARE = [0.5, 0.3, 0.2, 0], LEAVES = [0.3, -0.7, 1.1, 0.4, -0.2, 0.9].map(x => Math.round(x * 2 ** 40) / 2 ** 40);
function deep() {
  const five = x => Array(DEEP).fill(x), node = (op, rows, columns, from, rest) => ({op, rows, columns, in: from, ...rest});
  return {attributes: five({}), model: {classes: ['a', 'b']}, whatif: {kept: [0, 1], differences: true, unit: false, lines: 2, sum: 3, score: 5,
    probabilities: 6, decision: 7, nodes: [node('codes', DEEP, 1), node('leaf', 1, 1, [0]), node('lookup', 1, 1, [1]), node('sum', 1, 1, [2]),
      node('constant', 1, 2), node('mul', 1, 2, [3, 4]), node('softmax', 1, 2, [5]), node('decide', 1, 1, [6], {rule: 0})], ...packed({
      list0: [0, 1, 2, 3, 4], missing0: five(3), unseen0: five(3), leaves1: [LEAVES.length], from1: [0, 1, 2, 3, 4], below1: five(0), also1: five(0),
      left1: five(1), listed1: five(1), list1: five(0), from2: [0], size2: [LEAVES.length], width2: [6], power2: [1060],
      table2: Uint8Array.from(LEAVES.flatMap(x => Array.from({length: 6}, (_, k) =>
        Number((BigInt.asUintN(48, BigInt(Math.round(x * 2 ** 40))) >> BigInt(8 * k)) & 255n)))), number4: doubles(0, 1),
      share: doubles(...five(SHARE).flat()), share_size: five(SHARE.length)})}};
}
// The sum of the terms of the sets of attributes, given as bits, that `wanted` holds for; leaf l is right of l splits.
function byBoxes(row, wanted) {
  let sum = 0;
  for (let set = 0; set < 1 << DEEP; set++) {
    if (!wanted(set)) continue;
    LEAVES.forEach((value, l) => {
      const n = Math.min(l + 1, DEEP);
      if (set >> n) return;
      for (let j = 0; j < n; j++) {
        const left = l === j, q = left ? SHARE[0] : 1 - SHARE[0];
        value *= set >> j & 1 ? (left === (row[j] === 0)) - q : q;
      }
      sum += value;
    });
  }
  return sum;
}
const bitsOf = set => set.reduce((bits, j) => bits | 1 << j, 0), sizeOfSet = set => set ? (set & 1) + sizeOfSet(set >> 1) : 0;

test('four and more attributes together are what pairs and triples leave', () => {
  const net = model(deep());
  for (const row of [[1, 2, 1, 1, 2], [0, 0, 0, 0, 0], [1, 1, 1, 1, 0], [2, 0, 1, 0, 1], [1, 1, 1, 0, 2]]) {
    const e = net.evidence(row), many = net.members.findIndex(of => !of.length);
    net.members.forEach((of, k) => {
      if (k !== many) same(net.odds(e.together, k, 1, 0), byBoxes(row, set => set === bitsOf(of)), `${row}: ${of}`);
    });
    same(net.odds(e.together, many, 1, 0), byBoxes(row, set => sizeOfSet(set) > 3), `${row}: the remainder`);
    same(e.score[1] - e.score[0], byBoxes(row, () => true), `${row}`);
    row.forEach((_, j) => same(net.odds(e.alone, j, 1, 0), byBoxes(row, set => set === 1 << j), `${row}: ${j} alone`));
    const other = row.map(x => (x + 1) % 3), changed = [other[0], row[1], row[2], row[3], other[4]];
    net.changing(row)([[0, other[0]], [4, other[4]]]).forEach((s, c) => same(s, net.evidence(changed).score[c], `${row} changed`));
  }
});
