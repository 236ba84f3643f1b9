// model.mjs - the score of an additive model, from the tables in the page: the same sums as `heft predict`, within 1e-9.
//
//   model(data)      data: the document of the page, with `whatif`. A row is an array by attribute: a number, the index of
//                    a value, null (missing), or -1 (a value that the model does not know). The result has
//     evidence(row)          {alone, together, score}: what each attribute and each set of attributes adds; calibrated scores
//     probabilities(score), decide(p)
//     odds(list, k, x, y)    what entry k of alone or together adds to the log-odds of class x against y
//     members                the attributes of the entries of together
//     changing(row)          a function of a list of [attribute, value]: the scores with these values in place of the row's.
//                            Only the terms with such an attribute are added up again

import {unpack, places} from './arrays.mjs';
import {preparation, density, TABLE, NORMAL, POINT, KERNEL, SLOPED} from './densities.mjs';
import {interactions} from './interactions.mjs';
import {softmax, logSum} from './numbers.mjs';

export function model(data) {
  const m = data.whatif, a = unpack(m), n = data.attributes.length, K = data.model.classes.length;
  const C = m.differences ? 1 : m.columns; // of two classes only the difference is kept
  const lineAt = places(n, j => a.lines[j]), slopeAt = places(n, j => +(a.term[j] === SLOPED));
  const normalAt = places(n, j => +(a.term[j] === NORMAL));
  const {prepare, put} = preparation(a, n, m), dense = density(a, n, K), {members, terms} = interactions(a, n, C);
  const both = new Float64Array(K);

  // out[at ...] += what the cell of attribute j adds, C numbers
  function part(j, line, x, out, at) {
    const kind = a.term[j];
    if (kind === TABLE || kind === SLOPED) {
      for (let c = 0; c < C; c++) out[at + c] += a.table[(lineAt[j] + line) * C + c];
      if (kind === TABLE || Number.isNaN(x)) return;
      const sd = a.centre[2 * slopeAt[j] + 1];
      const z = sd > 0 ? Math.max(-4, Math.min(4, (x - a.centre[2 * slopeAt[j]]) / sd)) : 0;
      for (let c = 0; c < C; c++) out[at + c] += a.slope[slopeAt[j] * C + c] * z;
      return;
    }
    if (kind < NORMAL || kind > KERNEL || Number.isNaN(x)) return;
    if (kind >= POINT) dense(j, x, both);
    else
      for (let c = 0, p = a.normal, first = 4 * K * normalAt[j]; c < K; c++) {
        const z = Math.min(Math.abs(x - p[first + K + c]) * p[first + 2 * K + c], 1e140);
        both[c] = p[first + c] - p[first + 3 * K + c] * z * z;
      }
    if (m.differences) out[at] += both[1] - both[0];
    else for (let c = 0; c < K; c++) out[at + c] += both[c];
  }

  function calibrate(s) {
    if (!m.scale) return s;
    const all = m.vector ? logSum(s) : 0;
    return s.map((x, c) => Number.isFinite(x) && Number.isFinite(all) ? m.scale[c] * (x - all) + m.shift[c] : x);
  }
  function scoreOf(sum) {
    const score = m.start.map(x => x === null ? -Infinity : x);
    if (m.differences) score[1] += sum[0];
    else for (let c = 0; c < C; c++) score[m.present ? m.present[c] : c] += sum[c];
    return calibrate(score);
  }
  function evidence(row) {
    const {line, number} = prepare(row), alone = new Float64Array(n * C), together = new Float64Array(members.length * C);
    for (let j = 0; j < n; j++) part(j, line[j], number[j], alone, j * C);
    for (const t of terms) t.add(line, together);
    const sum = new Float64Array(C);
    for (const list of [alone, together]) for (let k = 0; k < list.length; k++) sum[k % C] += list[k];
    return {alone, together, sum, score: scoreOf(sum)};
  }

  const touching = Array.from({length: n}, () => []);
  terms.forEach((t, k) => { for (const j of t.of) touching[j].push(k); });

  // A change of two cells is that of the first, that of the second, and what the terms with both of them add to it.
  function changing(row) {
    const whole = changes => {
      const other = row.slice();
      for (const [j, x] of changes) other[j] = x;
      return evidence(other).score;
    };
    if (m.unit) return whole; // a change of one cell changes the length of the row, and with it every number
    const {sum} = evidence(row), {line, number} = prepare(row), now = terms.map(t => t.value(line)), known = new Map(), shared = new Map();
    const base = line.slice();
    function single(j, x) { // {line, delta}: the line of the value, and what it changes
      const key = `${j} ${x}`;
      if (known.has(key)) return known.get(key);
      const delta = new Float64Array(C), before = number[j];
      part(j, line[j], number[j], delta, 0);
      for (let c = 0; c < C; c++) delta[c] = -delta[c];
      put(j, x, 0, line, number);
      part(j, line[j], number[j], delta, 0);
      for (const k of touching[j]) { const v = terms[k].value(line); for (let c = 0; c < C; c++) delta[c] += v[c] - now[k][c]; }
      const answer = {line: line[j], delta};
      line[j] = base[j];
      number[j] = before;
      known.set(key, answer);
      return answer;
    }
    function both(i, j) { // the terms with both attributes
      const key = i * n + j;
      if (!shared.has(key)) shared.set(key, touching[i].filter(k => terms[k].of.includes(j)));
      return shared.get(key);
    }
    return changes => {
      if (changes.length > 2) return whole(changes);
      const next = sum.slice(), moves = changes.map(([j, x]) => single(j, x));
      for (const {delta} of moves) for (let c = 0; c < C; c++) next[c] += delta[c];
      if (moves.length === 2) {
        const [[i], [j]] = changes, [x, y] = moves;
        for (const k of both(i, j)) {
          line[i] = x.line;
          const one = terms[k].value(line);
          line[j] = y.line;
          const two = terms[k].value(line);
          line[i] = base[i];
          const other = terms[k].value(line);
          line[j] = base[j];
          for (let c = 0; c < C; c++) next[c] += two[c] - one[c] - other[c] + now[k][c];
        }
      }
      return scoreOf(next);
    };
  }

  function decide(p) {
    if (m.decision === 1) return p[m.chosen] >= m.threshold ? m.chosen : 1 - m.chosen;
    let best = 0;
    const value = c => m.decision === 2 ? -p.reduce((sum, q, actual) => sum + q * m.cost[actual * K + c], 0) : p[c];
    for (let c = 1; c < K; c++) if (value(c) > value(best)) best = c;
    return best;
  }
  function odds(list, k, x, y) {
    if (m.differences) return (x === 1 ? 1 : -1) * list[k] * (m.scale ? m.scale[0] : 1);
    const at = c => {
      const place = m.present ? m.present.indexOf(c) : c;
      return place < 0 ? 0 : list[k * C + place] * (m.scale ? m.scale[c] : 1);
    };
    return at(x) - at(y);
  }
  return {n, K, members, evidence, changing, probabilities: softmax, decide, odds, kind: a.kind};
}
