// arrays.mjs - the numbers of a model, which the page holds as one text in base64.
//
//   unpack({arrays, bytes})    an object of typed arrays by name
//   places(n, size)            where the parts of each of n things begin in an array that has them one after another

export function unpack(m) {
  const text = atob(m.bytes), bytes = new Uint8Array(text.length), view = new DataView(bytes.buffer);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  const a = {};
  for (const [name, [type, at, n, power]] of Object.entries(m.arrays)) {
    if (type === 'd') a[name] = new Float64Array(bytes.slice(at, at + 8 * n).buffer);
    else if (type === '1') a[name] = bytes.slice(at, at + n);
    else if (type === '2') a[name] = new Uint16Array(bytes.slice(at, at + 2 * n).buffer);
    else if (type === '4') a[name] = new Uint32Array(bytes.slice(at, at + 4 * n).buffer);
    else { // fixed point, of 48 bits ("q") or of 40
      const wide = type === 'q', size = wide ? 6 : 5, unit = Math.pow(2, power - (wide ? 47 : 39)), x = a[name] = new Float64Array(n);
      for (let k = 0, i = at; k < n; k++, i += size)
        x[k] = ((wide ? view.getInt16(i + 4, true) : view.getInt8(i + 4)) * 4294967296 + view.getUint32(i, true)) * unit;
    }
  }
  return a;
}

export function places(n, size) {
  const at = new Float64Array(n + 1);
  for (let j = 0; j < n; j++) at[j + 1] = at[j] + size(j);
  return at;
}
