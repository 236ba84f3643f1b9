// tooltip.mjs - what the pointer (or the focus of the keyboard) is on, in words.
//
//   hover(element, lines)       lines: an array, or a function of the event that gives one; an entry is a text, or
//                               [what, value] for a line of two columns. null hides the tooltip.

import {make} from './dom.mjs';

let box = null;

function place(x, y) {
  const {width, height} = box.getBoundingClientRect(), gap = 14;
  box.style.left = Math.max(4, Math.min(x + gap, innerWidth - width - 4)) + 'px';
  box.style.top = (y + gap + height > innerHeight ? Math.max(4, y - gap - height) : y + gap) + 'px';
}

function tell(lines, x, y) {
  if (!box) document.body.append(box = make('div', {id: 'tip', role: 'status'}));
  box.hidden = !lines;
  if (!lines) return;
  box.replaceChildren(...lines.map(line => Array.isArray(line)
    ? make('div', {class: 'pair'}, make('span', {}, String(line[0])), make('b', {}, String(line[1])))
    : make('div', {class: 'head'}, String(line))));
  place(x, y);
}

export function hover(element, lines) {
  const get = event => typeof lines === 'function' ? lines(event) : lines;
  element.addEventListener('pointermove', event => tell(get(event), event.clientX, event.clientY));
  element.addEventListener('pointerleave', () => tell(null));
  element.addEventListener('focus', event => {
    if (!element.matches(':focus-visible')) return;
    const r = element.getBoundingClientRect();
    tell(get(event), r.left + r.width / 2, r.bottom);
  });
  element.addEventListener('blur', () => tell(null));
  return element;
}
