// plot.mjs - plots with two axes, drawn at the width they have and again when it changes.
//
//   responsive(options, paint)     an SVG element in a <div>; paint(svg, width, height) is called when it is laid out.
//                                  options: id, label (for screen readers), height (a number or a function of the width)
//   plot({id, label, height, x, y, left, paint, tip})
//                                  x, y: {lo, hi, title, log, ticks: values, text: value => string, n: wished ticks}
//                                  paint({svg, x, y, box}): draws inside the axes; x and y are scales of numbers.mjs
//                                  tip(value of x, value of y, {x, y}): lines of the tooltip, or null
//   curve({..., series, diagonal, marks})
//                                  series: [{points: [[x, y, lines?]], colour, name, step, area, dash, thin}]; the tooltip
//                                  tells the nearest point. marks: [{x, y, colour}]. Values outside the axes are cut off
//   scatter({..., points, diagonal})
//                                  points: [{x, y, r, colour, lines, low, high, label}]; low..high is a vertical error bar
//   later(f)                       calls f when the page is there, in slices of a few milliseconds
//   drawn()                        draws everything at once, as printing and tests need it

import {make, draw, cut} from './dom.mjs';
import {linear, logarithmic} from './numbers.mjs';
import {hover} from './tooltip.mjs';

const waiting = new Set();
let slice = null;

// Plots are drawn in slices of a few milliseconds, so that the page answers while the last of them are drawn.
function work(until) {
  slice = null;
  for (const one of waiting) {
    waiting.delete(one);
    one();
    if (performance.now() > until) break;
  }
  if (waiting.size) slice = setTimeout(() => work(performance.now() + 12), 0);
}
export function drawn() {
  work(Infinity);
}
export function later(one) {
  waiting.add(one);
  if (!slice) slice = setTimeout(() => work(performance.now() + 12), 0);
}

export function responsive({id, label, height}, paint) {
  const host = make('div', {class: 'plot', style: `height:${typeof height === 'number' ? height : height(360)}px`});
  let width = 0;
  const again = () => {
    const high = typeof height === 'number' ? height : height(width);
    const root = draw('svg', {id, viewBox: `0 0 ${width} ${high}`, role: 'img', 'aria-label': label});
    host.style.height = high + 'px';
    host.replaceChildren(root);
    paint(root, width, high);
  };
  new ResizeObserver(([entry]) => {
    const now = Math.round(entry.contentRect.width);
    if (!now || now === width || matchMedia('print').matches) return;
    width = now;
    later(again);
  }).observe(host);
  return host;
}

const EDGE = 6;
const textWidth = text => 6.7 * String(text).length;

function axisTicks(of, scale, room, size) {
  const n = Math.max(2, Math.min(of.n || 6, Math.floor(room / size)));
  let list = (of.ticks ? of.ticks.filter(t => t >= scale.lo && t <= scale.hi) : scale.ticks(n));
  const every = Math.ceil((list.length - 1) / Math.max(n, 2));
  if (every > 1) list = list.filter((_, k) => k % every === 0);
  return list;
}

function axes(root, x, y, xAxis, yAxis, box) {
  const bottom = box.top + box.height, right = box.left + box.width;
  const fit = Math.floor(right / 6.7) - 2, xText = xAxis.text || x.text, yText = yAxis.text || y.text;
  const widest = Math.max(...[x.lo, x.hi].map(v => textWidth(xText(v)))) + 18;
  for (const t of axisTicks(yAxis, y, box.height, 28))
    root.append(draw('line', {class: t === 0 ? 'zero' : 'rule', x1: box.left, x2: right, y1: y(t), y2: y(t)}),
      draw('text', {class: 'tick end', x: box.left - 6, y: y(t) + 4}, yText(t)));
  for (const t of axisTicks(xAxis, x, box.width, widest)) {
    const w = textWidth(xText(t)) / 2, at = Math.max(box.left - 20 + w, Math.min(right + 6 - w, x(t)));
    root.append(draw('line', {class: 'mark', x1: x(t), x2: x(t), y1: bottom, y2: bottom + 4}),
      draw('text', {class: 'tick mid', x: at, y: bottom + 17}, xText(t)));
  }
  root.append(draw('line', {class: 'base', x1: box.left, x2: right, y1: bottom, y2: bottom}));
  if (xAxis.title) root.append(draw('text', {class: 'title end', x: right, y: bottom + 34}, cut(xAxis.title, fit) + ' \u2192'));
  if (yAxis.title) root.append(draw('text', {class: 'title', x: 2, y: 11}, '\u2191 ' + cut(yAxis.title, fit)));
}

const scaleOf = (of, range) => (of.log ? logarithmic : linear)([of.lo, of.hi], range);

