// densities.mjs - the cells of a row as lines of tables, and the densities of numbers.
//
//   preparation(a, n, m)           a function of a row: {line, number}, by attribute; m: the description of the model
//   codeOf(a, j, line)             the code that trees compare
//   density(a, n, K)               a function (j, x, out): log P(x | c) times its weight, for every class c
//   upperTail(z)                   1 - the normal distribution function

import {places} from './arrays.mjs';

// Kinds of attributes, and kinds of terms.
const NUMBER = 0, CUT = 2, ROUNDED = 4;
const NOMINAL = 1;
export const TABLE = 1;
export const NORMAL = 2;
export const POINT = 3;
export const KERNEL = 5;
export const SLOPED = 6;
const HALF_LOG_TWO_PI = 0.91893853320467274178;

// By a continued fraction or a series.
export function upperTail(z) {
  if (z < 0) return 1 - upperTail(-z);
  if (z > 38) return 0;
  const height = Math.exp(-z * z / 2 - HALF_LOG_TWO_PI);
  if (z < 3) {
    let term = z, sum = z;
    for (let k = 3; Math.abs(term) > 1e-17 * sum; k += 2) { term *= z * z / k; sum += term; }
    return 0.5 - height * sum;
  }
  let f = z;
  for (let k = 200; k > 0; k--) f = z + k / f;
  return height / f;
}

export const codeOf = (a, j, line) => a.kind[j] !== NUMBER ? line : line === a.missing[j] ? a.tree_missing[j] : line + 1;

export function preparation(a, n, m) {
  const cutAt = places(n, j => a.n_cuts[j]);
  function below(j, x) { // the number of cuts strictly below x
    let lo = cutAt[j], hi = cutAt[j + 1];
    while (lo < hi) { const mid = Math.floor((lo + hi) / 2); if (a.cuts[mid] < x) lo = mid + 1; else hi = mid; }
    return lo - cutAt[j];
  }
  const filled = (j, x) => (x === null || Number.isNaN(x)) && a.fill ? a.fill[j] : x === null ? NaN : x;

  function put(j, raw, length, line, number) {
    if (a.kind[j] === NOMINAL) {
      const x = raw === -1 ? (m.unseen_zero ? -1 : filled(j, null)) : filled(j, raw);
      line[j] = x === -1 ? a.unseen[j] : Number.isNaN(x) ? a.missing[j] : x;
      return;
    }
    let x = filled(j, raw);
    if (length > 0) x /= length;
    if (a.scaling) x = (x - a.scaling[2 * j]) * a.scaling[2 * j + 1];
    number[j] = x;
    line[j] = Number.isNaN(x) ? a.missing[j] : below(j, x);
    if (a.kind[j] === CUT && a.zero && a.zero[j] && !Number.isNaN(x))
      line[j] = line[j] === a.zero[j] ? 0 : line[j] === 0 ? a.zero[j] : line[j];
  }
  function prepare(row) {
    const line = new Uint32Array(n), number = new Float64Array(n);
    let length = 0;
    if (m.unit)
      for (let j = 0; j < n; j++)
        if (a.kind[j] !== NOMINAL) { const x = filled(j, row[j]); if (!Number.isNaN(x)) length += x * x; }
    for (let j = 0; j < n; j++) put(j, row[j], Math.sqrt(length), line, number);
    return {line, number};
  }
  return {prepare, put};
}

export function density(a, n, K) {
  const is = (...kinds) => j => +kinds.includes(a.term[j]);
  const momentAt = places(n, is(POINT, ROUNDED, KERNEL)), roundAt = places(n, is(ROUNDED)), kernelAt = places(n, is(KERNEL));
  const pointAt = places(a.points.length, k => a.points[k]);

  function point(x, mu, sd) {
    const z = Math.min(Math.abs(x - mu) / sd, 1e140);
    return sd === 0 ? (x === mu ? 0 : Math.log(1e-10)) : -HALF_LOG_TWO_PI - Math.log(sd) - 0.5 * z * z;
  }
  function rounded(x, mu, sd, q) {
    const near = Math.floor(x / q), up = x / q - near;
    const r = (up > 0.5 || (up === 0.5 && near % 2 !== 0) ? near + 1 : near) * q;
    const lo = (r - mu - q / 2) / sd, hi = (r - mu + q / 2) / sd;
    return Math.log(Math.max(lo > 0 ? upperTail(lo) - upperTail(hi) : upperTail(-hi) - upperTail(-lo), 1e-75));
  }
  function kernel(x, sd, from, to) {
    let most = -Infinity, sum = 0;
    const at = k => a.kernel[2 * k + 1] - 0.5 * ((x - a.kernel[2 * k]) / sd) ** 2;
    for (let k = from; k < to; k++) most = Math.max(most, at(k));
    for (let k = from; k < to; k++) sum += Math.exp(at(k) - most);
    return from < to ? most + Math.log(sum) - HALF_LOG_TWO_PI - Math.log(sd) : NaN;
  }
  return (j, x, out) => {
    const first = 3 * K * momentAt[j], kind = a.term[j];
    let mean = 0, some = 0;
    for (let c = 0; c < K; c++) {
      const mu = a.moments[first + 3 * c], sd = a.moments[first + 3 * c + 1], k = kernelAt[j] * K + c;
      out[c] = kind === POINT ? point(x, mu, sd) : kind === ROUNDED ? rounded(x, mu, sd, a.precision[roundAt[j]])
        : kernel(x, sd, pointAt[k], pointAt[k + 1]);
      if (!Number.isNaN(out[c])) { mean += out[c]; some++; }
    }
    for (let c = 0; c < K; c++) out[c] = (Number.isNaN(out[c]) ? mean / some : out[c]) * a.moments[first + 3 * c + 2];
  };
}
