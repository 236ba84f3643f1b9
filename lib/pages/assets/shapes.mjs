// shapes.mjs - what the values of each attribute say, all on the same scale, with how often they occur.
//
//   drawShapes(page)        the section; its property `reveal(attribute)` shows and scrolls to the card of an attribute

import {make, draw, name} from './dom.mjs';
import {show, signed, percent, ticksThatExist, linear, count} from './numbers.mjs';
import {card, section, grid, fold} from './layout.mjs';
import {plot, path} from './plot.mjs';
import {hover} from './tooltip.mjs';
import {swatch} from './colours.mjs';
import {evidenceName} from './context.mjs';

const HEIGHT = 232, VALUES = 7, FIRST = 9;

// Which series are drawn: [{name, colour, values, missing}].
const interval = (s, k) => s.error ? [['95\u2009% interval', '\u00b1\u2009' + show(s.error[k], 2)]] : [];

function seriesOf(page, s) {
  if (page.two) return [{values: s.series[0], missing: s.missing, colour: 'var(--ink)', name: `log-odds of ${page.classes[page.one]}`}];
  const places = page.data.shapes.classes;
  return page.picked.filter(c => places.includes(c)).map(c => ({name: page.classes[c], colour: page.colour(c),
    values: s.series[places.indexOf(c)], missing: s.missing && s.missing[places.indexOf(c)]}));
}
const rowsText = (page, s, k) => s.rows && page.data.shapes.sampled >= page.data.data.rows ? [['rows', `${count(s.rows[k])} (${percent(s.share[k])})`]]
  : s.share ? [['rows', percent(s.share[k])]] : [];
const missingNote = series => series.some(s => Number.isFinite(s.missing))
  ? make('p', {class: 'sub'}, 'missing: ' + series.map(s => signed(s.missing)).join(', ')) : null;

// ---- numbers ----

function histogramOf(s, x, box) {
  const bars = [], top = Math.max(...s.share), deep = 30, bottom = box.top + box.height, n = s.share.length;
  for (let k = 0; k < n; k++) {
    const from = s.discrete ? x(s.at[k]) - 3 : x(s.low + k * (s.high - s.low) / n), to = s.discrete ? from + 6
      : x(s.low + (k + 1) * (s.high - s.low) / n) - 1;
    const height = top > 0 ? deep * s.share[k] / top : 0;
    bars.push(draw('rect', {class: 'rows', x: from, width: Math.max(1, to - from), y: bottom - height, height}));
  }
  return bars;
}

function numberShape(page, s, id) {
  const a = page.attributes[s.attribute], reach = page.data.shapes.reach || 1, series = seriesOf(page, s);
  const ticks = s.discrete ? ticksThatExist(s.at, 8) : a.decimals === 0 ? linear([s.low, s.high], [0, 1]).ticks(6).filter(Number.isInteger)
    : undefined;
  const pad = s.discrete ? 0.5 * (s.high - s.low) / Math.max(1, s.at.length) : 0;
  const nearest = v => { let k = 0; s.at.forEach((t, i) => { if (Math.abs(t - v) < Math.abs(s.at[k] - v)) k = i; }); return k; };
  const bin = v => s.discrete ? nearest(v) : Math.max(0,
    Math.min(s.share.length - 1, Math.floor((v - s.low) / (s.high - s.low) * s.share.length)));
  return plot({id, label: `${a.name}: evidence of its values`, height: HEIGHT,
    x: {lo: s.low - pad, hi: s.high + pad, ticks, text: v => show(v, 6)},
      y: {lo: -reach, hi: reach, text: v => signed(v, reach > 4 ? 0 : 1), n: 5},
    paint({svg, x, y, box}) {
      if (s.share) svg.append(...histogramOf(s, x, box));
      for (const one of series) {
        const points = s.at.map((v, k) => [v, one.values[k]]).filter(p => p[1] !== null), d = path(points, x, y, s.step && !s.discrete);
        if (page.two && points.length) {
          const area = `${d}V${y(0)}H${x(points[0][0])}Z`;
          for (const [c, from, to] of [[page.one, y.to, y(0)], [page.zero, y(0), y.from]])
            svg.append(draw('svg', {x: box.left, y: from, width: box.width, height: Math.max(0, to - from), overflow: 'hidden',
              viewBox: `${box.left} ${from} ${box.width} ${Math.max(1e-3, to - from)}`},
                draw('path', {class: 'area', d: area, style: `fill:${page.colour(c)}`})));
        }
        svg.append(draw('path', {class: 'line', d, style: `stroke:${one.colour}`}));
        if (s.error) for (const sign of [-1, 1]) svg.append(draw('path', {class: 'line bound', style: `stroke:${one.colour}`,
          d: path(s.at.map((v, k) => [v, one.values[k] + sign * s.error[k]]), x, y, s.step && !s.discrete)}));
        if (s.discrete) svg.append(...points.map(([v, e]) => draw('circle',
          {class: 'dot', r: 3.5, cx: x(v), cy: y(e), style: `fill:${page.two ? page.colour(e > 0 ? page.one : page.zero) : one.colour}`})));
      }
    },
    tip(v, _y, at, {x, y}) {
      const k = nearest(v), first = series[0];
      if (first) Object.assign(at, {px: x(s.at[k]), py: y(first.values[k]), colour: first.colour});
      return [`${a.name} = ${show(s.at[k], 6)}`, ...series.map(one => [one.name, signed(one.values[k])]), ...interval(s, k), ...s.share
        ? rowsText(page, s, bin(s.at[k])) : []];
    }});
}

