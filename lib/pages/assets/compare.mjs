// compare.mjs - the page of a comparison of methods, drawn from the document of `heft evaluate --json`.
//
//   drawComparison(data, main)   a menu chooses the measure; all that depends on it is drawn again

import {make, clear} from './dom.mjs';
import {show} from './numbers.mjs';
import {section, grid} from './layout.mjs';
import {colour, legend} from './colours.mjs';
import {resultTable, tableNotes} from './compare_tables.mjs';
import {significance, details} from './compare_details.mjs';
import {rankDiagram, winTable} from './compare_ranks.mjs';
import {setPlot, timePlot, stageCurves} from './compare_plots.mjs';
import {cap} from './compare_marks.mjs';

// What the parts of the page share: methods, data sets, and the cell of each at the stage that the headline is about.
function comparison(data) {
  const sets = data.datasets, tests = data.summary.tests || {};
  const stageOf = x => JSON.stringify([x.noise, x.learn, x.dimensions]), full = stageOf(data.summary);
  const methods = [...new Set(sets.flatMap(s => s.methods.map(m => m.method)))];
  const cells = sets.map(s => new Map(s.methods.map(m => [stageOf(m) + m.method, m])));
  const marks = new Map((tests.paired_t || []).filter(t => t.significant)
    .map(t => [t.dataset + '\n' + t.method, t.difference > 0 ? '+' : '\u2212']));
  const g = {
    data, sets, methods, tests, stageOf, colour,
    names: sets.map(s => s.name),
    one: methods.length * sets.length === 1,
    thing: data.split === 'models' ? 'model' : 'method',
    cell: (d, m, stage = full) => cells[d].get(stage + methods[m]) || {failure: 'not computed'},
    mark: (d, m) => marks.get(sets[d].name + '\n' + methods[m]) || '', // of a significant difference from the first method
    value: (cell, k) => cell.failure || !Number.isFinite(cell[k.name]) ? null : cell[k.name],
    plain: (x, k) => k.percent ? 100 * x : x, // as people see it
    text: (x, k, fewer = 0) => Number.isFinite(x) && x !== null ? g.plain(x, k).toFixed(k.decimals - fewer) : '',
    unit: k => k.percent ? `${k.title}, %` : k.title,
    seconds: cell => cell.failure || cell.imported ? null : cell.fit_seconds + cell.predict_seconds,
    lines(d, m, k) { // of the tooltip
      const c = g.cell(d, m), head = `${methods[m]} on ${g.names[d]}`;
      if (c.failure) return [head, c.failure];
      const lines = [head, [k.title, g.text(g.value(c, k), k) + (k.percent ? '\u2009%' : '')]];
      if (k.percent && c.per_fold.length > 1) lines.push(['deviation over folds', g.text(c.accuracy_sd, k)]);
      if (!c.imported) lines.push(['seconds', show(g.seconds(c))]);
      return lines;
    }};
  return g;
}

function headlineCard(k) {
  const pairs = [];
  for (let i = 0; i < k.figures.length; i += 2)
    pairs.push(make('div', {class: 'figure'}, make('div', {class: 'big'}, k.figures[i]), make('p', {}, k.figures[i + 1])));
  return make('div', {class: 'card headline', id: 'headline'}, make('div', {class: 'figures'}, ...pairs), make('div', {class: 'words'},
    ...k.text.map((t, i) => make('p', {class: i ? undefined : 'first'}, t)),
    make('p', {class: 'soft'}, `${k.higher_is_better ? 'Higher' : 'Lower'} is better. ${cap(k.title)}: ${k.description}.`)));
}

function plots(g, k) {
  const cards = [setPlot(g, k), timePlot(g, k)].filter(Boolean), tall = (g.sets.length > 1 ? g.sets : g.methods).length > 14;
  if (g.one || !cards.length) return null;
  return section('plots', 'Plots', null,
    g.methods.length > 1 && legend(g.methods.map((t, m) => ({colour: g.colour(m), name: t}))),
    tall ? make('div', {class: 'stack'}, ...cards) : grid(420, ...cards), winTable(g, k));
}

export function drawComparison(data, main) {
  const g = comparison(data), detail = details(g), view = make('div', {id: 'view'}), when = main.querySelector('time');
  const menu = make('select', {id: 'measure', onchange: () => put()}, ...data.measures.map(k => make('option', {value: k.name}, k.title)));
  const put = () => {
    const k = data.measures.find(q => q.name === menu.value) || data.measures[0], ranks = rankDiagram(g, k);
    view.dataset.measure = k.name;
    clear(view, headlineCard(k), ranks && section('standing', 'Mean ranks', null, ranks),
      !g.one && section('table', g.sets.length > 1 ? 'Data sets and methods' : 'Methods', null,
        resultTable(g, k, detail.go), make('p', {class: 'sub'}, ...tableNotes(g, k))),
      stageCurves(g, k), plots(g, k));
  };
  clear(main, make('header', {},
    make('p', {class: 'over'}, 'Comparison of methods', ...when ? [' \u00b7 ', when] : []),
    make('h1', {}, data.title), ...data.how.map(t => make('p', {class: 'lead'}, t))),
  data.measures.length > 1 && make('div', {class: 'menu', id: 'choose'}, make('label', {}, 'Measure ', menu)),
  view, significance(g), detail.element);
  put();
  addEventListener('pageshow', () => { if (view.dataset.measure !== menu.value) put(); }); // the browser may restore a choice
}
