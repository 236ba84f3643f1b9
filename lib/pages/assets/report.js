(() => {
'use strict';
const COLOURS = 10;
const byId = id => document.getElementById(id);
const sign = (x, n = 2) => (x > 0 ? '+' : '') + x.toFixed(n);

function make(tag, attributes, ...inside) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name === 'class') e.className = value;
    else if (name === 'style') e.style.cssText = value;
    else e.setAttribute(name, value);
  e.append(...inside);
  return e;
}
const bdi = text => make('bdi', {}, text);

// ---- classes shown in the shapes ----

function shapes() {
  const pick = byId('pick');
  if (!pick) return;
  pick.hidden = false;
  pick.addEventListener('change', event => {
    for (const e of document.querySelectorAll('#shapes .k' + event.target.value))
      e.classList.toggle('off', !event.target.checked);
  });
}

// ---- threshold of two classes ----

function threshold() {
  const data = byId('threshold-data'), panel = byId('threshold-panel');
  if (!data) return;
  const d = JSON.parse(data.textContent), negatives = d.n - d.positives;
  const slider = make('input', {type: 'range', min: 0, max: 100, step: 1, id: 't-slider', value: Math.round(100 * d.own)});
  const shown = make('output', {id: 't-value', for: 't-slider'});
  const cost = name => make('input', {type: 'number', min: 0, step: 'any', id: 't-' + name, value: d[name]});
  const alarm = cost('alarm'), miss = cost('miss');
  const reset = make('button', {type: 'button'}, 'As the model decides');
  const best = make('button', {type: 'button'}, 'Least cost');
  const cells = ['tp', 'fn', 'fp', 'tn'].map(k => make('td', {class: 'cell ' + (k[0] === 't' ? 'right' : 'wrong'), id: 't-' + k}));
  const figures = {accuracy: 'accuracy', precision: 'precision', recall: 'recall', f1: 'F1', specificity: 'specificity',
    cost: 'mean cost per row'};
  const out = Object.fromEntries(Object.keys(figures).map(k => [k, make('td', {class: 'n', id: 't-' + k})]));
  const share = (a, b) => b > 0 ? a / b : 0;
  let own = true;

  const costs = (tp, fp) => (fp * (+alarm.value || 0) + (d.positives - tp) * (+miss.value || 0) + tp * d.hit +
    (negatives - fp) * d.pass) / d.n;
  function show() {
    const k = +slider.value, tp = own ? d.tp : d.tps[k], fp = own ? d.fp : d.fps[k], fn = d.positives - tp, tn = negatives - fp;
    const precision = share(tp, tp + fp), recall = share(tp, d.positives);
    const value = {accuracy: share(tp + tn, d.n), precision, recall, f1: share(2 * tp, 2 * tp + fp + fn),
      specificity: share(tn, negatives), cost: costs(tp, fp)};
    shown.textContent = own ? `as the model decides (${+d.own.toFixed(3)})` : (k / 100).toFixed(2);
    [tp, fn, fp, tn].forEach((n, i) => {
      cells[i].textContent = n;
      cells[i].style.setProperty('--o', share(n, i < 2 ? d.positives : negatives).toFixed(2));
    });
    for (const name in out) {
      out[name].textContent = value[name].toFixed(4);
      out[name].dataset.value = value[name];
    }
  }
  slider.addEventListener('input', () => { own = false; show(); });
  alarm.addEventListener('input', show);
  miss.addEventListener('input', show);
  reset.addEventListener('click', () => { own = true; slider.value = Math.round(100 * d.own); show(); });
  best.addEventListener('click', () => {
    let at = 0;
    for (let k = 1; k <= 100; k++) if (costs(d.tps[k], d.fps[k]) < costs(d.tps[at], d.fps[at])) at = k;
    own = false;
    slider.value = at;
    show();
  });
  const row = (...c) => make('tr', {}, ...c);
  const head = text => make('th', {scope: 'row'}, ...[text].flat());
  panel.append(
    make('label', {for: 't-slider'}, 'Predict it from this probability on: ', shown), slider,
    make('p', {class: 'buttons'}, reset, ' ', best),
    make('table', {class: 'heat matrix'}, row(make('th', {class: 'corner'}, 'actual \u2193 predicted \u2192'), make('th', {}, bdi(d.one)), make('th', {}, bdi(d.zero))),
      row(head(bdi(d.one)), cells[0], cells[1]), row(head(bdi(d.zero)), cells[2], cells[3])),
    make('table', {class: 'facts'}, ...Object.entries(figures).map(([k, text]) => row(head(text), out[k]))),
    make('p', {class: 'costs'}, make('label', {}, 'cost of ', bdi(d.zero), ' predicted ', bdi(d.one), ' ', alarm), ' ',
      make('label', {}, 'of ', bdi(d.one), ' predicted ', bdi(d.zero), ' ', miss)));
  show();
}

