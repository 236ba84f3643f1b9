// head.mjs - the top of a report: title, headline, the model in three sentences, what matters.
//
//   drawHead(page), drawHeadline(page), drawMatter(page, show)   show(attribute): called when an attribute is clicked

import {make, name} from './dom.mjs';
import {show, percent, count, fixed} from './numbers.mjs';
import {card, section, grid, fold} from './layout.mjs';
import {bars} from './tables.mjs';
import {chip, sentence} from './context.mjs';

const FIRST = 12, MORE = 200;
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const date = text => { const [y, m, d] = text.split('-'); return `${+d} ${MONTHS[m - 1]} ${y}`; };

export function drawHead(page, sections) {
  const {data} = page, {model} = data, many = model.classes.length > 12;
  return make('header', {},
    make('p', {class: 'over'}, `Model report \u00b7 ${date(data.created)}`),
    make('h1', {}, 'Predicting ', name(model.target), ...data.data ? [' in ', name(data.data.name)] : []),
    make('p', {class: 'lead'}, `from ${count(model.n_attributes)} attributes, by method `, make('b', {}, model.method),
      `, trained on ${show(model.training_rows, 6)} rows`),
    make('p', {class: 'chips'}, make('span', {class: 'soft'}, `${model.classes.length} classes`),
      ...many ? [] : model.classes.map((_, c) => make('span', {}, chip(page, c),
        model.prior && Number.isFinite(model.prior[c]) ? make('small', {}, ' ' + percent(model.prior[c])) : ''))),
    make('nav', {'aria-label': 'sections'}, ...sections.map(([id, text]) => make('a', {href: '#' + id}, text))));
}

function figures(page, h, source) {
  const big = f => make('div', {class: 'figure'}, make('div', {class: 'big'}, f.percent ? percent(f.value, 1) : fixed(f.value, 3)),
    make('p', {}, f.title, ...f.class == null ? [] : [' of ', chip(page, f.class)],
      f.baseline ? make('span', {class: 'soft'}, ` (baseline ${show(f.baseline)})`) : ''));
  return [make('div', {class: 'figures'}, ...h.figures.map(big)),
    make('p', {}, 'Measured ', ...source, `. Accuracy, ${percent(h.accuracy, 1)}, says little here.`)];
}

export function drawHeadline(page) {
  const {data} = page, h = data.headline, source = data.source ? sentence(data.source) : [];
  const baseline = () => make('p', {id: 'baseline', class: 'soft'},
    h.below && make('strong', {}, 'The accuracy is not above the baseline. '),
    `Baseline: ${percent(h.baseline, 1)}, by always predicting the most frequent class`, ...h.frequent == null ? []
      : [', ', chip(page, h.frequent)], '.');
  const inside = h.kind === 'none' ? [] : h.kind === 'rare' ? [...figures(page, h, source), baseline()] : [
    make('div', {class: 'big'}, percent(h.accuracy, 1)),
    make('p', {}, 'of the rows are predicted right (accuracy), ', ...source, '.'),
    make('div', {class: 'gauge', role: 'img', 'aria-label': 'accuracy and baseline'},
      make('i', {class: 'level', style: `width:${100 * h.accuracy}%`}),
      make('i', {class: 'goal', style: `left:${100 * h.baseline}%`})), baseline()];
  const result = card('How often it is right', null, ...inside, h.note && make('p', {class: 'soft'}, h.note),
    h.warning && make('p', {class: 'warn', id: 'optimistic'}, h.warning));
  const words = data.sentences.length && card('The model in words', null,
    make('ol', {class: 'words'}, ...data.sentences.map(s => make('li', {}, ...sentence(s)))));
  const cards = [result, words].filter(Boolean);
  result.id = 'headline';
  return make('div', {id: 'top'}, grid(420, ...cards));
}

function setBars(page, of, id) {
  return bars({id, head: 'evidence', shown: FIRST,
    rows: of.list.map(s => ({name: page.set(s.attributes), value: s.size,
    lines: [page.set(s.attributes), ['evidence', show(s.size)]]}))});
}

export function drawMatter(page, go) {
  const {data} = page, {by, text, errors} = data.importance;
  if (by === 'none') return null;
  const head = by === 'loss' ? 'importance' : by;
  const row = j => {
    const a = data.attributes[j];
    return {name: a.name, value: a.importance, error: errors ? a.error : 0, go: () => go(j), lines: [a.name,
      [head, show(a.importance)], ...errors ? [['95\u2009% interval', '\u00b1\u2009' + show(a.error)],
        ...a.importance > a.error ? [] : ['may be noise'], ['evidence', show(a.evidence)]] : [],
      ...a.weight == null ? [] : [['weight', [a.weight].flat().map(w => show(w)).join(' to ')]]]};
  };
  const order = data.order.filter(j => Number.isFinite(data.attributes[j].importance)), title = 'Attributes';
  const list = order.slice(0, FIRST + MORE).map(row), rest = order.length - list.length;
  const more = rest > 0 && make('p', {class: 'soft'}, `${count(rest)} attributes with less ${head} are not listed.`);
  const attributes = card(title, null, bars({id: 'importance', head, rows: list, shown: data.pairs.list.length > 7 ? FIRST + 4 : FIRST}),
    more);
  const cards = [attributes];
  if (data.pairs.list.length) {
    const pairs = card([`Pairs of attributes`, make('span', {class: 'soft'},
      ` ${data.pairs.list.length} strongest of ${count(data.pairs.n)}`)], null, setBars(page, data.pairs, 'pair-list'));
    if (data.triples.list.length) pairs.append(fold(`Triples (${data.triples.list.length} strongest of ${count(data.triples.n)})`,
      () => setBars(page, data.triples, 'triples')));
    if (data.remainder != null) pairs.append(make('p', {class: 'soft', id: 'remainder'},
      `Evidence of ${page.set([])}: ${show(data.remainder)}.`));
    cards.push(pairs);
  }
  return section('matter', 'What matters', text, grid(440, ...cards));
}
