// maps.mjs - heat maps: what pairs of values say together, and which attributes go together.
//
//   drawPairs(page), drawCorrelations(page)     sections, or null
//   wholeLines(labels)                          whole numbers: [{at, text}], the intervals that hold one, with bounds that occur

import {make, name} from './dom.mjs';
import {show, signed} from './numbers.mjs';
import {card, section, grid} from './layout.mjs';
import {heat} from './tables.mjs';
import {chip} from './context.mjs';
import {tint} from './colours.mjs';

// The colours from -most over 0 to most.
const key = (most, up, below, digits) => make('div', {class: 'key'}, ...[-1, -0.5, 0, 0.5, 1].map(f =>
  make('span', {}, make('i', {style: `background:${tint(f, 1, up, below)}`}), make('small', {}, digits(f * most)))));

// A bound with three digits.
const shorter = text => text.replace(/^([\u2264>]) (-?[\d.e+-]+)$/, (_, sign, number) => `${sign} ${show(+number, 3)}`);

export function wholeLines(labels) {
  let last = -Infinity;
  return labels.map((text, at) => {
    const [, sign, number] = text.match(/^([\u2264>]) (-?[\d.]+)$/) || [];
    if (!sign) return {at, text};
    const bound = Math.floor(+number), empty = sign !== '>' && bound === last; // no whole number between two bounds
    last = bound;
    return {at, empty, text: sign === '>' ? `\u2265 ${bound + 1}` : `\u2264 ${bound}`};
  }).filter(line => !line.empty);
}

export function drawPairs(page) {
  const maps = page.data.pairs.list.filter(p => p.map);
  if (!maps.length) return null;
  const one = (pair, k) => {
    const {map, attributes: [a, b]} = pair, c = map.class, A = page.label(a), B = page.label(b);
    const up = page.two ? page.colour(page.one) : page.colour(c) === 'var(--soft)' ? 'var(--up)' : page.colour(c), below = page.two
      ? page.colour(page.zero) : 'var(--neutral)';
    let most = 0;
    for (const line of map.cells) for (const x of line) most = Math.max(most, Math.abs(x || 0));
    const lines = (j, labels) => page.attributes[j].decimals === 0 ? wholeLines(labels)
      : labels.map((text, at) => ({at, text: shorter(text)}));
    const down = lines(a, map.down), across = lines(b, map.across);
    const what = page.two ? `log-odds of ${page.classes[page.one]}` : `evidence for ${page.classes[c]}`;
    const own = card([name(A), ' \u00d7 ', name(B)], [name(A), ' down, ', name(B), ' across', map.some ? '; a selection of the values' : '',
      ...page.two ? [] : ['; evidence for ', chip(page, c)]],
    heat({id: `pair-${k}`, down: down.map(l => l.text), across: across.map(l => l.text), up, below, most,
      at: (i, j) => map.cells[down[i].at][across[j].at],
      lines: (i, j, v) => [`${A}: ${down[i].text}`, `${B}: ${across[j].text}`, [what, signed(v)]]}),
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