// ---- the model ----

function unpack(m) {
  const text = atob(m.bytes), bytes = new Uint8Array(text.length), view = new DataView(bytes.buffer);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  const a = {};
  for (const [name, [type, at, n, power]] of Object.entries(m.arrays)) {
    if (type === 'd') a[name] = new Float64Array(bytes.slice(at, at + 8 * n).buffer);
    else if (type === '1') a[name] = bytes.slice(at, at + n);
    else if (type === '2') a[name] = new Uint16Array(bytes.slice(at, at + 2 * n).buffer);
    else if (type === '4') a[name] = new Uint32Array(bytes.slice(at, at + 4 * n).buffer);
    else {
      const unit = Math.pow(2, power - 47), x = a[name] = new Float64Array(n);
      for (let k = 0; k < n; k++)
        x[k] = (view.getInt16(at + 6 * k + 4, true) * 4294967296 + view.getUint32(at + 6 * k, true)) * unit;
    }
  }
  return a;
}

// Places of the parts of each attribute in an array that has them one after another.
function places(n, size) {
  const at = new Float64Array(n + 1);
  for (let j = 0; j < n; j++) at[j + 1] = at[j] + size(j);
  return at;
}

const [NUMBER, NOMINAL, CUT] = [0, 1, 2];
const [, TABLE, NORMAL, POINT, ROUNDED, KERNEL, SLOPED] = [0, 1, 2, 3, 4, 5, 6];
const HALF_LOG_TWO_PI = 0.91893853320467274178;

// 1 - the normal distribution function, by a continued fraction or a series.
function upperTail(z) {
  if (z < 0) return 1 - upperTail(-z);
  if (z > 38) return 0;
  const density = Math.exp(-z * z / 2 - HALF_LOG_TWO_PI);
  if (z < 3) {
    let term = z, sum = z;
    for (let k = 3; Math.abs(term) > 1e-17 * sum; k += 2) { term *= z * z / k; sum += term; }
    return 0.5 - density * sum;
  }
  let f = z;
  for (let k = 200; k > 0; k--) f = z + k / f;
  return density / f;
}

