// compare_marks.mjs - marks and labels that the plots of a comparison share.
//
//   cap(text)                          the text with a capital letter
//   line(style, x1, y1, x2, y2, more)  a line; more: other attributes
//   label(style, x, y, text)
//   dot(x, y, r, colour, lines)        a dot with its tooltip
//   fit(text, width)                   the text, cut to about so many pixels
//   widest(texts, most)                the pixels that the longest of them needs, at most so many
//   putLabel(root, text, x, y, width)  a label that ends at x, in up to two lines around the height y

import {draw} from './dom.mjs';
import {hover} from './tooltip.mjs';

const LETTER = 7.2; // pixels of a letter, on the average

export const cap = text => text[0].toUpperCase() + text.slice(1);
export const line = (style, x1, y1, x2, y2, more) => draw('line', {class: style, x1, y1, x2, y2, ...more});
export const label = (style, x, y, text) => draw('text', {class: style, x, y}, text);
export const dot = (x, y, r, colour, lines) => hover(draw('circle', {class: 'dot', cx: x, cy: y, r, tabindex: 0, style: `fill:${colour}`}), lines);

export function fit(text, width) {
  const most = Math.max(4, Math.floor(width / LETTER)), all = [...text];
  return all.length <= most ? text : all.slice(0, most - 1).join('') + '\u2026';
}

export const widest = (texts, most) => Math.min(most, Math.max(...texts.map(t => LETTER * [...t].length)) + 6);

export function putLabel(root, text, x, y, width) {
  const most = Math.max(4, Math.floor(width / LETTER)), all = [...text];
  let cut = Math.min(most, all.length);
  if (cut < all.length) // the first line ends with a word, if one ends in its second half
    for (let k = cut; k > most / 2; k--)
      if (/[ \-_,;./:]/.test(all[k - 1])) { cut = k; break; }
  const rest = all.slice(cut).join('');
  root.append(hover(draw('text', {class: 'end'}, draw('tspan', {x, y: rest ? y - 2 : y + 4}, all.slice(0, cut).join('')),
    rest && draw('tspan', {x, y: y + 11}, fit(rest, width))), [text]));
}
