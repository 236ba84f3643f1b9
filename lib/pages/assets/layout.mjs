// layout.mjs - sections, cards, and a grid without holes.
//
//   section(id, title, note, ...inside)   note: text or nodes, may be null
//   card(title, note, ...inside)          a figure with a caption; card.wide(...) is one that keeps a whole row
//   grid(least, ...cards)                 cards side by side, each at least `least` pixels wide: rows hold as many cards
//                                         as balances them (4 cards where 3 fit are 2 and 2), and fill the width
//   fold(title, ...inside)                <details>; `inside` may be one function, which is called when it is opened
//   rowsOf(n, most)                       how many cards go into each row

import {make} from './dom.mjs';

const GAP = 16;

export function rowsOf(n, most) {
  const rows = Math.ceil(n / Math.max(1, most)), list = [];
  for (let r = 0, left = n; r < rows; r++) {
    list.push(Math.ceil(left / (rows - r)));
    left -= list[r];
  }
  return list;
}

function arrange(element, least) {
  const width = element.clientWidth, cards = [...element.children].filter(e => !e.hidden);
  if (!width) return;
  let next = 0;
  for (const n of rowsOf(cards.length, Math.floor((width + GAP) / (Math.min(least, width) + GAP))))
    for (let k = 0; k < n; k++) cards[next++].style.width = `calc((100% - ${(n - 1) * GAP}px) / ${n} - 0.01px)`;
}

export function grid(least, ...cards) {
  const element = make('div', {class: 'grid', style: `--least:${least}px`}, ...cards);
  const again = () => arrange(element, least);
  new ResizeObserver(again).observe(element);
  new MutationObserver(again).observe(element, {childList: true, subtree: false});
  return element;
}

export const section = (id, title, note, ...inside) => make('section', {id}, make('h2', {}, title),
  note && make('p', {class: 'note'}, ...[note].flat()), ...inside);

export const card = (title, note, ...inside) => make('figure', {class: 'card'},
  title && make('figcaption', {}, ...[title].flat()), note && make('p', {class: 'sub'}, ...[note].flat()), ...inside);

export function fold(title, ...inside) {
  const element = make('details', {}, make('summary', {}, ...[title].flat()));
  if (typeof inside[0] === 'function')
    element.addEventListener('toggle', () => { if (element.open) element.append(...[inside[0]()].flat()); }, {once: true});
  else element.append(...inside);
  return element;
}
