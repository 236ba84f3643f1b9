// graph.mjs - the score graph of a model: nodes of few operators, whose elements are computed when they are asked for.
//
//   graph(m)               m: the description of the model (docs/page_data.md). The result has
//     load(cells)          sets the row: by attribute a number, the index of a value, null (missing) or -1 (not known)
//     set(j, cell)         changes one cell of it
//     at[k](i, c)          the element in row i and column c of node k; a test or a caller may put a function of its own there
//     line(k, i)           a function for row i of node k: all of its columns, not to be changed
//     array(k, name), table[k]   an array of a node; the numbers of a node of tables
//     source(k, i)         [node, row] that row i of node k is a copy of
//     attributes(k, i)     a Set of the attributes that row i of node k depends on
//     trees(k)             the splits of a node of trees

import {unpack, places, tables} from './arrays.mjs';
import {logSum, softmax} from './numbers.mjs';

const HALF_LOG_TWO_PI = 0.91893853320467274178, LARGEST = Number.MAX_VALUE;
const even = x => { const low = Math.floor(x), up = x - low; return up > 0.5 || (up === 0.5 && low % 2 !== 0) ? low + 1 : low; };
const ELEMENTS = {
  add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b, div: (a, b) => a / b, min: (a, b) => a < b ? a : b,
  max: (a, b) => a > b ? a : b, abs: Math.abs, exp: Math.exp, log: Math.log, round: even,
  square: a => { const near = Math.abs(a) < 1e140 ? Math.abs(a) : 1e140; return near * near; },
  if_less: (a, b, c, d) => a < b ? c : d, if_equal: (a, b, c, d) => a === b ? c : d, if_missing: (a, b, c) => Number.isNaN(a) ? b : c
};

function scaled(x, shift, factor) {
  let y = (x - shift) * factor;
  if (!Number.isFinite(y) && !Number.isNaN(x)) y = Math.max(-LARGEST, Math.min(LARGEST, (x / 2 - shift / 2) * factor * 2));
  return y;
}
function below(list, from, to, x) { // how many of the sorted numbers list[from ... to - 1] are below x
  let lo = from, hi = to;
  while (lo < hi) { const mid = (lo + hi) >> 1; if (list[mid] < x) lo = mid + 1; else hi = mid; }
  return lo - from;
}
function kernel(x, points, masses, from, to, width) {
  if (from === to) return 0;
  let most = -Infinity, sum = 0;
  const part = k => masses[k] - 0.5 * Math.min(Math.abs(x - points[k]) / width, 1e140) ** 2;
  for (let k = from; k < to; k++) most = Math.max(most, part(k));
  for (let k = from; k < to; k++) sum += Math.exp(part(k) - most);
  return most + Math.log(sum) - HALF_LOG_TWO_PI - Math.log(width);
}

