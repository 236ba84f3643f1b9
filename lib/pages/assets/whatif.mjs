// whatif.mjs - values to try out, rows of the data to begin with, and what would change the decision.
//
//   drawWhatIf(page)       the section; window.heft.predict(row) gives the probabilities of a row (see model.mjs)
//   sliderStep(attribute)  a round step for the control of a number, at least the unit of its data

import {make, name, clear} from './dom.mjs';
import {show, signed, percent, count, roundStep, decimalsOf, chance} from './numbers.mjs';
import {card, section} from './layout.mjs';
import {table, waterfall, bars} from './tables.mjs';
import {chip, versus} from './context.mjs';
import {later} from './plot.mjs';
import {model} from './model.mjs';
import {flips} from './flip.mjs';

const FIRST = 10, STEPS = 10, LISTED = 8, CHANCES = 6, CHANGED = 60, PATIENCE = 500;

export function sliderStep({least, most, decimals}) {
  const unit = decimals === null ? 0 : Math.pow(10, -decimals), wide = most - least;
  if (!(wide > 0)) return unit || 1;
  return unit && wide / unit <= 400 ? unit : Math.max(unit, roundStep(0, wide, 200));
}

// Values that may take the place of a row's value: those that occur.
function choicesOf(page) {
  const {data} = page, shape = new Map(data.shapes.list.map(s => [s.attribute, s]));
  return data.order.slice(0, CHANGED).map(j => {
    const a = data.attributes[j], s = shape.get(j);
    if (a.kind === 'number') return {attribute: j, numeric: true, values: a.occur || []};
    return {attribute: j, numeric: false, values: s ? s.at.filter((_, k) => !s.share || s.share[k] > 0) : a.values.map((_, v) => v)};
  }).filter(c => c.values.length);
}

function cellsOf(page, row) {
  const {data} = page, n = data.attributes.length, code = x => typeof x === 'string' ? -1 : x;
  if (data.rows.encoding !== 'sparse') return row.cells.map(code);
  const cells = new Array(n).fill(0);
  for (let e = 0; e < row.cells.length; e += 2) cells[row.cells[e]] = code(row.cells[e + 1]);
  return cells;
}

// ---- controls ----

function numberControl(a, j, raw, changed) {
  const step = sliderStep(a), least = Math.floor(a.least / step + 1e-9) * step,
    decimals = decimalsOf(step);
  const number = make('input', {type: 'number', step: 'any', id: 'w' + j, placeholder: 'missing'});
  const slider = make('input', {type: 'range', min: least, max: Math.max(a.most, least + step), step, 'aria-label': a.name});
  const put = () => { number.value = raw()[j] ?? ''; slider.value = raw()[j] ?? (a.least + a.most) / 2; };
  slider.addEventListener('input', () => { raw()[j] = +(+slider.value).toFixed(decimals); number.value = raw()[j]; changed(); });
  number.addEventListener('input', () => {
    raw()[j] = number.value === '' || !Number.isFinite(+number.value) ? null : +number.value;
    if (raw()[j] !== null) slider.value = raw()[j];
    changed();
  });
  return {put, inputs: [slider, number]};
}

function valueControl(a, j, raw, changed) {
  const select = make('select', {id: 'w' + j}, make('option', {value: 'null'}, '(missing)'),
    ...a.values.map((text, v) => make('option', {value: v}, text)));
  select.addEventListener('change', () => { raw()[j] = select.value === 'null' ? null : +select.value; changed(); });
  return {put() { select.value = raw()[j] === null || raw()[j] < 0 ? 'null' : raw()[j]; }, inputs: [select]};
}

function controlsOf(page, raw, changed) {
  const {data} = page, shown = new Map(), list = make('div', {class: 'controls'});
  const add = j => {
    if (shown.has(j)) return;
    const a = data.attributes[j], control = (a.kind === 'values' ? valueControl : numberControl)(a, j, raw, changed);
    control.put();
    shown.set(j, control);
    list.append(make('div', {class: 'control'}, make('label', {for: 'w' + j}, name(a.name)), ...control.inputs));
  };
  data.order.slice(0, FIRST).forEach(add);
  const element = make('div', {}, list);
  if (data.attributes.length > FIRST) {
    const names = make('datalist', {id: 'attribute-names'}, ...data.order.slice(FIRST,
      2000).map(j => make('option', {value: page.label(j)})));
    const places = new Map(data.attributes.map((a, j) => [a.name, j]));
    const find = make('input', {list: 'attribute-names', id: 'find', placeholder: 'name of an attribute', onchange() {
      if (!places.has(find.value)) return;
      add(places.get(find.value));
      document.getElementById('w' + places.get(find.value)).focus();
      find.value = '';
    }});
    element.append(make('div', {class: 'control'}, make('label', {for: 'find'},
      `${count(data.attributes.length - FIRST)} more attributes keep their values. Change another one:`), find), names);
  }
  return {element, add, put: () => shown.forEach(c => c.put())};
}