function model(m) {
  const a = unpack(m), n = m.names.length, K = m.classes.length, C = m.differences ? 1 : m.columns;
  const is = kinds => j => kinds.includes(a.term[j]);
  const lineAt = places(n, j => a.lines[j]), cutAt = places(n, j => a.n_cuts[j]);
  const slopeAt = places(n, j => +is([SLOPED])(j)), normalAt = places(n, j => +is([NORMAL])(j));
  const momentAt = places(n, j => +is([POINT, ROUNDED, KERNEL])(j)), roundAt = places(n, j => +is([ROUNDED])(j));
  const kernelAt = places(n, j => +is([KERNEL])(j));
  const pointAt = places(a.points.length, k => a.points[k]);
  const column = c => m.present ? m.present[c] : c;

  // number of cuts strictly below x
  function below(j, x) {
    let lo = cutAt[j], hi = cutAt[j + 1];
    while (lo < hi) {
      const mid = Math.floor((lo + hi) / 2);
      if (a.cuts[mid] < x) lo = mid + 1; else hi = mid;
    }
    return lo - cutAt[j];
  }
  const filled = (j, x) => (x === null || Number.isNaN(x)) && a.fill ? a.fill[j] : x === null ? NaN : x;

  // The line and the number of every cell: raw[j] is a number, the index of a value, null or -1 (not known).
  function prepare(raw) {
    const line = new Uint32Array(n), number = new Float64Array(n);
    let length = 0;
    if (m.unit) {
      for (let j = 0; j < n; j++)
        if (a.kind[j] !== NOMINAL) { const x = filled(j, raw[j]); if (!Number.isNaN(x)) length += x * x; }
      length = Math.sqrt(length);
    }
    for (let j = 0; j < n; j++) {
      if (a.kind[j] === NOMINAL) {
        const x = raw[j] === -1 ? (m.unseen_zero ? -1 : filled(j, null)) : filled(j, raw[j]);
        line[j] = x === -1 ? a.unseen[j] : Number.isNaN(x) ? a.missing[j] : x;
        continue;
      }
      let x = filled(j, raw[j]);
      if (length > 0) x /= length;
      if (a.scaling) x = (x - a.scaling[2 * j]) * a.scaling[2 * j + 1];
      number[j] = x;
      line[j] = Number.isNaN(x) ? a.missing[j] : below(j, x);
      if (a.kind[j] === CUT && a.zero && a.zero[j] && !Number.isNaN(x))
        line[j] = line[j] === a.zero[j] ? 0 : line[j] === 0 ? a.zero[j] : line[j];
    }
    return {line, number};
  }

  // log P(x | c), times its weight, for densities that are not plain normals
  function density(j, x, out) {
    const first = 3 * K * momentAt[j];
    let mean = 0, some = 0;
    for (let c = 0; c < K; c++) {
      const mu = a.moments[first + 3 * c], sd = a.moments[first + 3 * c + 1];
      if (a.term[j] === POINT) {
        const z = Math.min(Math.abs(x - mu) / sd, 1e140);
        out[c] = sd === 0 ? (x === mu ? 0 : Math.log(1e-10)) : -HALF_LOG_TWO_PI - Math.log(sd) - 0.5 * z * z;
      } else if (a.term[j] === ROUNDED) {
        const q = a.precision[roundAt[j]], near = Math.floor(x / q), up = x / q - near;
        const r = (up > 0.5 || (up === 0.5 && near % 2 !== 0) ? near + 1 : near) * q;
        const lo = (r - mu - q / 2) / sd, hi = (r - mu + q / 2) / sd;
        out[c] = Math.log(Math.max(lo > 0 ? upperTail(lo) - upperTail(hi) : upperTail(-hi) - upperTail(-lo), 1e-75));
      } else {
        const from = pointAt[kernelAt[j] * K + c], to = pointAt[kernelAt[j] * K + c + 1];
        let most = -Infinity, sum = 0;
        const at = k => a.kernel[2 * k + 1] - 0.5 * ((x - a.kernel[2 * k]) / sd) ** 2;
        for (let k = from; k < to; k++) most = Math.max(most, at(k));
        for (let k = from; k < to; k++) sum += Math.exp(at(k) - most);
        out[c] = from < to ? most + Math.log(sum) - HALF_LOG_TWO_PI - Math.log(sd) : NaN;
        if (from < to) { mean += out[c]; some++; }
      }
    }
    for (let c = 0; c < K; c++) {
      if (Number.isNaN(out[c])) out[c] = mean / some;
      out[c] *= a.moments[first + 3 * c + 2];
    }
  }

  const both = new Float64Array(K);
  function put(out, at) {
    if (m.differences) out[at] += both[1] - both[0];
    else for (let c = 0; c < K; c++) out[at + c] += both[c];
  }

  // out[at ...] += what the cell of attribute j adds, C numbers
  function part(j, line, x, out, at) {
    const kind = a.term[j];
    if (kind === TABLE || kind === SLOPED) {
      for (let c = 0; c < C; c++) out[at + c] += a.table[(lineAt[j] + line) * C + c];
      if (kind === TABLE || Number.isNaN(x)) return;
      const sd = a.centre[2 * slopeAt[j] + 1];
      const z = sd > 0 ? Math.max(-4, Math.min(4, (x - a.centre[2 * slopeAt[j]]) / sd)) : 0;
      for (let c = 0; c < C; c++) out[at + c] += a.slope[slopeAt[j] * C + c] * z;
    } else if (kind === NORMAL && !Number.isNaN(x)) {
      const p = a.normal, first = 4 * K * normalAt[j];
      for (let c = 0; c < K; c++) {
        const z = Math.min(Math.abs(x - p[first + K + c]) * p[first + 2 * K + c], 1e140);
        both[c] = p[first + c] - p[first + 3 * K + c] * z * z;
      }
      put(out, at);
    } else if (kind >= POINT && kind <= KERNEL && !Number.isNaN(x)) {
      density(j, x, both);
      put(out, at);
    }
  }

  // ---- pairs and trees ----

  const sets = new Map(); // "2,5": the place of the evidence of these attributes
  const members = [];
  function placeOf(attributes) {
    const key = attributes.join();
    if (!sets.has(key)) { sets.set(key, members.length); members.push(attributes); }
    return sets.get(key);
  }

  function joints() {
    const list = [], viewAt = [];
    for (let j = 0, at = 0; j < n; j++) {
      const own = viewAt[j] = [];
      const lines = Math.max(a.missing[j], a.unseen[j]) + 1;
      for (let v = 0; v < a.views[j]; v++, at += lines + 1) own.push({codes: a.view[at], first: at + 1});
    }
    for (let at = 0, key = 0, cell = 0; at < a.joint.length;) {
      const size = a.joint[at++], of = [], views = [];
      for (let k = 0; k < size; k++) { of.push(a.joint[at]); views.push(viewAt[a.joint[at]][a.joint[at + 1]]); at += 2; }
      const cells = a.joint[at++], keyed = a.joint[at++];
      list.push({of, views, cells, keyed, key, cell, place: placeOf(of)});
      if (keyed) key += cells;
      cell += cells;
    }
    return list;
  }
  function addJoint(t, line, out) {
    let cell = 0;
    t.of.forEach((j, k) => { cell = cell * t.views[k].codes + a.view[t.views[k].first + line[j]]; });
    if (t.keyed) {
      let lo = t.key, hi = t.key + t.cells;
      while (lo < hi) { const mid = Math.floor((lo + hi) / 2); if (a.keys[mid] < cell) lo = mid + 1; else hi = mid; }
      if (lo === t.key + t.cells || a.keys[lo] !== cell) return;
      cell = lo - t.key;
    }
    for (let c = 0; c < C; c++) out[t.place * C + c] += a.cells[(t.cell + cell) * C + c];
  }

  const codeOf = (j, line) => a.kind[j] !== NUMBER ? line : line === a.missing[j] ? a.tree_missing[j] : line + 1;
  function goesRight(s, code) {
    if (!a.split_listed[s]) return code > a.split_at[s];
    for (let l = listAt[s]; l < listAt[s + 1]; l++) if (a.listed[l] === code) return false;
    return true;
  }
  const listAt = a.split_attr && places(a.split_attr.length, s => a.split_listed[s]);
  const shareAt = a.split_attr && places(n, j => a.missing[j] + 1);

  // The share of the training rows whose code of attribute j agrees with the splits of a path.
  function shareOf(j, path) {
    let sum = 0;
    for (let l = 0; l <= a.missing[j]; l++) {
      const share = a.share[shareAt[j] + l];
      if (share && path.every(([s, right]) => goesRight(s, codeOf(j, l)) === right)) sum += share;
    }
    return sum;
  }
  function box(first, path) {
    const of = [...new Set(path.map(([s]) => a.split_attr[s]))].sort((x, y) => x - y);
    if (of.length < 2) return null;
    const own = of.map(j => path.filter(([s]) => a.split_attr[s] === j));
    const bits = (list, all) => list.reduce((sum, [s, right]) => sum | (all || right ? 1 << (s - first) : 0), 0);
    return {
      tested: own.map(list => bits(list, true)), right: own.map(list => bits(list, false)),
      share: own.map((list, k) => shareOf(of[k], list)),
      place: of.length === 2 ? [placeOf(of)] :
        [placeOf([of[0], of[1]]), placeOf([of[0], of[2]]), placeOf([of[1], of[2]]), placeOf(of)]
    };
  }
  function trees() {
    const list = [];
    let split = 0, leaf = 0;
    if (!a.leaves) return list;
    for (const size of a.leaves) {
      const tree = {split, leaf, size, boxes: []}, first = split;
      const walk = (leaves, path) => {
        if (leaves === 1) { tree.boxes.push(box(first, path)); return; }
        const s = split++;
        walk(a.split_left[s], [...path, [s, false]]);
        walk(leaves - a.split_left[s], [...path, [s, true]]);
      };
      walk(size, []);
      leaf += size;
      list.push(tree);
    }
    return list;
  }
  function addTree(t, line, out) {
    let right = 0;
    for (let s = t.split; s < t.split + t.size - 1; s++) {
      const j = a.split_attr[s];
      if (goesRight(s, codeOf(j, line[j]))) right |= 1 << (s - t.split);
    }
    t.boxes.forEach((b, l) => {
      if (!b) return;
      const q = b.share, d = q.map((share, k) => +(((right ^ b.right[k]) & b.tested[k]) === 0) - share);
      const by = d.length === 2 ? [d[0] * d[1]] : [d[0] * d[1] * q[2], d[0] * d[2] * q[1], d[1] * d[2] * q[0], d[0] * d[1] * d[2]];
      by.forEach((x, k) => { for (let c = 0; c < C; c++) out[b.place[k] * C + c] += x * a.leaf[(t.leaf + l) * C + c]; });
    });
  }

  const jointList = joints(), treeList = trees();

  // ---- a row ----

  function evidence(raw) {
    const {line, number} = prepare(raw), alone = new Float64Array(n * C), together = new Float64Array(members.length * C);
    for (let j = 0; j < n; j++) part(j, line[j], number[j], alone, j * C);
    for (const t of jointList) addJoint(t, line, together);
    for (const t of treeList) addTree(t, line, together);
    const score = m.start.map(x => x === null ? -Infinity : x), sum = new Float64Array(C);
    for (const list of [alone, together]) for (let k = 0; k < list.length; k++) sum[k % C] += list[k];
    if (m.differences) score[1] += sum[0];
    else for (let c = 0; c < C; c++) score[column(c)] += sum[c];
    return {alone, together, score: calibrate(score)};
  }
  function logSum(s) {
    const most = Math.max(...s);
    return Number.isFinite(most) ? most + Math.log(s.reduce((sum, x) => sum + Math.exp(x - most), 0)) : most;
  }
  function calibrate(s) {
    if (!m.scale) return s;
    const all = m.vector ? logSum(s) : 0;
    return s.map((x, c) => Number.isFinite(x) && Number.isFinite(all) ? m.scale[c] * (x - all) + m.shift[c] : x);
  }
  function probabilities(s) {
    const most = Math.max(...s), p = s.map(x => Math.exp(x - most)), sum = p.reduce((x, y) => x + y, 0);
    return p.map(x => x / sum);
  }
  function decide(p) {
    if (m.decision === 1) return p[m.chosen] >= m.threshold ? m.chosen : 1 - m.chosen;
    let best = 0;
    const value = c => m.decision === 2 ? -p.reduce((sum, q, actual) => sum + q * m.cost[actual * K + c], 0) : p[c];
    for (let c = 1; c < K; c++) if (value(c) > value(best)) best = c;
    return best;
  }
  // What line k of a list adds to the log-odds of class x against y.
  function odds(list, k, x, y) {
    if (m.differences) return (x === 1 ? 1 : -1) * list[k] * (m.scale ? m.scale[0] : 1);
    const at = c => {
      const place = m.present ? m.present.indexOf(c) : c;
      return place < 0 ? 0 : list[k * C + place] * (m.scale ? m.scale[c] : 1);
    };
    return at(x) - at(y);
  }
  return {n, K, members, evidence, probabilities, decide, odds, kind: a.kind};
}