export function plot({id, label, height = 250, x: xAxis, y: yAxis, left, paint, tip}) {
  return responsive({id, label, height}, (root, width, high) => {
    const yProbe = scaleOf(yAxis, [1, 0]), text = yAxis.text || yProbe.text;
    const room = left ?? 12 + Math.max(...axisTicks(yAxis, yProbe, high, 28).map(t => textWidth(text(t))));
    const box = {left: room, top: yAxis.title ? 22 : 8, width: width - room - 8};
    box.height = high - box.top - (xAxis.title ? 40 : 24);
    const x = scaleOf(xAxis, [box.left, box.left + box.width]), y = scaleOf(yAxis, [box.top + box.height, box.top]);
    axes(root, x, y, xAxis, yAxis, box);
    // What lies outside the axes is cut off, a little beyond them, so that a dot on an axis stays whole.
    const view = [box.left - EDGE, box.top - EDGE, box.width + 2 * EDGE, box.height + 2 * EDGE];
    const inside = draw('svg', {x: view[0], y: view[1], width: view[2], height: view[3], viewBox: view.join(' '), overflow: 'hidden'});
    root.append(inside);
    paint({svg: inside, over: root, x, y, box});
    if (tip) watch(root, x, y, box, tip);
  });
}

// A cross follows the pointer. tip() may move it to the nearest point by setting at.x and at.y.
function watch(root, x, y, box, tip) {
  const dot = draw('circle', {class: 'near', r: 4, visibility: 'hidden'});
  const pane = draw('rect', {class: 'pane', x: box.left, y: box.top, width: box.width, height: box.height});
  root.append(dot, pane);
  const away = () => dot.setAttribute('visibility', 'hidden');
  hover(pane, event => {
    const r = root.getBoundingClientRect(), k = root.viewBox.baseVal.width / r.width;
    const at = {x: (event.clientX - r.left) * k, y: (event.clientY - r.top) * k}, scales = {x, y};
    const lines = tip(x.back(at.x), y.back(at.y), at, scales);
    away();
    if (lines && at.px !== undefined) {
      dot.setAttribute('cx', at.px);
      dot.setAttribute('cy', at.py);
      dot.setAttribute('style', `fill:${at.colour || 'var(--ink)'}`);
      dot.setAttribute('visibility', 'visible');
    }
    return lines;
  });
  pane.addEventListener('pointerleave', away);
}

export function path(points, x, y, step) {
  let text = '', before = null;
  for (const [a, b] of points) {
    const px = x(a).toFixed(1), py = y(b).toFixed(1);
    text += !before ? `M${px} ${py}` : step ? `H${px}V${py}` : `L${px} ${py}`;
    before = py;
  }
  return text;
}

export function curve(options) {
  const {series, diagonal, marks} = options;
  return plot({...options,
    paint({svg, x, y, box}) {
      if (diagonal) svg.append(draw('line', {class: 'guide', x1: x(x.lo), y1: y(y.lo), x2: x(x.hi), y2: y(y.hi)}));
      for (const s of series) {
        if (!s.points.length) continue;
        const d = path(s.points, x, y, s.step), zero = y(Math.max(y.lo, Math.min(y.hi, 0))).toFixed(1);
        if (s.area) svg.append(draw('path', {class: 'area', style: `fill:${s.colour}`,
          d: `${d}V${zero}H${x(s.points[0][0]).toFixed(1)}Z`}));
        svg.append(draw('path', {class: s.dash ? 'line dash' : s.thin ? 'line thin' : 'line', style: `stroke:${s.colour}`, d}));
      }
      for (const m of marks || [])
        svg.append(draw('circle', {class: 'spot', cx: x(m.x), cy: y(m.y), r: 5, style: `fill:${m.colour || 'var(--ink)'}`}));
      if (options.over) options.over({svg, x, y, box});
    },
    tip(_vx, _vy, at, {x, y}) {
      let best = null, least = Infinity;
      for (const s of series)
        for (const p of s.points) {
          const far = Math.hypot(x(p[0]) - at.x, 0.5 * (y(p[1]) - at.y));
          if (far < least) { least = far; best = [s, p]; }
        }
      if (!best) return null;
      const [s, p] = best;
      Object.assign(at, {px: x(p[0]), py: y(p[1]), colour: s.colour});
      return [...s.name ? [s.name] : [], ...p[2] || [[options.x.title || 'x', x.text(p[0])], [options.y.title || 'y', y.text(p[1])]]];
    }
  });
}

export function scatter(options) {
  return plot({...options,
    paint({svg, x, y}) {
      if (options.diagonal) svg.append(draw('line', {class: 'guide', x1: x(x.lo), y1: y(y.lo), x2: x(x.hi), y2: y(y.hi)}));
      if (options.under) options.under({svg, x, y});
      for (const p of options.points) {
        const colour = p.colour || 'var(--ink)';
        if (p.high !== undefined) svg.append(draw('line', {class: 'error', style: `stroke:${colour}`, x1: x(p.x), x2: x(p.x), y1: y(p.low),
          y2: y(p.high)}));
        svg.append(hover(draw('circle', {class: 'dot', cx: x(p.x), cy: y(p.y), r: p.r || 5, style: `fill:${colour}`, tabindex: 0}),
          p.lines));
        if (p.label) svg.append(draw('text', {class: 'tick', x: x(p.x) + 8, y: y(p.y) + 4}, p.label));
      }
    }
  });
}
