// arrays.mjs - the numbers of a model, which the page holds as one text in base64.
//
//   unpack({arrays, bytes})              an object of typed arrays by name
//   tables(bytes, lines, width, power)   numbers of several tables: `lines` of each, whole numbers of `width` bytes, in units
//                                        of two to the power of `power` - 1100
//   places(n, size)                      where the parts of each of n things begin in an array that has them one after another

const KINDS = {1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array};

export function unpack(m) {
  const text = atob(m.bytes), bytes = new Uint8Array(text.length), a = {};
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  for (const [name, [size, at, n]] of Object.entries(m.arrays)) a[name] = new KINDS[size](bytes.slice(at, at + size * n).buffer);
  return a;
}

export function tables(bytes, lines, width, power) {
  const x = new Float64Array(lines.reduce((sum, n) => sum + n, 0));
  for (let i = 0, k = 0, at = 0; i < lines.length; i++) {
    const unit = Math.pow(2, power[i] - 1100), w = width[i], half = Math.pow(2, 8 * w - 1);
    for (let l = 0; l < lines[i]; l++, k++, at += w) {
      let whole = 0;
      for (let b = w - 1; b >= 0; b--) whole = whole * 256 + bytes[at + b];
      x[k] = (whole < half ? whole : whole - 2 * half) * unit;
    }
  }
  return x;
}

export function places(n, size) {
  const at = new Float64Array(n + 1);
  for (let j = 0; j < n; j++) at[j + 1] = at[j] + size(j);
  return at;
}