// ---- rows ----

function browser(page, choose) {
  const {data} = page, {rows} = data, keys = data.order.slice(0, 4);
  const at = rows.encoding === 'sparse' ? (r,
    j) => { for (let e = 0; e < r.cells.length; e += 2) if (r.cells[e] === j) return r.cells[e + 1]; return 0; } : (r, j) => r.cells[j];
  const find = make('input', {type: 'search', id: 'row-find', placeholder: 'row number, a value, or name = value'});
  const which = make('select', {id: 'row-which', 'aria-label': 'rows listed'}, make('option', {value: ''}, 'all rows'),
    make('option', {value: 'wrong'}, 'predicted wrong'),
    ...data.model.classes.slice(0, 60).map((text, c) => make('option', {value: c}, `actual ${text}`)));
  const place = make('div'), said = make('p', {class: 'sub', 'aria-live': 'polite'});
  function matches(r, text) {
    if (which.value === 'wrong' && (r.actual === null || r.actual === r.predicted)) return false;
    if (which.value !== '' && which.value !== 'wrong' && r.actual !== +which.value) return false;
    if (!text) return true;
    if (/^\d+$/.test(text) && String(r.row) === text) return true;
    const pair = text.match(/^(.*?)\s*=\s*(.*)$/);
    const holds = (j, part) => page.cell(j, at(r, j)).toLowerCase().includes(part);
    if (pair) return data.attributes.some((a, j) => a.name.toLowerCase() === pair[1] && page.cell(j, at(r, j)).toLowerCase() === pair[2]);
    return rows.encoding === 'dense' && data.attributes.some((_, j) => holds(j, text));
  }
  const head = [{text: 'row', number: true}, 'actual', 'predicted', {text: 'probability', number: true}, ...keys.map(page.label)];
  function put() {
    const text = find.value.trim().toLowerCase(), found = rows.list.filter(r => matches(r, text));
    found.sort((r, s) => (String(s.row) === text) - (String(r.row) === text)); // the row of this number first
    const line = r => Object.assign([String(r.row), r.actual === null ? '\u2013' : chip(page, r.actual), r.predicted === null ? '\u2013'
      : chip(page, r.predicted), {text: chance(r.p), value: r.p},
      ...keys.map(j => page.cell(j, at(r, j)))], {r});
    clear(place, table({id: 'row-list', head, kind: 'choose', rows: found.slice(0, LISTED).map(line), go: l => choose(l.r)}));
    said.textContent = `${count(found.length)} of ${count(rows.list.length)} rows match` + (rows.n > rows.list.length
      ? `; the page holds ${count(rows.list.length)} of ${count(rows.n)} rows.` : '.') +
      (found.length > LISTED ? ` The first ${LISTED} are listed.` : '');
  }
  find.addEventListener('input', put);
  which.addEventListener('change', put);
  put();
  return card('Rows of the data', 'Choose one to see why it is predicted so.',
    make('div', {class: 'finder'}, make('label', {for: 'row-find', class: 'hide'}, 'Search rows'), find, which), place, said);
}

// ---- result ----

function fall(page, net, raw, e, x, y) {
  const steps = [];
  for (let j = 0; j < net.n; j++) steps.push({of: [j], value: net.odds(e.alone, j, x, y)});
  net.members.forEach((of, k) => steps.push({of, value: net.odds(e.together, k, x, y)}));
  const total = e.score[x] - e.score[y];
  if (!Number.isFinite(total)) return make('p', {id: 'fall', class: 'sub'}, 'The model never predicts one of the two classes.');
  const sum = steps.reduce((s, t) => s + t.value, 0);
  steps.sort((s, t) => Math.abs(t.value) - Math.abs(s.value));
  const title = t => t.of.length !== 1 ? page.set(t.of)
    : `${page.label(t.of[0])} = ${page.cell(t.of[0], raw[t.of[0]])}`;
  const rest = steps.slice(STEPS).filter(t => t.value !== 0), before = page.data.model.shared ? 'prior' : 'before any attribute';
  const list = [{name: before, value: total - sum}, ...steps.slice(0,
    STEPS).filter(t => t.value !== 0).map(t => ({name: title(t), value: t.value,
    lines: [...t.of.map(j => `${page.label(j)} = ${page.cell(j, raw[j])}`), ['log-odds', signed(t.value, 3)],
      ['odds', `\u00d7\u2009${show(Math.exp(t.value), 3)}`]]}))];
  if (rest.length) list.push({name: `${count(rest.length)} others`, value: rest.reduce((s, t) => s + t.value, 0)});
  return waterfall({id: 'fall', steps: list, total, ...versus(page, x, y)});
}

