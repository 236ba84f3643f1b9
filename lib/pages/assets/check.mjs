// check.mjs - the page of a check, drawn from the document of `heft check --json`: what looks wrong, the classes, and the
// distribution of every column shown, the most informative first.
//
//   drawCheck(data, main)

import {make, name, clear, draw} from './dom.mjs';
import {show, count, percent} from './numbers.mjs';
import {hover} from './tooltip.mjs';
import {section, card, grid, fold, rowsOf} from './layout.mjs';
import {bars, table} from './tables.mjs';
import {colour, legend} from './colours.mjs';
import {responsive} from './plot.mjs';

const TOLD = 12, CLASSES = 20;

const plural = (n, noun) => `${count(n)} ${noun}${n === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`;
const total = list => list.reduce((a, b) => a + b, 0);

function look(data) {
  const classes = data.columns.find(c => c.target), known = data.groups.filter(t => t !== null).length;
  const groups = data.groups.map(t => t ?? (classes ? plural(data.classes.length - known, 'other class') : 'rows'));
  return {data, target: classes, groups, several: groups.length > 1, shown: data.shown.map(j => data.columns[j])};
}

const missingText = (c, data) => c.missing ? percent(c.missing / data.rows) : '';

// ---- findings ----

function findings(data) {
  const serious = data.findings.filter(f => f.serious).length;
  const item = f => make('li', {class: f.serious ? 'serious' : undefined}, make('b', {}, f.code), ' ', make('span', {}, f.text));
  if (!data.findings.length) return section('findings', 'Findings', null, make('p', {}, 'Nothing looks wrong. Below is what every column holds.'));
  return section('findings', serious ? 'What looks wrong' : 'What to know', null, make('ul', {class: 'findings'}, ...data.findings.map(item)));
}

// ---- overview ----

function classCard(v) {
  const {classes} = v.data, labelled = total(classes.map(c => c.rows)) || 1, few = classes.length <= v.groups.length;
  const rows = classes.map((c, k) => ({name: c.class, value: c.rows, colour: few ? colour(k) : undefined,
    lines: [c.class, ['rows', count(c.rows)], ['share', percent(c.rows / labelled)]]}));
  return classes.length > 0 && card('Rows of each class', null, bars({id: 'class-rows', rows, shown: CLASSES,
    format: n => `${count(n)} (${percent(n / labelled)})`}));
}

function informationCard(v, go) {
  const list = v.shown.filter(c => Number.isFinite(c.information)).slice(0, TOLD);
  return v.several && list.length > 0 && card('What a column tells about the class, by itself', '0\u2009% nothing, 100\u2009% everything.',
    bars({id: 'information', most: 1, format: x => percent(x), rows: list.map(c => ({name: c.name, value: c.information, go: () => go(c.name),
      lines: [c.name, ['information', percent(c.information)], ['distinct values', count(c.distinct)]]}))}));
}

function overview(v, go) {
  const first = [classCard(v), missingCard(v)].filter(Boolean), second = informationCard(v, go), cards = [...first, second].filter(Boolean);
  if (!cards.length) return null;
  const stack = (...own) => make('div', {class: 'stack'}, ...own);
  return section('overview', 'Overview', null, first.length > 1 && second ? grid(420, stack(...first), second)
    : v.data.classes.length < 6 ? stack(...cards) : grid(420, ...cards)); // side by side where they are about as tall
}

function missingCard(v) {
  const share = n => percent(n / v.data.rows);
  const rows = v.data.columns.filter(c => c.missing > 0).sort((a, b) => b.missing - a.missing).slice(0, 8)
    .map(c => ({name: c.name, value: c.missing, lines: [c.name, ['missing', count(c.missing)], ['of rows', share(c.missing)]]}));
  return rows.length > 0 && card('Missing cells', null, bars({id: 'missing', format: share, rows}));
}

// ---- distributions ----

