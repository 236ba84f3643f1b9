// tables.mjs - components that are tables: a reader without eyes for colours, and a printer, get the numbers.
//
//   bars({id, rows, most, format, shown, head})
//        rows: [{name: text or node, value, error, colour, lines, go}]; lines: tooltip; go: called when the name is clicked
//        error: half the width of an interval. Rows above `shown` are folded away. head: title of the numbers
//   table({id, head, rows, sort, go})
//        head: [text or {text, number: true}]; a cell is a text, a node, or {value, text}. sort: a click on a head sorts
//   heat({id, down, across, at, text, lines, up, below, most})
//        at(i, j): number or null; labels are texts. up, below: colours of positive and of negative cells,
//        which are pale where a cell has text
//   confusion({id, classes, cells, total, colour})
//        classes: names in the order of the lines; cells[actual][predicted]: rows; both matrices of a page share the order
//   waterfall({id, steps, total, colours: [for, against], title})
//        steps: [{name, value, lines, kind}], from 0 to the total

import {make, name, clear} from './dom.mjs';
import {show, signed, count, percent} from './numbers.mjs';
import {hover} from './tooltip.mjs';
import {tint} from './colours.mjs';
import {fold} from './layout.mjs';

const CELL = 40, LINE = 70; // characters of a cell of a table, and of the name of a line
const node = (x, most) => typeof x === 'string' ? name(x, most) : x;

export function bars({id, rows, most, format = x => show(x, 3), shown = rows.length, head}) {
  const top = most || Math.max(1e-300, ...rows.map(r => r.value + (r.error || 0)));
  const width = x => (100 * Math.max(0, Math.min(1, x / top))).toFixed(2) + '%';
  const line = r => hover(make('tr', {}, make('th', {scope: 'row'},
    r.go ? make('button', {class: 'link', type: 'button', onclick: r.go}, node(r.name, LINE)) : node(r.name, LINE)),
  make('td', {class: 'track'}, make('div', {class: 'bar', style: `width:${width(r.value)};--k:${r.colour || 'var(--bar)'}`}),
    r.error > 0 && make('i', {class: 'whisker', style: `left:${width(r.value - r.error)};right:calc(100% - ${width(r.value + r.error)})`})),
  make('td', {class: 'n'}, format(r.value), r.error > 0 && make('small', {}, ' \u00b1\u2009' + format(r.error)))), r.lines || null);
  const one = list => make('table', {class: 'bars', id: list === rows ? id : undefined}, ...list.map(line));
  const first = make('table', {class: 'bars', id}, head && make('tr', {class: 'heads'}, make('th'), make('th'),
    make('th', {class: 'n'}, head)),
    ...rows.slice(0, shown).map(line));
  return rows.length > shown ? make('div', {class: 'stretch'}, first, fold(`${rows.length - shown} more`, () => one(rows.slice(shown))))
    : first;
}

export function table({id, head, rows, sort, go, kind = ''}) {
  const cell = c => c !== null && typeof c === 'object' && !(c instanceof Node) ? c : {text: c, value: c};
  const body = make('tbody');
  let by = -1, up = false;
  const put = () => {
    const value = r => cell(r[by]).value;
    const list = by < 0 ? rows : rows.slice().sort((a, b) => {
      const x = value(a), y = value(b);
      return (up ? 1 : -1) * (typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y)));
    });
    clear(body, list.map(r => make('tr', go ? {class: 'go', tabindex: 0, onclick: () => go(r),
      onkeydown: e => { if (e.key === 'Enter') go(r); }} : {}, ...r.map((c, k) => make(k ? 'td' : 'th', {scope: k ? undefined : 'row',
      class: head[k] && head[k].number ? 'n' : undefined}, node(cell(c).text ?? '\u2013', CELL))))));
  };
  const order = k => { up = by === k ? !up : !(head[k] && head[k].number); by = k; put(); };
  const title = (h, k) => make('th', {scope: 'col', class: h.number ? 'n' : undefined},
    sort ? make('button', {class: 'link', type: 'button', onclick: () => order(k)}, node(h.text ?? h, CELL)) : node(h.text ?? h, CELL));
  put();
  return make('div', {class: 'scroll'}, make('table', {id, class: 'data ' + kind}, make('thead', {}, make('tr', {}, ...head.map(title))),
    body));
}

