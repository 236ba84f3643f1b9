// interactions.mjs - what sets of attributes add to the score: tables of pairs and triples, and boosted trees.
//
//   interactions(a, n, C)    a: the arrays of the model, n attributes, C columns. The result has
//     members                the sets of attributes, each a sorted array; their evidence is told apart
//     terms                  [{of: attributes, add(line, out), value(line)}]: add() adds the term's numbers for a row of lines
//                            to out, at place * C of its sets; value() gives their sum, C numbers, not to be changed
//
// A leaf of a tree is a box: a product of what its splits say of each attribute. With d = (inside the box) - (share of the
// training rows inside), the product over the attributes falls into effects of single attributes (they are in the tables of
// the attributes), of pairs and of triples.

import {places} from './arrays.mjs';
import {codeOf} from './densities.mjs';

export function interactions(a, n, C) {
  const sets = new Map(), members = [], none = new Float64Array(C);
  function placeOf(attributes) {
    const key = attributes.join();
    if (!sets.has(key)) { sets.set(key, members.length); members.push(attributes); }
    return sets.get(key);
  }

  // ---- tables ----

  function tableTerm(of, views, cells, keyed, key, first) {
    const place = placeOf(of);
    const value = line => {
      let cell = 0;
      for (let k = 0; k < of.length; k++) cell = cell * views[k].codes + a.view[views[k].first + line[of[k]]];
      if (keyed) {
        let lo = key, hi = key + cells;
        while (lo < hi) { const mid = (lo + hi) >> 1; if (a.keys[mid] < cell) lo = mid + 1; else hi = mid; }
        if (lo === key + cells || a.keys[lo] !== cell) return none;
        cell = lo - key;
      }
      return a.cells.subarray((first + cell) * C, (first + cell + 1) * C);
    };
    return {of, value, add(line, out) { const x = value(line); for (let c = 0; c < C; c++) out[place * C + c] += x[c]; }};
  }
  function tables() {
    const list = [], viewAt = [];
    for (let j = 0, at = 0; j < n; j++) {
      const own = viewAt[j] = [], lines = Math.max(a.missing[j], a.unseen[j]) + 1;
      for (let v = 0; v < a.views[j]; v++, at += lines + 1) own.push({codes: a.view[at], first: at + 1});
    }
    for (let at = 0, key = 0, cell = 0; at < a.joint.length;) {
      const size = a.joint[at++], of = [], views = [];
      for (let k = 0; k < size; k++, at += 2) { of.push(a.joint[at]); views.push(viewAt[a.joint[at]][a.joint[at + 1]]); }
      const cells = a.joint[at++], keyed = a.joint[at++];
      list.push(tableTerm(of, views, cells, keyed, key, cell));
      if (keyed) key += cells;
      cell += cells;
    }
    return list;
  }

  // ---- trees ----

  const listAt = a.split_attr && places(a.split_attr.length, s => a.split_listed[s]);
  const shareAt = a.split_attr && places(n, j => a.missing[j] + 1);

  function goesRight(s, code) {
    if (!a.split_listed[s]) return code > a.split_at[s];
    for (let l = listAt[s]; l < listAt[s + 1]; l++) if (a.listed[l] === code) return false;
    return true;
  }
  // The share of the training rows whose code of attribute j agrees with the splits of a path.
  function shareOf(j, path) {
    let sum = 0;
    for (let l = 0; l <= a.missing[j]; l++) {
      const share = a.share[shareAt[j] + l];
      if (share && path.every(([s, right]) => goesRight(s, codeOf(a, j, l)) === right)) sum += share;
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
  function treeTerm(split, leaf, size, boxes) {
    const of = [...new Set(a.split_attr.slice(split, split + size - 1))], known = new Map();
    const sides = line => { // a bit for each split: whether the row goes to the right
      let right = 0;
      for (let s = split; s < split + size - 1; s++)
        if (goesRight(s, codeOf(a, a.split_attr[s], line[a.split_attr[s]]))) right |= 1 << (s - split);
      return right;
    };
    function spread(right, out, flat) {
      for (let l = 0; l < size; l++) {
        const b = boxes[l];
        if (!b) continue;
        const q = b.share, d = q.map((share, k) => +(((right ^ b.right[k]) & b.tested[k]) === 0) - share);
        const by = d.length === 2 ? [d[0] * d[1]] : [d[0] * d[1] * q[2], d[0] * d[2] * q[1], d[1] * d[2] * q[0], d[0] * d[1] * d[2]];
        for (let k = 0; k < by.length; k++)
          for (let c = 0, to = flat ? 0 : b.place[k] * C; c < C; c++) out[to + c] += by[k] * a.leaf[(leaf + l) * C + c];
      }
    }
    function value(line) { // few of the possible sides occur, so they are worked out once
      const right = sides(line);
      let x = known.get(right);
      if (!x) { known.set(right, x = new Float64Array(C)); spread(right, x, true); }
      return x;
    }
    return {of, value, add: (line, out) => spread(sides(line), out)};
  }
  function trees() {
    const list = [];
    let split = 0, leaf = 0;
    for (const size of a.leaves || []) {
      const boxes = [], first = split;
      const walk = (leaves, path) => {
        if (leaves === 1) { boxes.push(box(first, path)); return; }
        const s = split++;
        walk(a.split_left[s], [...path, [s, false]]);
        walk(leaves - a.split_left[s], [...path, [s, true]]);
      };
      walk(size, []);
      list.push(treeTerm(first, leaf, size, boxes));
      leaf += size;
    }
    return list;
  }
  const terms = [...tables(), ...trees()];
  return {members, terms};
}