function barName(c, k) {
  const {edges, values} = c.bars;
  if (edges) return `${show(edges[k], 5)} to ${show(edges[k + 1], 5)}`;
  if (values[k] === null) return plural(c.distinct + 1 - values.length, 'other value');
  return c.kind === 'numeric' ? show(values[k], 6) : values[k];
}

function barLines(v, c, k) {
  const rows = c.bars.rows[k], all = total(rows);
  const classes = v.several ? rows.map((n, g) => n && [v.groups[g], `${count(n)} (${percent(n / all)})`]).filter(Boolean) : [];
  return [barName(c, k), ['rows', count(all)], ...classes];
}

// Bars of rows, cut into the classes; below each the shares of the classes.
function numberBars(v, c) {
  const HIGH = 72, STRIP = v.several ? 14 : 0, {rows} = c.bars, most = Math.max(1, ...rows.map(total));
  return responsive({label: `distribution of ${c.name}`, height: HIGH + STRIP + 22}, (root, width) => {
    const step = width / Math.max(rows.length, 4);
    rows.forEach((groups, k) => {
      const all = total(groups), high = HIGH * all / most;
      let at = HIGH, below = HIGH + 3 + STRIP;
      groups.forEach((n, g) => {
        if (!n) return;
        at -= high * n / all;
        root.append(draw('rect', {x: k * step + 0.5, y: at, width: step - 1, height: high * n / all, style: `fill:${colour(g)}`}));
        if (!STRIP) return;
        below -= STRIP * n / all;
        root.append(draw('rect', {x: k * step + 0.5, y: below, width: step - 1, height: STRIP * n / all, style: `fill:${colour(g)}`}));
      });
      if (all) root.append(hover(draw('rect', {class: 'pane', x: k * step, y: 0, width: step, height: HIGH + 3 + STRIP}), barLines(v, c, k)));
    });
    root.append(draw('line', {class: 'base', x1: 0, x2: step * rows.length, y1: HIGH + 0.5, y2: HIGH + 0.5}),
      draw('text', {class: 'tick', x: 0, y: HIGH + STRIP + 18}, show(c.least, 6)));
    if (rows.length > 1) root.append(draw('text', {class: 'tick end', x: Math.max(step * rows.length, 90), y: HIGH + STRIP + 18}, show(c.most, 6)));
  });
}

// A line for each value: its rows, cut into the classes, and their shares.
function valueBars(v, c) {
  const {rows} = c.bars, most = Math.max(1, ...rows.map(total));
  const parts = (groups, width) => make('div', {class: 'parts', style: `width:${(100 * width).toFixed(2)}%`},
    ...groups.map((n, g) => n > 0 && make('i', {style: `flex:${n};background:${colour(g)}`})));
  return make('table', {class: 'spread'}, ...rows.map((groups, k) => hover(make('tr', {}, make('th', {scope: 'row'}, name(barName(c, k))),
    make('td', {}, parts(groups, total(groups) / most)), v.several && make('td', {class: 'shares'}, parts(groups, 1)),
    make('td', {class: 'n'}, count(total(groups)))), barLines(v, c, k))));
}

function columnCard(v, c) {
  const facts = [c.kind, c.missing && `${missingText(c, v.data)} missing`, plural(c.distinct, 'distinct value'),
    c.kind === 'numeric' && Number.isFinite(c.mean) && `mean ${show(c.mean, 4)}`].filter(Boolean).join(', ');
  const information = Number.isFinite(c.information) && make('span', {}, ', information ', make('b', {}, percent(c.information)));
  const element = card(name(c.name), [facts, information].filter(Boolean),
    !c.bars.rows.length ? make('p', {}, 'All cells are missing.') : c.kind === 'numeric' ? numberBars(v, c) : valueBars(v, c));
  element.dataset.column = c.name;
  return element;
}

