// main.mjs - reads the document of the page and draws it. What stands in the page before is for readers without scripts.

import {byId} from './dom.mjs';
import {drawn} from './plot.mjs';
import {drawReport} from './report.mjs';
import {drawComparison} from './compare.mjs';
import {drawCheck} from './check.mjs';

const DRAW = {report: drawReport, comparison: drawComparison, check: drawCheck};

const source = byId('data'), place = byId('page');
if (source && place) {
  const data = JSON.parse(source.textContent);
  document.documentElement.classList.add('js');
  if (DRAW[data.page]) DRAW[data.page](data, place);
  addEventListener('beforeprint', () => drawn());
  globalThis.heft = Object.assign(globalThis.heft || {}, {drawn});
}
