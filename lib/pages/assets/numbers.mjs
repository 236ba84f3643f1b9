// numbers.mjs - scales, ticks and the text of numbers. Nothing here needs a page.
//
//   linear([lo, hi], [from, to])   a function from values to pixels; has .ticks(n) and .text(value)
//   logarithmic([lo, hi], [from, to])
//   roundStep(lo, hi, n)           the smallest of 1, 2, 5 x 10^k that cuts [lo, hi] into at most n pieces
//   ticks(lo, hi, n)               multiples of a round step within [lo, hi]
//   ticksAmong(values, n)          at most n of the sorted values, evenly spaced
//   ticksThatExist(values, n)      of the sorted values those at round numbers; where few are, those next to round numbers
//   show(x, digits)                significant digits; "–" where there is no number
//   signed(x), percent(x), count(n), fixed(x, decimals), chance(p): a probability, never rounded to 0 or 1
//   softmax(scores), logSum(scores), decimalsOf(step)

const MINUS = '\u2212';
const proper = text => text.replace(/-/g, MINUS);

export function roundStep(lo, hi, n) {
  const least = (hi - lo) / n;
  if (!(least > 0) || !Number.isFinite(least)) return 1;
  const power = Math.pow(10, Math.floor(Math.log10(least)));
  for (const factor of [1, 2, 5]) if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

export const decimalsOf = step => Math.max(0, Math.min(12, Math.ceil(-Math.log10(step) - 1e-9)));

export function ticks(lo, hi, n) {
  const step = roundStep(lo, hi, n), list = [], decimals = decimalsOf(step);
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + step * 1e-9; k++) list.push(+(k * step).toFixed(decimals) + 0);
  return list;
}

export function ticksAmong(values, n) {
  if (values.length <= n) return values.slice();
  const every = Math.ceil((values.length - 1) / (n - 1)), list = [];
  for (let k = 0; k < values.length; k += every) list.push(values[k]);
  return list;
}

export function ticksThatExist(values, n) {
  if (values.length <= n) return values.slice();
  const wanted = ticks(values[0], values[values.length - 1], n), there = wanted.filter(t => values.includes(t));
  if (there.length > 2) return there;
  const next = t => values.reduce((best, v) => Math.abs(v - t) < Math.abs(best - t) ? v : best);
  return [...new Set(wanted.map(next))];
}

export function show(x, digits = 3) {
  if (x === null || x === undefined || !Number.isFinite(+x)) return '\u2013';
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return proper((+x).toExponential(digits - 1).replace('+', ''));
  return proper(String(+(+x).toPrecision(Math.max(digits, size >= 1 ? Math.ceil(Math.log10(size + 1)) : 1))));
}
// Ties go to the even digit, as in the sentences of the document.
function toEven(x, decimals) {
  const unit = Math.pow(10, decimals), low = Math.floor(x * unit);
  return x * unit - low === 0.5 ? ((low % 2 ? low + 1 : low) / unit).toFixed(decimals) : x.toFixed(decimals);
}
export const fixed = (x, decimals) => Number.isFinite(x) ? proper(toEven(+x, decimals)) : '\u2013';
export function signed(x, decimals = 2) {
  const text = fixed(Math.abs(x) < 0.5 * Math.pow(10, -decimals) ? 0 : x, decimals);
  return /[1-9]/.test(text) && x > 0 ? '+' + text : text;
}
export const chance = p => p > 0.9995 && p < 1 ? '> 0.999' : p < 0.0005 && p > 0 ? '< 0.001' : fixed(p, 3);
export const count = n => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009');
export function percent(x, decimals) {
  if (!Number.isFinite(x)) return '\u2013';
  const p = 100 * x, edge = Math.min(p, 100 - p);
  return p.toFixed(decimals ?? (edge === 0 || edge >= 10 ? 0 : edge >= 1 ? 1 : edge >= 0.0095 ? 2 : 3)) + '\u2009%';
}

function scale(at, back, of) {
  return Object.assign(at, of, {back});
}

export function linear([lo, hi], [from, to]) {
  if (!(hi > lo)) [lo, hi] = [lo - 0.5, lo + 0.5];
  return scale(x => from + (x - lo) / (hi - lo) * (to - from), p => lo + (p - from) / (to - from) * (hi - lo), {
    lo, hi, from, to, ticks: n => ticks(lo, hi, n),
    text(x) { return fixed(x, decimalsOf(roundStep(lo, hi, 8))); }
  });
}

export function logarithmic([lo, hi], [from, to]) {
  const a = Math.log(lo), b = Math.log(hi > lo ? hi : lo * 10);
  return scale(x => from + (Math.log(Math.max(x, lo)) - a) / (b - a) * (to - from),
    p => Math.exp(a + (p - from) / (to - from) * (b - a)), {
      lo, hi, from, to,
      ticks(n) {
        const first = Math.ceil(Math.log10(lo) - 1e-9), last = Math.floor(Math.log10(hi) + 1e-9), list = [];
        const every = Math.max(1, Math.ceil((last - first + 1) / n));
        const inner = (last - first + 1) * 3 <= n ? [1, 2, 5] : [1];
        for (let k = first - 1; k <= last; k += every)
          for (const f of inner) {
            const x = +(f * Math.pow(10, k)).toPrecision(3);
            if (x >= lo * (1 - 1e-9) && x <= hi * (1 + 1e-9)) list.push(x);
          }
        return list.length > 1 ? list : [lo, hi];
      },
      text: x => show(x, 1)
    });
}

export function logSum(scores) {
  let most = -Infinity, sum = 0;
  for (const s of scores) most = Math.max(most, s);
  if (!Number.isFinite(most)) return most;
  for (const s of scores) sum += Math.exp(s - most);
  return most + Math.log(sum);
}

export function softmax(scores) {
  let most = -Infinity, sum = 0;
  for (const s of scores) most = Math.max(most, s);
  const p = Array.from(scores, s => Math.exp(s - most));
  for (const x of p) sum += x;
  return p.map(x => x / sum);
}