const LABEL = 26;
const long = labels => labels.some(t => t.length > (labels.length < 4 ? 16 : labels.length < 7 ? 9 : 5));

// Heads of columns: turned where one of them is too long for its column.
const heads = labels => labels.map(t => make('th', {class: long(labels) ? 'turn' : 'up', scope: 'col'}, make('span', {}, name(t, LABEL))));

export function heat({id, down, across, at, text, lines, up, below, most}) {
  let top = most;
  if (!top) for (let i = 0; i < down.length; i++) for (let j = 0; j < across.length; j++) top = Math.max(top || 0, Math.abs(at(i, j) || 0));
  const cell = (i, j) => {
    const value = at(i, j);
    if (value === null || value === undefined) return make('td', {class: 'none'});
    return hover(make('td', {style: `background:${tint(value, text ? 2 * top : top, up, below)}`}, text ? text(value, i, j) : ''),
      lines ? lines(i, j, value) : [`${down[i]} \u00d7 ${across[j]}`, ['', signed(value)]]);
  };
  return make('div', {class: 'scroll'}, make('table', {id, class: 'heat'}, make('tr', {}, make('td'), ...heads(across)),
    ...down.map((t, i) => make('tr', {}, make('th', {scope: 'row', class: t.length < 15 && 'short'}, name(t, LABEL)),
      ...across.map((_, j) => cell(i, j))))));
}

export const corner = () => make('td', {class: 'corner'}, 'actual \u2193', make('br'), 'predicted \u2192');

export function confusion({id, classes, cells, total}) {
  const sums = total || cells.map(line => line.reduce((a, b) => a + b, 0)), many = classes.length > 12, few = classes.length < 6;
  const cell = (i, j) => {
    const share = sums[i] ? cells[i][j] / sums[i] : 0;
    return hover(make('td', {class: i === j ? 'right' : 'wrong', style: `--o:${share.toFixed(3)}`},
      many && !cells[i][j] ? '' : count(cells[i][j]), few && make('small', {}, percent(share))),
        [`${classes[i]} predicted ${classes[j]}`, ['rows', count(cells[i][j])],
      [`of ${classes[i]}`, percent(share)]]);
  };
  return make('div', {class: 'scroll'}, make('table', {id, class: many ? 'matrix many' : few ? 'matrix few' : 'matrix'},
    make('tr', {}, corner(), ...heads(classes)),
    ...classes.map((t, i) => make('tr', {}, make('th', {scope: 'row'}, name(t, LABEL)), ...classes.map((_, j) => cell(i, j))))));
}

export function waterfall({id, steps, total, colours, title}) {
  let at = 0, lo = Math.min(0, total), hi = Math.max(0, total);
  for (const s of steps) { at += s.value; lo = Math.min(lo, at); hi = Math.max(hi, at); }
  const width = (hi - lo) || 1, part = v => (100 * v / width).toFixed(2) + '%';
  at = 0;
  const line = (s, from, kind) => hover(make('tr', {class: kind}, make('th', {scope: 'row'}, node(s.name, LINE)),
    make('td', {class: 'fall'}, make('i', {class: 'zero', style: `left:${part(-lo)}`}),
      make('i', {class: 'step', style: `left:${part(Math.min(from, from + s.value) - lo)};width:max(2px,${part(Math.abs(s.value))});` +
        `--k:${colours[s.value > 0 ? 0 : 1]}`})),
    make('td', {class: 'n'}, signed(s.value))), s.lines || null);
  const lines = steps.map(s => { const r = line(s, at); at += s.value; return r; });
  return make('table', {id, class: 'waterfall'}, title && make('caption', {}, ...[title].flat()), ...lines,
    line({name: 'total', value: total}, 0, 'total'));
}
