// trees.mjs - what a boosted tree says, as evidence of single attributes, of pairs, of triples, and of more of them together.
//
//   effects(g, k, codes, shareOf, placeOf)   k: a node of trees, `codes` the one that its splits read; shareOf(row): the share of
//                                            the training rows that have each code of a row of it; placeOf(attributes): where
//                                            the evidence of a set is added. The result is a function
//     (t, value, add)                        that divides the evidence of tree t for the row that is loaded. value(leaf): its
//                                            numbers; add(place, factor, numbers)
//
// A leaf is a box: a product of what its splits say of each attribute. With q the share of the training rows inside, and
// d = (inside the box) - q, the product over the attributes is a sum over their subsets of products of d inside and q outside.
// The empty subset is the same for every row. Subsets of four and more are told as one.

const MOST = 3; // attributes of a set that is told by itself

const known = [];
function fewOf(n) { // the subsets of 1 to 3 of n things: lists, and the same as bits
  if (known[n]) return known[n];
  const lists = [];
  for (let a = 0; a < n; a++) {
    lists.push([a]);
    for (let b = a + 1; b < n; b++) { lists.push([a, b]); for (let c = b + 1; c < n; c++) lists.push([a, b, c]); }
  }
  return known[n] = {lists, bits: Uint32Array.from(lists, of => of.reduce((sum, x) => sum | 1 << x, 0))};
}

export function effects(g, k, codes, shareOf, placeOf) {
  const {leaves, row, left, first, goesLeft} = g.trees(k), attributes = [];
  const attributeOf = r => attributes[r] ??= [...g.attributes(codes, r)][0];
  const share = (splits, to) => shareOf(row[splits[0]]).reduce((sum, q, code) => // of the rows that go as the splits of one attribute say
    q && splits.every((s, x) => goesLeft(s, code) === to[x]) ? sum + q : sum, 0);
  function box(t, path) { // a leaf: bits of the splits of each attribute, and of those at which it is to the left
    const own = new Map();
    for (const [s, isLeft] of path) {
      const j = attributeOf(row[s]);
      if (!own.has(j)) own.set(j, {splits: [], to: [], tested: 0, left: 0});
      const o = own.get(j), bit = 1 << (s - first[t]);
      o.splits.push(s);
      o.to.push(isLeft);
      o.tested |= bit;
      if (isLeft) o.left |= bit;
    }
    const list = [...own.keys()].sort((a, b) => a - b), of = list.map(j => own.get(j)), n = list.length;
    return {
      n, q: of.map(o => share(o.splits, o.to)), tested: of.map(o => o.tested), left: of.map(o => o.left),
      parts: fewOf(n).bits, places: fewOf(n).lists.map(part => placeOf(part.map(x => list[x]))), rest: n > MOST ? placeOf([]) : -1
    };
  }
  const boxes = Array.from(leaves, (size, t) => {
    const list = [];
    let split = first[t];
    const walk = (some, path) => {
      if (some === 1) { list.push(box(t, path)); return; }
      const s = split++;
      walk(left[s], [...path, [s, true]]);
      walk(some - left[s], [...path, [s, false]]);
    };
    walk(size, []);
    return list;
  });
  const d = new Float64Array(32);
  return (t, value, add) => {
    let sides = 0; // a bit for each split: whether the row goes to the left
    for (let s = first[t]; s < first[t + 1]; s++) if (goesLeft(s, g.at[codes](row[s], 0))) sides |= 1 << (s - first[t]);
    boxes[t].forEach((b, leaf) => {
      const {n, q, parts} = b, numbers = value(leaf);
      let rest = 1, mean = 1;
      for (let x = 0; x < n; x++) {
        const is = +(((sides ^ b.left[x]) & b.tested[x]) === 0);
        rest *= is;
        mean *= q[x];
        d[x] = is - q[x];
      }
      rest -= mean;
      for (let k = 0; k < parts.length; k++) {
        let by = 1;
        for (let x = 0; x < n; x++) by *= parts[k] >> x & 1 ? d[x] : q[x];
        rest -= by;
        if (by) add(b.places[k], by, numbers);
      }
      if (b.rest >= 0) add(b.rest, rest, numbers);
    });
  };
}
