// flip.mjs - what would change a decision: the smallest changes of one or two attributes after which the model predicts
// another class. Only values that occur in the data are tried, and the score is the exact one.
//
//   flips(net, row, choices, options)   choices: [{attribute, values, numeric}], the attributes that may change; values that
//                                       occur, numbers increasing. options: most (answers), pairs (attributes tried
//                                       in twos), values (of each of them that are tried, evenly spaced by size), until (a time
//                                       of performance.now() after which no further two attributes are tried)
//     answers: [{changes: [[attribute, value]], to: class, p: its probability, size}], the smallest first
//   sizeOf(choice, from, to)            0..1: for numbers how many of the values lie between, as a share; else 1/2
//
// One change is smaller than two. Of an attribute only the smallest change is told, and two attributes only where neither
// alone is enough with the same value.

import {softmax, ticksAmong} from './numbers.mjs';

const placeIn = (values, x) => {
  let lo = 0, hi = values.length;
  while (lo < hi) { const mid = (lo + hi) >> 1; if (values[mid] < x) lo = mid + 1; else hi = mid; }
  return values[lo] === x ? lo : lo - 0.5;
};

export function sizeOf({numeric, values}, from, to) {
  if (from === to) return 0;
  if (!numeric || from === null || from < 0 && !numeric) return 0.5;
  return Math.abs(placeIn(values, to) - placeIn(values, from)) / Math.max(1, values.length - 1);
}

// The changes of one attribute, the smallest first.
function movesOf(choice, row) {
  const from = row[choice.attribute];
  return choice.values.filter(v => v !== from).map(v => ({change: [choice.attribute, v], size: sizeOf(choice, from, v)}))
    .sort((a, b) => a.size - b.size);
}

export function flips(net, row, choices, {most = 5, pairs = 10, values = 7, until = Infinity} = {}) {
  const score = net.changing(row), now = net.decide(softmax(score([]))), found = [], moves = choices.map(c => movesOf(c, row));
  const tried = (list, size) => {
    const p = softmax(score(list)), to = net.decide(p);
    return to === now ? null : {changes: list, to, p: p[to], size};
  };
  const alone = moves.map(list => list.map(m => tried([m.change], m.size)));
  for (const list of alone) {
    const first = list.find(Boolean);
    if (first) found.push(first);
  }
  if (found.length < most) {
    // In twos: attribute by attribute, stopping where every further change would be larger than the best one found.
    const twos = [];
    const few = moves.slice(0, pairs).map((list, k) => ticksAmong(list.filter((_, v) => !alone[k][v]), values));
    for (let a = 0; a < few.length; a++)
      for (let b = a + 1; b < few.length; b++) {
        if (performance.now() > until) continue;
        let best = null;
        for (const x of few[a]) {
          if (best && x.size >= best.size) break;
          for (const y of few[b]) {
            if (best && x.size + y.size >= best.size) break;
            best = tried([x.change, y.change], x.size + y.size) || best;
          }
        }
        if (best) twos.push(best);
      }
    twos.sort((a, b) => a.size - b.size);
    found.sort((a, b) => a.size - b.size).push(...twos);
  } else found.sort((a, b) => a.size - b.size);
  return found.slice(0, most);
}
