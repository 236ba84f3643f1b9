// report.mjs - the report of a model: which sections, and in which order.
//
//   drawReport(data, main)     draws the document of a report page into the element `main`

import {name} from './dom.mjs';
import {section, card, fold, grid} from './layout.mjs';
import {table, bars} from './tables.mjs';
import {context, chip} from './context.mjs';
import {drawHead, drawHeadline, drawMatter} from './head.mjs';
import {drawShapes} from './shapes.mjs';
import {drawPairs, drawCorrelations} from './maps.mjs';
import {drawWhatIf} from './whatif.mjs';
import {drawQuality, drawWrong} from './quality.mjs';
import {drawNomogram} from './nomogram.mjs';

function weightCard(page) {
  const w = page.data.weights;
  if (!w) return null;
  const rows = w.list.flatMap(l => l.values.map((value, k) => ({name: `${page.label(l.attribute)}: ${l.owners[k]}`, value})));
  return fold(`Weights per ${w.per}`,
    () => bars({id: 'weights', rows: rows.filter(r => Number.isFinite(r.value)), most: w.most, shown: 40}));
}

function priorCard(page) {
  const {model} = page.data;
  if (!model.prior) return null;
  return card('Classes of the training rows', null,
    bars({id: 'priors', most: 1, shown: 12,
    rows: model.classes.map((_, c) => ({name: chip(page, c), value: model.prior[c] || 0, colour: page.colour(c)}))}));
}

function drawDetails(page) {
  const {data} = page, facts = card('How the model was made', null,
    table({id: 'facts', kind: 'plain', head: ['', ''], rows: data.details.map(d => [d.name, name(String(d.value))])}));
  const cards = [facts, priorCard(page)].filter(Boolean);
  return section('details', 'Details', null, grid(400, ...cards), weightCard(page));
}

export function drawReport(data, main) {
  const page = context(data), shapes = drawShapes(page);
  const parts = [['What matters', drawMatter(page, j => shapes && shapes.reveal(j))], ['What the values say', shapes],
    ['Pairs', drawPairs(page)], ['What if', drawWhatIf(page)],
    ['How good', drawQuality(page)], ['Errors', drawWrong(page)], ['Nomogram', drawNomogram(page)],
      ['Associations', drawCorrelations(page)], ['Details', drawDetails(page)]].filter(p => p[1]);
  main.replaceChildren(drawHead(page, parts.map(([text, e]) => [e.id, text])), drawHeadline(page), ...parts.map(p => p[1]));
}
