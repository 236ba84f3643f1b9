// maps.mjs - heat maps: what pairs of values say together, and which attributes go together.
//
//   drawPairs(page), drawCorrelations(page)     sections, or null

import {make, name} from './dom.mjs';
import {show, signed} from './numbers.mjs';
import {card, section, grid} from './layout.mjs';
import {heat} from './tables.mjs';
import {chip} from './context.mjs';
import {tint} from './colours.mjs';

// The colours from -most over 0 to most.
const key = (most, up, below, digits) => make('div', {class: 'key'}, ...[-1, -0.5, 0, 0.5, 1].map(f =>
  make('span', {}, make('i', {style: `background:${tint(f, 1, up, below)}`}), make('small', {}, digits(f * most)))));

export function drawPairs(page) {
  const maps = page.data.pairs.list.filter(p => p.map);
  if (!maps.length) return null;
  const one = (pair, k) => {
    const {map, attributes: [a, b]} = pair, c = map.class, A = page.label(a), B = page.label(b);
    const up = page.two ? page.colour(page.one) : page.colour(c) === 'var(--soft)' ? 'var(--up)' : page.colour(c), below = page.two
      ? page.colour(page.zero) : 'var(--neutral)';
    let most = 0;
    for (const line of map.cells) for (const x of line) most = Math.max(most, Math.abs(x || 0));
    const what = page.two ? `log-odds of ${page.classes[page.one]}` : `evidence for ${page.classes[c]}`;
    const own = card([name(A), ' \u00d7 ', name(B)], [name(A), ' down, ', name(B), ' across', map.some ? '; a selection of the values' : '',
      ...page.two ? [] : ['; evidence for ', chip(page, c)]],
    heat({id: `pair-${k}`, down: map.down, across: map.across, at: (i, j) => map.cells[i][j], up, below, most,
      lines: (i, j, v) => [`${A}: ${map.down[i]}`, `${B}: ${map.across[j]}`, [what, signed(v)]]}),
        key(most, up, below, v => signed(v, most < 0.1 ? 3 : 2)));
    return own;
  };
  return section('pairs', 'Pairs of attributes', ['What two values add together, beside what each of them adds alone',
    ...page.two ? [': ', chip(page, page.one), ' or ', chip(page, page.zero), '.'] : ['.']], grid(360, ...maps.map(one)));
}

export function drawCorrelations(page) {
  const c = page.data.correlations;
  if (!c) return null;
  const names = c.attributes.map(page.label), words = c.attributes.length < 13;
  return section('correlations', 'Which attributes go together',
    'Strength of association, from 0 to 1; for two numbers the correlation, from \u22121 to 1. Naive Bayes counts what two attributes share twice.',
    card(null, null, heat({id: 'correlations', down: names, across: names, most: 1, up: 'var(--up)', below: 'var(--down)',
      at: (i, j) => i === j ? null : c.cells[i][j], text: words ? v => show(v, 2) : undefined,
        lines: (i, j, v) => [`${names[i]} \u00d7 ${names[j]}`, ['association', show(v, 2)]]})));
}