// Puts cards into as many columns as fit, each card into the shortest; the last card of a column fills it.
function masonry(cards, least) {
  const holder = make('div', {class: 'masonry'});
  const put = () => {
    const fits = Math.floor((holder.clientWidth + 16) / (least + 16)), [n = 1] = rowsOf(cards.filter(one => !one.element.hidden).length, fits);
    const piles = Array.from({length: n}, () => ({tall: 0, own: []}));
    for (const one of cards) {
      if (one.element.hidden) continue;
      const pile = piles.reduce((a, b) => b.tall < a.tall - 1 ? b : a);
      pile.own.push(one.element);
      pile.tall += one.tall;
    }
    holder.replaceChildren(...piles.map(p => make('div', {}, ...p.own)));
  };
  let width = 0;
  new ResizeObserver(() => { if (holder.clientWidth !== width) { width = holder.clientWidth; put(); } }).observe(holder);
  return {holder, put};
}

function columns(v) {
  const {data, shown} = v, cards = shown.map(c => ({element: columnCard(v, c), tall: 110 + (c.kind === 'numeric' ? 110 : 27 * c.bars.rows.length)}));
  const {holder, put} = masonry(cards, 330), left = data.attributes - shown.length;
  const search = make('input', {id: 'find', type: 'search', placeholder: 'find a column', 'aria-label': 'find a column',
    oninput: e => {
      const text = e.target.value.toLowerCase();
      for (const {element} of cards) element.hidden = !element.dataset.column.toLowerCase().includes(text);
      put();
    }});
  const words = [v.several && 'The columns that say most about the class come first. The colours are the classes; the narrow bars show their shares.',
    left > 0 && `${plural(left, 'column')} that ${left === 1 ? 'says less is' : 'say less are'} not drawn; the table below has all.`];
  return section('columns', 'Columns', words.filter(Boolean).join(' '), make('div', {class: 'menu'}, shown.length > TOLD && search,
    v.several && legend(v.groups.map((t, g) => ({colour: colour(g), name: t})))), holder);
}

function allColumns(v) {
  const {data} = v, cell = (value, text) => ({value: value ?? -Infinity, text: Number.isFinite(value) ? text(value) : ''});
  const line = c => [c.name, c.target ? 'class' : c.kind, cell(c.missing, () => missingText(c, data)), cell(c.distinct, count),
    cell(c.information, x => percent(x)), ...[c.least, c.mean, c.most].map(value => cell(value, x => show(x, 5)))];
  const heads = ['missing', 'distinct', 'information', 'least', 'mean', 'most'].map(text => ({text, number: true}));
  const list = () => table({id: 'all-columns', sort: true, head: ['column', 'kind', ...heads], rows: data.columns.map(line)});
  return section('list', 'All columns', null, data.columns.length > 60 ? fold(`${plural(data.columns.length, 'column')} as a table`, list) : list());
}

export function drawCheck(data, main) {
  const v = look(data), when = main.querySelector('time');
  const missing = total(data.columns.map(c => c.missing)) / Math.max(1, data.rows * data.columns.length);
  const go = text => [...document.querySelectorAll('[data-column]')].find(e => e.dataset.column === text)
    ?.scrollIntoView({behavior: 'smooth', block: 'center'});
  const tile = (value, text) => make('div', {class: 'figure'}, make('div', {class: 'big'}, value), make('p', {}, text));
  const tiles = [tile(count(data.rows), 'rows'), tile(count(data.attributes), 'attributes'), v.target && tile(count(data.classes.length), 'classes'),
    tile(percent(missing), 'of the cells are missing'), data.repeated_rows > 0 && tile(count(data.repeated_rows), 'rows repeat another row')];
  clear(main, make('header', {},
    make('p', {class: 'over'}, 'Check of a table', ...when ? [' \u00b7 ', when] : []),
    make('h1', {}, name(data.data ?? 'The table'), ' at a glance'),
    v.target && make('p', {class: 'lead'}, 'The class is column ', name(v.target.name), '.')),
  make('div', {class: 'figures tiles'}, ...tiles), findings(data), overview(v, go), columns(v), allColumns(v));
}