function flipList(page, net, raw, best, apply) {
  const found = flips(net, raw, choicesOf(page), {until: performance.now() + PATIENCE});
  const text = f => f.changes.map(([j, v], k) => make('span', {}, k ? ' and ' : '', name(page.label(j)), ' ',
    make('s', {}, name(page.cell(j, raw[j]))), ' \u2192 ', make('b', {}, name(page.cell(j, v)))));
  const line = f => make('li', {}, make('button', {type: 'button', class: 'flip', onclick: () => apply(f.changes)}, ...text(f),
    make('span', {class: 'then'}, 'then ', chip(page, f.to), ` ${percent(f.p)}`)));
  return [make('h3', {}, 'What would change this decision?'), found.length ? make('ul', {class: 'flips', id: 'flips'}, ...found.map(line))
    : make('p', {class: 'soft', id: 'flips'}, 'No change of one or two of the most important attributes to values that occur.')];
}

export function drawWhatIf(page) {
  const {data} = page;
  if (!data.whatif) return data.whatif_note ? section('whatif', 'What if', null,
    make('p', {id: 'no-panel', class: 'note'}, data.whatif_note)) : null;
  const place = make('div', {class: 'later'});
  later(() => place.replaceWith(...panelOf(page)));
  return section('whatif', 'What if', 'Set values and see what the model says. The numbers are those of heft predict.', place);
}

// The tables of the model are unpacked when the page is there already.
function panelOf(page) {
  const {data} = page, net = model(data), usual = () => data.attributes.map(a => a.usual ?? null);
  let raw = usual(), from = null, timer = null;
  const result = make('div', {class: 'result', 'aria-live': 'polite'}), changes = make('div', {class: 'changes'});

  function update() {
    const e = net.evidence(raw), p = net.probabilities(e.score), best = net.decide(p);
    const order = p.map((_, c) => c).sort((a, b) => p[b] - p[a] || a - b), listed = net.K === 2 ? [0, 1] : order.slice(0, CHANCES);
    const [x, y] = net.K === 2 ? [data.whatif.one, 1 - data.whatif.one] : [best, order.find(c => c !== best)],
      total = e.score[x] - e.score[y];
    const two = versus(page, x, y).colours, colour = c => c === x ? two[0] : c === y ? two[1] : net.K > 10 ? 'var(--soft)' : page.colour(c);
    const chances = bars({id: 'chances', most: 1, format: v => v.toFixed(4),
      rows: listed.map(c => ({name: page.classes[c], value: p[c], colour: colour(c)}))});
    chances.querySelectorAll('td.n').forEach((cell, k) => { cell.dataset.class = listed[k]; cell.dataset.p = p[listed[k]]; });
    const folds = from && data.source && data.source.kind === 'folds' && from.p !== null && Math.abs(p[from.predicted] - from.p) > 0.005;
    result.replaceChildren(make('p', {class: 'verdict'}, from ? `Row ${from.row}` : 'These values', ' \u2192 ',
      make('b', {}, chip(page, best)), ...from && from.actual !== null ? [' (actual: ', chip(page, from.actual), ')'] : []),
      chances, best !== order[0] ? make('p', {class: 'soft'}, 'The decision is not the most probable class: ' + (data.model.decision.text
        || 'it follows costs') + '.') : '',
      folds ? make('p', {class: 'soft'}, `In cross-validation this row got probability ${chance(from.p)} for `, chip(page, from.predicted),
        '; here the model of all rows speaks.') : '',
      fall(page, net, raw, e, x, y),
      make('p', {class: 'soft small'}, `The log-odds ${signed(total)} are odds of ${show(Math.exp(total), 3)}` + (net.K === 2
        ? `: probability ${show(p[x], 4)} of ` : ' between these two classes: ') , chip(page, x), net.K === 2 ? '.'
        : ` has ${show(p[x], 3)}, `, ...net.K === 2 ? [] : [chip(page, y), ` ${show(p[y], 3)}.`]));
    clearTimeout(timer);
    changes.style.opacity = 0.5;
    timer = setTimeout(() => { clear(changes, ...flipList(page, net, raw, best, apply)); changes.style.opacity = 1; }, 150);
  }
  const controls = controlsOf(page, () => raw, () => { from = null; update(); });
  const start = cells => { raw = cells; controls.put(); update(); };
  function apply(list) {
    list.forEach(([j, v]) => { raw[j] = v; controls.add(j); });
    from = null;
    controls.put();
    update();
  }
  const reset = make('button', {type: 'button', id: 'typical', onclick: () => { from = null; start(usual()); }}, 'Typical values');
  const panel = card(null, null, make('div', {class: 'split', id: 'panel'},
    make('div', {}, make('p', {class: 'buttons'}, 'Set values. ', reset), controls.element), make('div', {}, result, changes)));
  const choose = r => { from = r; start(cellsOf(page, r)); panel.scrollIntoView({behavior: 'smooth', block: 'nearest'}); };
  update();
  globalThis.heft = Object.assign(globalThis.heft || {}, {predict: cells => net.probabilities(net.evidence(cells).score),
    flips: cells => flips(net, cells, choicesOf(page)), net});
  return data.rows.list.length ? [browser(page, choose), panel] : [panel];
}
