// colours.mjs - one colour per class (or method), the same in all plots of a page, and never twice in one plot.
//
//   colour(k)                      the CSS colour of thing k: 30 that differ, then the colour of plain text
//   legend([{colour, name, dash}]) a line of names with their colours
//   tint(value, most, up, down)    background of a heat map's cell: towards `up` above 0, `down` below

import {make, name} from './dom.mjs';

const N = 10;

export function colour(k) {
  const own = `var(--c${k % N})`;
  return k < N ? own : k < 2 * N ? `color-mix(in oklab, ${own} 50%, var(--ink))`
    : k < 3 * N ? `color-mix(in oklab, ${own} 55%, var(--bg))` : 'var(--soft)';
}

export const swatch = (of, dash) => make('i', {class: dash ? 'swatch dash' : 'swatch', style: `--k:${of}`});
export const legend = entries => make('div', {class: 'legend'},
  ...entries.map(e => make('span', {}, swatch(e.colour, e.dash), typeof e.name === 'string' ? name(e.name) : e.name)));

export function tint(value, most, up = 'var(--up)', down = 'var(--down)') {
  const strength = Math.min(1, Math.abs(value) / (most || 1));
  return strength ? `color-mix(in oklab, ${value > 0 ? up : down} ${(8 + 82 * strength).toFixed(0)}%, var(--panel))` : 'var(--track)';
}