// ---- values ----

function valueShape(page, s, id) {
  const a = page.attributes[s.attribute], reach = page.data.shapes.reach || 1, series = seriesOf(page, s);
  const at = v => 50 + 50 * Math.max(-1, Math.min(1, v / reach));
  const line = k => {
    const marks = page.two ? [make('i', {class: 'step',
      style: `left:${Math.min(50, at(series[0].values[k]))}%;width:${Math.max(0.6, Math.abs(at(series[0].values[k]) - 50))}%;` +
      `--k:${page.colour(series[0].values[k] > 0 ? page.one : page.zero)}`})]
      : series.map(one => make('i', {class: 'pin', style: `left:${at(one.values[k])}%;--k:${one.colour}`}));
    return hover(make('tr', {}, make('th', {scope: 'row'}, name(a.values[s.at[k]])), make('td', {class: 'middle'}, ...marks),
      page.two ? make('td', {class: 'n'}, signed(series[0].values[k])) : '',
        make('td', {class: 'n soft'}, s.share ? percent(s.share[k], 1) : '')),
    [`${a.name} = ${a.values[s.at[k]]}`, ...series.map(one => [one.name, signed(one.values[k])]), ...interval(s, k), ...rowsText(page, s, k)]);
  };
  // The most frequent values are shown, in the order of the model; the others can be unfolded.
  const all = s.at.map((_, k) => k),
    often = new Set(all.slice().sort((i, j) => (s.share ? s.share[j] - s.share[i] : i - j)).slice(0, VALUES));
  const rest = all.filter(k => !often.has(k)), left = s.n_values - s.at.length;
  const one = (list, own) => make('table', {class: 'values', id: own}, ...list.map(line));
  return make('div', {class: 'valuebox'}, one(all.filter(k => often.has(k)), id),
    (rest.length || left > 0) && fold(`${rest.length + left} more values`,
      () => [one(rest), left > 0 && make('p', {class: 'soft'}, `${count(left)} rarer values are not listed.`)].filter(Boolean)));
}

// ---- the section ----

function picker(page) {
  const list = page.data.shapes.classes;
  const boxes = list.map(c => {
    const box = make('input', {type: 'checkbox', checked: page.picked.includes(c)}), sign = make('span', {class: 'sign'});
    const put = () => sign.replaceChildren(...page.picked.includes(c) ? [swatch(page.colour(c))] : []);
    box.addEventListener('change', () => { if (!page.pick(c, box.checked) && box.checked) box.checked = false; });
    page.onPick(put);
    put();
    return make('label', {}, box, sign, name(page.classes[c]));
  });
  return make('div', {class: 'pick', id: 'pick', role: 'group', 'aria-label': 'classes shown'},
    make('span', {class: 'soft'}, 'Classes shown:'), ...boxes);
}

export function drawShapes(page) {
  const {shapes} = page.data, shown = new Map();
  if (!shapes.list.length) return null;
  const body = (s, k) => page.attributes[s.attribute].kind === 'values' ? valueShape(page, s, `shape-${k}`)
    : numberShape(page, s, `shape-${k}`);
  const one = k => {
    const s = shapes.list[k], own = card(name(page.label(s.attribute)), null, body(s, k), missingNote(page.two ? seriesOf(page, s) : []));
    own.classList.add('shape');
    own.tabIndex = -1;
    shown.set(s.attribute, own);
    if (!page.two) page.onPick(() => own.children[1].replaceWith(body(s, k)));
    return own;
  };
  const cards = grid(330, ...shapes.list.slice(0, FIRST).map((_, k) => one(k)));
  const more = make('button', {type: 'button', class: 'more', hidden: shapes.list.length <= FIRST});
  const label = () => {
    const left = shapes.list.length - shown.size;
    more.textContent = `Show ${Math.min(FIRST, left)} more of ${left} attributes`;
    more.hidden = left <= 0;
  };
  const add = n => { for (let k = shown.size; n > 0 && k < shapes.list.length; k++, n--) cards.append(one(k)); label(); };
  more.addEventListener('click', () => add(FIRST));
  label();
  const note = [...evidenceName(page), ' All plots have the same scale. Grey: how often values occur.'
    + (shapes.list.some(s => s.error) ? ' Dashed: 95\u2009% intervals of what a fit to other rows would say.' : '')];
  const element = section('shapes', 'What the values say', note, page.two ? null : picker(page), cards, more);
  element.reveal = j => {
    const k = shapes.list.findIndex(s => s.attribute === j);
    if (k < 0) return;
    if (!shown.has(j)) add(k + 1 - shown.size);
    shown.get(j).scrollIntoView({behavior: 'smooth', block: 'center'});
    shown.get(j).focus({preventScroll: true});
  };
  return element;
}