// ---- what if ----

const FIRST = 10, STEPS = 10;

function fall(m, net, raw, e, x, y) {
  const value = j => {
    if (raw[j] === null) return 'missing';
    if (net.kind[j] === NOMINAL) return raw[j] < 0 ? 'not known' : m.values[j][raw[j]];
    return String(+Number(raw[j]).toPrecision(6));
  };
  const steps = [];
  for (let j = 0; j < net.n; j++) steps.push({of: [j], odds: net.odds(e.alone, j, x, y)});
  net.members.forEach((of, k) => steps.push({of, odds: net.odds(e.together, k, x, y)}));
  const total = e.score[x] - e.score[y], sum = steps.reduce((s, t) => s + t.odds, 0);
  steps.sort((s, t) => Math.abs(t.odds) - Math.abs(s.odds));
  const shown = steps.slice(0, STEPS), rest = steps.slice(STEPS).filter(t => t.odds !== 0);
  const list = [{name: m.shared ? 'prior' : 'before any attribute', odds: total - sum}];
  for (const t of shown) {
    const name = t.of.length > 1 ? t.of.map(j => m.names[j]).join(' \u00d7 ') : m.names[t.of[0]] + ' = ' + value(t.of[0]);
    list.push({name, odds: t.odds});
  }
  if (rest.length) list.push({name: rest.length + ' others', odds: rest.reduce((s, t) => s + t.odds, 0)});
  let at = 0, lo = Math.min(0, total), hi = Math.max(0, total);
  for (const t of list) { at += t.odds; lo = Math.min(lo, at); hi = Math.max(hi, at); }
  const width = hi - lo || 1, percent = v => (100 * v / width).toFixed(2) + '%';
  at = 0;
  const row = (name, odds, from, kind) => make('tr', {class: kind}, make('th', {scope: 'row'}, bdi(name)),
    make('td', {class: 'fall'}, make('i', {class: 'zero', style: 'left:' + percent(-lo)}),
      make('i', {class: 'b' + (odds > 0 ? x : y) % COLOURS,
        style: `left:${percent(Math.min(from, from + odds) - lo)};width:max(1px,${percent(Math.abs(odds))})`})),
    make('td', {class: 'n'}, sign(odds)));
  const rows = list.map(t => { const r = row(t.name, t.odds, at, ''); at += t.odds; return r; });
  return make('table', {class: 'bars waterfall'},
    make('tr', {}, make('th', {}, 'log-odds of ', make('b', {class: 't' + x % COLOURS}, bdi(m.classes[x])), ' against ',
      make('b', {class: 't' + y % COLOURS}, bdi(m.classes[y]))), make('th'), make('th')),
    ...rows, row('total', total, 0, 'total'));
}

