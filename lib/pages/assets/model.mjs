// model.mjs - the score of an additive model, from the graph in the page: that of `heft predict`, within 1e-9.
//
//   model(data)      data: the document of the page, with `whatif`. A row is an array by attribute: a number, the index of
//                    a value, null (missing), or -1 (a value that the model does not know). The result has
//     evidence(row)          {alone, together, score}: what each attribute and each set of attributes adds; calibrated scores
//     probabilities(score), decide(p)
//     odds(list, k, x, y)    what entry k of alone or together adds to the log-odds of class x against y
//     members                the attributes of the entries of together; none: four or more together
//     changing(row)          a function of a list of [attribute, value]: the scores with these values in place of the row's.
//                            Only the terms with such an attribute are added up again

import {graph} from './graph.mjs';
import {places} from './arrays.mjs';
import {effects} from './trees.mjs';
import {softmax} from './numbers.mjs';

export function model(data) {
  const m = data.whatif, g = graph(m), n = data.attributes.length, K = data.model.classes.length, {nodes} = m;
  const some = m.lines !== null, C = some ? nodes[m.lines].columns : 1, start = some && g.array(m.sum, 'number');
  const members = [], sets = new Map(), total = new Float64Array(C);
  let proba = null;
  function placeOf(attributes) { // an attribute, or n + the place of a set
    if (attributes.length === 1) return attributes[0];
    const key = attributes.join();
    if (!sets.has(key)) { sets.set(key, n + members.length); members.push(attributes); }
    return sets.get(key);
  }

  // The terms: rows of the node of lines. A term of trees is divided among sets of attributes.
  const divide = new Map(), terms = [];
  const size = g.array('', 'share_size') || [], shareAt = places(size.length, r => size[r]);
  const shareOf = r => g.array('', 'share').subarray(shareAt[r], shareAt[r + 1]);
  for (let r = 0, n_lines = some ? nodes[m.lines].rows : 0; r < n_lines; r++) {
    const [k, i] = g.source(m.lines, r), of = [...g.attributes(k, i)].sort((a, b) => a - b), from = nodes[k].in ? nodes[k].in[0] : -1;
    const tree = nodes[k].op === 'lookup' && nodes[from].op === 'leaf', value = g.line(k, i), term = {of, value};
    if (tree) {
      const lines = g.array(k, 'size'), table = g.table[k];
      if (!divide.has(k)) divide.set(k, [effects(g, from, nodes[from].in[0], shareOf, placeOf), places(lines.length, x => lines[x])]);
      const [by, first] = divide.get(k);
      term.add = add => by(i, leaf => table.subarray((first[i] + leaf) * C, (first[i] + leaf + 1) * C), add);
    } else {
      const place = placeOf(of);
      term.add = add => add(place, 1, value());
    }
    terms.push(term);
  }

  if (some) g.at[m.sum] = (_, c) => total[c];
  const probability = g.at[m.probabilities];
  g.at[m.probabilities] = (i, c) => proba ? proba[c] : probability(i, c);
  function scoreOf(sum) {
    const score = new Array(K).fill(-Infinity);
    total.set(sum);
    m.kept.forEach((c, k) => { score[c] = g.at[m.score](0, nodes[m.score].columns === 1 ? 0 : k); });
    return score;
  }
  function sumOf() {
    const sum = start ? start.slice() : new Float64Array(C);
    for (const t of terms) { const x = t.value(); for (let c = 0; c < C; c++) sum[c] += x[c]; }
    return sum;
  }
  function evidence(row) {
    g.load(row);
    const parts = new Float64Array((n + members.length) * C), sum = sumOf();
    for (const t of terms) t.add((place, by, x) => { for (let c = 0; c < C; c++) parts[place * C + c] += by * x[c]; });
    return {alone: parts.subarray(0, n * C), together: parts.subarray(n * C), sum, score: scoreOf(sum)};
  }

  const touching = Array.from({length: n}, () => []);
  terms.forEach((t, k) => { for (const j of t.of) touching[j].push(k); });

  // A change of two cells is that of the first, that of the second, and what the terms with both of them add to it.
  function changing(row) {
    const whole = changes => { g.load(row); changes.forEach(([j, x]) => g.set(j, x)); return scoreOf(sumOf()); };
    if (m.unit) return whole; // a change of one cell changes the length of the row, and with it every number
    g.load(row);
    const sum = sumOf(), now = terms.map(t => t.value()), known = new Map(), shared = [];
    function single(j, x) {
      const key = `${j} ${x}`;
      if (known.has(key)) return known.get(key);
      const delta = new Float64Array(C);
      g.set(j, x);
      for (const k of touching[j]) { const v = terms[k].value(); for (let c = 0; c < C; c++) delta[c] += v[c] - now[k][c]; }
      g.set(j, row[j]);
      known.set(key, delta);
      return delta;
    }
    const both = (i, j) => shared[i * n + j] ||= touching[i].filter(k => terms[k].of.includes(j)); // the terms with both attributes
    return changes => {
      if (changes.length > 2) return whole(changes);
      const next = sum.slice();
      g.load(row);
      for (const [j, x] of changes) { const delta = single(j, x); for (let c = 0; c < C; c++) next[c] += delta[c]; }
      if (changes.length === 2) {
        const [[i, x], [j, y]] = changes;
        const valueWith = (k, a, cell) => { g.set(a, cell); return terms[k].value(); };
        for (const k of both(i, j)) {
          const one = valueWith(k, i, x), two = valueWith(k, j, y), other = valueWith(k, i, row[i]);
          g.set(j, row[j]);
          for (let c = 0; c < C; c++) next[c] += two[c] - one[c] - other[c] + now[k][c];
        }
      }
      return scoreOf(next);
    };
  }

  function decide(p) {
    proba = p;
    const best = g.at[m.decision](0, 0);
    proba = null;
    return best;
  }
  function odds(list, k, x, y) {
    if (m.differences) return (x === m.kept[1] ? 1 : -1) * list[k] * (m.scale ? m.scale[0] : 1);
    const of = place => place < 0 ? 0 : list[k * C + place] * (m.scale ? m.scale[place] : 1);
    return of(m.kept.indexOf(x)) - of(m.kept.indexOf(y));
  }
  return {n, K, members, evidence, changing, probabilities: softmax, decide, odds};
}
