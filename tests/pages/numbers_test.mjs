// Scales, ticks and the text of numbers.
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {chance, fixed, linear, logarithmic, roundStep, ticks, ticksAmong, show, signed, percent, count, softmax, logSum} from '../../lib/pages/assets/numbers.mjs';
import {wholeLines} from '../../lib/pages/assets/maps.mjs';
import {rowsOf} from '../../lib/pages/assets/layout.mjs';

test('a round step is 1, 2 or 5 times a power of ten, and cuts the range into at most n pieces', () => {
  for (const [lo, hi] of [[0, 1], [-3, 7], [1e-9, 4e-9], [100, 100.5], [-1e12, 1e12], [0, 0.3]])
    for (let n = 2; n < 12; n++) {
      const step = roundStep(lo, hi, n), digit = step / Math.pow(10, Math.floor(Math.log10(step * (1 + 1e-12))));
      assert.ok([1, 2, 5, 10].some(f => Math.abs(f - digit) < 1e-9), `${step}`);
      assert.ok((hi - lo) / step <= n + 1e-6, `${lo} ${hi} ${n} ${step}`);
      assert.ok(roundStep(lo, hi, n) < 10.001 * (hi - lo) / n);
    }
  assert.equal(roundStep(1, 1, 5), 1);
});

test('ticks lie within the range, are multiples of the step, and have no noise of rounding', () => {
  assert.deepEqual(ticks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(-0.3, 0.3, 6), [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]);
  assert.ok(ticks(-1, 1, 4).some(t => Object.is(t, 0)), 'zero is not negative');
  for (const t of ticks(-7.13, 22.9, 9)) assert.ok(t >= -7.13 && t <= 22.9);
});

test('ticks among values are values that exist', () => {
  const values = [1, 2, 3, 5, 8, 13, 21];
  assert.deepEqual(ticksAmong(values, 7), values);
  for (let n = 2; n < 7; n++) {
    const list = ticksAmong(values, n);
    assert.ok(list.length <= n && list.every(v => values.includes(v)));
  }
});

test('ties are rounded to the even digit, as C does', () => {
  for (const [x, text] of [[1.625, '1.62'], [1.875, '1.88'], [2.5, '2.50'], [1.005, '1.00'], [1.126, '1.13'], [3.375, '3.38']])
    assert.equal(fixed(x, 2), text);
  assert.equal(fixed(0.5, 0), '0');
  assert.equal(fixed(1.25, 1), '1.2');
});

test('scales go forth and back', () => {
  const x = linear([2, 12], [100, 300]), l = logarithmic([0.001, 1], [0, 300]);
  assert.equal(x(7), 200);
  assert.equal(x.back(200), 7);
  assert.ok(Math.abs(l(0.1) - 200) < 1e-9 && Math.abs(l.back(100) - 0.01) < 1e-12);
  assert.equal(l(0), 0, 'zero stays at the end of a logarithmic axis');
  assert.deepEqual(l.ticks(5), [0.001, 0.01, 0.1, 1]);
  assert.ok(Number.isFinite(linear([3, 3], [0, 10])(3)), 'a range of one value');
});

test('numbers as text', () => {
  assert.equal(show(0.123456), '0.123');
  assert.equal(show(123456, 3), '123456');
  assert.equal(show(-2.5), '\u22122.5');
  assert.equal(show(null), '\u2013');
  assert.equal(show(NaN), '\u2013');
  assert.equal(show(0), '0');
  assert.equal(signed(0.004), '0.00');
  assert.equal(signed(1.239), '+1.24');
  assert.equal(count(1234567), '1\u2009234\u2009567');
  assert.equal(percent(0.005), '0.50\u2009%');
  assert.deepEqual([chance(0.99999), chance(1e-9), chance(0.25), chance(1)], ['> 0.999', '< 0.001', '0.250', '1.000']);
  assert.equal(percent(1), '100\u2009%');
  assert.equal(percent(0.9995), '99.95\u2009%');
});

test('softmax and log-sum-exp stand large scores', () => {
  assert.deepEqual(softmax([1000, 1000]), [0.5, 0.5]);
  assert.deepEqual(softmax([0, -Infinity]), [1, 0]);
  assert.ok(Math.abs(logSum([-1000, -1000]) - (-1000 + Math.log(2))) < 1e-12);
  assert.equal(logSum([-Infinity, -Infinity]), -Infinity);
});

test('rows of cards are balanced: none is more than one card shorter than another', () => {
  assert.deepEqual(rowsOf(4, 3), [2, 2]);
  assert.deepEqual(rowsOf(5, 3), [3, 2]);
  assert.deepEqual(rowsOf(7, 3), [3, 2, 2]);
  for (let n = 1; n < 40; n++)
    for (let most = 1; most < 6; most++) {
      const rows = rowsOf(n, most);
      assert.equal(rows.reduce((a, b) => a + b, 0), n);
      assert.ok(Math.max(...rows) <= most && Math.max(...rows) - Math.min(...rows) <= 1);
    }
});

test('intervals of whole numbers have bounds that are whole, and those without a whole number are left out', () => {
  const lines = wholeLines(['\u2264 0', '\u2264 0.5', '\u2264 1', '\u2264 1.5', '\u2264 2.5', '> 2.5']);
  assert.deepEqual(lines.map(l => l.text), ['\u2264 0', '\u2264 1', '\u2264 2', '\u2265 3']);
  assert.deepEqual(lines.map(l => l.at), [0, 2, 4, 5]);
  assert.deepEqual(wholeLines(['\u2264 127.5', '> 127.5']).map(l => l.text), ['\u2264 127', '\u2265 128']);
  assert.deepEqual(wholeLines(['any']).map(l => l.text), ['any']);
});