function whatif() {
  const data = byId('model'), panel = byId('panel');
  if (!data || !panel) return;
  const m = JSON.parse(data.textContent), net = model(m);
  const usual = () => m.reach.map(r => r.length === 1 ? r[0] : r[2]);
  let raw = usual();
  const controls = make('div', {class: 'controls'}), result = make('div', {class: 'result', 'aria-live': 'polite'});
  const shown = new Map();

  function rowOf(k) {
    const row = m.rows[k];
    if (row.cells) return row.cells.slice();
    const cells = new Array(net.n).fill(0);
    for (let e = 0; e < row.entries.length; e += 2) cells[row.entries[e]] = row.entries[e + 1];
    return cells;
  }

  function update() {
    const e = net.evidence(raw), p = net.probabilities(e.score), best = net.decide(p);
    const order = p.map((_, c) => c).sort((a, b) => p[b] - p[a] || a - b);
    const listed = net.K === 2 ? [0, 1] : order.slice(0, 6);
    const second = order.find(c => c !== best);
    const bars = make('table', {class: 'bars', id: 'chances'});
    for (const c of listed)
      bars.append(make('tr', {}, make('th', {scope: 'row'}, bdi(m.classes[c])), make('td', {class: 'track'},
        make('i', {class: 'b' + c % COLOURS, style: `width:${(100 * p[c]).toFixed(2)}%`})),
      make('td', {class: 'n', 'data-class': c, 'data-p': p[c]}, p[c].toFixed(4))));
    const title = make('p', {class: 'verdict'}, 'Predicted: ', make('b', {class: 't' + best % COLOURS}, bdi(m.classes[best])));
    const pair = net.K === 2 ? [m.one, 1 - m.one] : [best, second];
    result.replaceChildren(title, bars, fall(m, net, raw, e, ...pair));
  }

  function numberControl(j) {
    const [least, most] = m.reach[j], step = (most - least) / 200 || 1, id = 'w' + j;
    const number = make('input', {type: 'number', step: 'any', id, placeholder: 'missing'});
    const slider = make('input', {type: 'range', min: least, max: most > least ? most : least + 1, step, 'aria-label': m.names[j]});
    const set = () => { number.value = raw[j] === null ? '' : raw[j]; slider.value = raw[j] === null ? (least + most) / 2 : raw[j]; };
    slider.addEventListener('input', () => {
      const digits = Math.max(0, Math.min(12, 2 - Math.floor(Math.log10(step))));
      raw[j] = +(+slider.value).toFixed(digits);
      number.value = raw[j];
      update();
    });
    number.addEventListener('input', () => {
      raw[j] = number.value === '' || !Number.isFinite(+number.value) ? null : +number.value;
      if (raw[j] !== null) slider.value = raw[j];
      update();
    });
    return {set, inputs: [slider, number]};
  }
  function valueControl(j) {
    const select = make('select', {id: 'w' + j}, make('option', {value: 'null'}, '(missing)'),
      ...m.values[j].map((text, v) => make('option', {value: v}, text)));
    const set = () => { select.value = raw[j] === null || raw[j] < 0 ? 'null' : raw[j]; };
    select.addEventListener('change', () => { raw[j] = select.value === 'null' ? null : +select.value; update(); });
    return {set, inputs: [select]};
  }
  function show(j) {
    if (shown.has(j)) return;
    const control = net.kind[j] === NOMINAL ? valueControl(j) : numberControl(j);
    control.set();
    shown.set(j, control);
    controls.append(make('div', {class: 'control'}, make('label', {for: 'w' + j}, bdi(m.names[j])), ...control.inputs));
  }

  const start = make('select', {id: 'start'}, make('option', {value: ''}, 'typical values'),
    ...m.rows.map((r, k) => make('option', {value: k}, `row ${r.row}` + (r.actual === undefined ? '' : ` (${m.target} is ${r.actual})`))));
  start.addEventListener('change', () => {
    raw = start.value === '' ? usual() : rowOf(+start.value);
    for (const control of shown.values()) control.set();
    update();
  });
  const top = make('div', {class: 'control'}, make('label', {for: 'start'}, 'Start from'), start);
  m.order.slice(0, FIRST).forEach(show);
  const left = make('div', {}, top, controls);
  if (net.n > FIRST) {
    const names = make('datalist', {id: 'attributes'}, ...m.order.slice(FIRST).map(j => make('option', {value: m.names[j]})));
    const find = make('input', {list: 'attributes', id: 'find', placeholder: 'name of an attribute'});
    const places = new Map(m.names.map((name, j) => [name, j]));
    find.addEventListener('change', () => {
      if (!places.has(find.value)) return;
      show(places.get(find.value));
      byId('w' + places.get(find.value)).focus();
      find.value = '';
    });
    left.append(make('div', {class: 'control'}, make('label', {for: 'find'}, `${net.n - FIRST} more attributes keep their values. Change another one:`), find), names);
  }
  panel.append(make('div', {class: 'panel'}, left, result));
  update();
  window.heft = {predict: cells => net.probabilities(net.evidence(cells).score)};
}

document.documentElement.classList.add('js');
shapes();
threshold();
whatif();
})();