export function graph(m) {
  const arrays = unpack(m), {nodes} = m, at = [], renew = [], line = [], table = [], array = (k, name) => arrays[name + k];
  let cells = [];
  const read = k => (i, c) => at[k](nodes[k].rows === 1 ? 0 : i, nodes[k].columns === 1 ? 0 : c); // single ones are repeated
  const all = (k, n) => Array.from({length: n}, (_, c) => at[k](0, c));
  const onChange = (j, f) => (renew[j] ||= []).push(f);

  // Columns of which each number is kept until its attribute changes.
  function kept(rows, attribute, value) {
    const x = new Float64Array(rows);
    for (let i = 0; i < rows; i++) onChange(attribute(i), () => { x[i] = value(i); });
    return i => x[i];
  }
  const MAKE = {
    numbers({k, rows}) {
      const list = array(k, 'list'), fill = array(k, 'number');
      return kept(rows, i => list[i], i => { const x = cells[list[i]] ?? NaN; return Number.isNaN(x) && fill ? fill[i] : x; });
    },
    codes({k, rows}) {
      const list = array(k, 'list'), missing = array(k, 'missing'), unseen = array(k, 'unseen');
      return kept(rows, i => list[i], i => { const x = cells[list[i]]; return x === null ? missing[i] : x < 0 ? unseen[i] : x; });
    },
    constant({k, one, columns}) { const x = array(k, 'number'); return x ? (i, c) => x[i * columns + c] : () => one; },
    unit({rows, in: [from]}) {
      let length = 0;
      const find = () => { length = Math.hypot(...Array.from({length: rows}, (_, r) => at[from](r, 0) || 0)); };
      for (let i = 0; i < rows; i++) for (const j of attributes(from, i)) onChange(j, find);
      return i => at[from](i, 0) / (length || 1);
    },
    scale({k, rows, in: [from]}) { const x = array(k, 'number'); return i => scaled(at[from](i, 0), x[i], x[rows + i]); },
    cut({k, rows, in: [from]}) {
      const row = array(k, 'from'), size = array(k, 'size'), cuts = array(k, 'number'), first = places(rows, i => size[i]);
      const code = i => {
        const x = at[from](row[i], 0);
        return Number.isNaN(x) ? size[i] + 1 : below(cuts, first[i], first[i + 1], x);
      };
      return m.unit ? code : kept(rows, i => [...attributes(from, row[i])][0], code);
    },
    cell({k, rows, in: [from]}) {
      const row = array(k, 'from'), map = array(k, 'map'), maps = array(k, 'maps'), times = array(k, 'times');
      const n = array(k, 'size'), keys = array(k, 'key'), first = places(rows, i => Math.max(0, n[i] - 1));
      return i => {
        const cell = maps[map[2 * i] + at[from](row[2 * i], 0)] * times[i] + maps[map[2 * i + 1] + at[from](row[2 * i + 1], 0)];
        if (!n[i]) return cell;
        const place = below(keys, first[i], first[i + 1], cell);
        return place < n[i] - 1 && keys[first[i] + place] === cell ? place : n[i] - 1;
      };
    },
    leaf: ({k, in: [from]}) => i => trees(k).leaf(i, row => at[from](row, 0)),
    lookup({k, rows, columns, in: [from]}) {
      const row = array(k, 'from'), size = array(k, 'size'), first = places(rows, i => size[i]);
      const x = tables(array(k, 'table'), Array.from(size, n => n * columns), array(k, 'width'), array(k, 'power'));
      const begin = i => (first[i] + at[from](row[i], 0)) * columns;
      table[k] = x;
      line[k] = i => () => { const b = begin(i); return x.subarray(b, b + columns); };
      return (i, c) => x[begin(i) + c];
    },
    kernel({k, rows, columns, in: [from]}) {
      const size = array(k, 'size'), x = array(k, 'number'), masses = array(k, 'mass'), width = array(k, 'width');
      const first = places(rows * columns, e => size[e]);
      return (i, c) => { const e = i * columns + c; return kernel(at[from](i, 0), x, masses, first[e], first[e + 1], width[e]); };
    },
    join({in: list}) {
      const first = places(list.length, p => nodes[list[p]].rows);
      return (i, c) => { let p = 0; while (i >= first[p + 1]) p++; return at[list[p]](i - first[p], c); };
    },
    pick({k, in: [from]}) { const list = array(k, 'list'); return (i, c) => at[from](list[i], c); },
    columns({k, in: [from]}) { const list = array(k, 'list'); return (i, c) => list[c] < nodes[from].columns ? at[from](i, list[c]) : 0; },
    gather({k, columns, in: [from]}) { const list = array(k, 'list'); return (i, c) => at[from](list[i * columns + c], 0); },
    turn: ({in: [from]}) => (i, c) => at[from](c, i),
    sum({k, in: [from]}) {
      const start = array(k, 'number'), {rows} = nodes[from];
      return (_, c) => { let s = start ? start[c] : 0; for (let r = 0; r < rows; r++) s += at[from](r, c); return s; };
    },
    log_sum: ({in: [from]}) => (_, c) => logSum(Array.from({length: nodes[from].rows}, (x, r) => at[from](r, c))),
    softmax: ({columns, in: [from]}) => (_, c) => softmax(all(from, columns))[c],
    decide: ({rule, chosen, one, in: [from]}) => () => {
      const x = all(from, nodes[from].columns);
      return rule === 2 ? (x[chosen] >= one ? chosen : 1 - chosen) : x.indexOf(rule ? Math.min(...x) : Math.max(...x));
    }
  };

  // The splits of the trees of node k: those of a tree from first[t] on, in pre-order with the leaves to their left.
  const splitsOf = new Map();
  function trees(k) {
    if (splitsOf.has(k)) return splitsOf.get(k);
    const {rows} = nodes[k], leaves = array(k, 'leaves'), row = array(k, 'from'), below_ = array(k, 'below'), also = array(k, 'also'), left = array(k, 'left');
    const n = array(k, 'listed'), list = array(k, 'list'), listAt = n && places(n.length, s => n[s]);
    const first = places(rows, t => leaves[t] - 1);
    function goesLeft(s, code) {
      if (!n || !n[s]) return code < below_[s] || code === also[s] - 1;
      for (let l = listAt[s]; l < listAt[s + 1]; l++) if (list[l] === code) return true;
      return false;
    }
    function leaf(t, code) {
      let s = first[t], size = leaves[t], place = 0;
      while (size > 1)
        if (goesLeft(s, code(row[s]))) size = left[s++];
        else { place += left[s]; size -= left[s]; s += left[s]; }
      return place;
    }
    splitsOf.set(k, {leaves, row, left, first, goesLeft, leaf});
    return splitsOf.get(k);
  }
  function source(k, i) {
    const node = nodes[k];
    if (node.op === 'pick') return source(node.in[0], array(k, 'list')[i]);
    if (node.op !== 'join') return [k, i];
    for (const part of node.in) { if (i < nodes[part].rows) return source(part, i); i -= nodes[part].rows; }
    return null;
  }
  function attributes(k, i, to = new Set()) {
    const [from, r] = source(k, i), node = nodes[from], row = array(from, 'from');
    if (node.op === 'numbers' || node.op === 'codes') return to.add(array(from, 'list')[r]);
    if (node.op === 'unit') for (let x = 0; x < node.rows; x++) attributes(node.in[0], x, to);
    else if (node.op === 'cut' || node.op === 'lookup') attributes(node.in[0], row[r], to);
    else if (node.op === 'cell') { attributes(node.in[0], row[2 * r], to); attributes(node.in[0], row[2 * r + 1], to); }
    else if (node.op === 'leaf') {
      const {first} = trees(from);
      for (let s = first[r]; s < first[r + 1]; s++) attributes(node.in[0], row[s], to);
    } else if (node.op === 'turn') for (let x = 0; x < nodes[node.in[0]].rows; x++) attributes(node.in[0], x, to);
    else for (const x of node.in || []) attributes(x, nodes[x].rows === 1 ? 0 : r, to);
    return to;
  }

  nodes.forEach((node, k) => {
    const f = ELEMENTS[node.op], [a, b, c, d] = f ? node.in.map(read) : [];
    if (!f) at[k] = MAKE[node.op]({...node, k});
    else if (!c) at[k] = b ? (i, j) => f(a(i, j), b(i, j)) : (i, j) => f(a(i, j));
    else at[k] = (i, j) => f(a(i, j), b(i, j), c(i, j), d && d(i, j));
  });
  function set(j, cell) {
    cells[j] = cell;
    if (m.unit) renew.forEach(list => list.forEach(f => f()));
    else for (const f of renew[j] || []) f();
  }
  function load(row) {
    cells = row.slice();
    renew.forEach(list => list.forEach(f => f()));
  }
  const lineOf = (k, i) => line[k] ? line[k](i) : () => Float64Array.from({length: nodes[k].columns}, (_, c) => at[k](i, c));
  return {load, set, at, line: lineOf, table, array, source, attributes, trees};
}
