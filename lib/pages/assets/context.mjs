// context.mjs - what the parts of a report share.
//
//   context(data)            {data, classes, two, one, zero, attributes, colour(class), label(attribute), short(class), set(attributes),
//                          cell(attribute, value)}
//     picked, pick(c, on)    more than two classes: those that plots show; onPick(f) calls f after a change
//   sentence({text, parts})  nodes of a sentence of the document: every other part is the user's text
//   chip(page, class)        the name of a class with its colour
//   evidenceName(page)       what evidence is measured in, as a line of words
//   versus(page, x, y)       {colours, title} of a comparison of two classes: their colours, or two others where they have none
//   fallOf(page, fall)       a waterfall of the document

import {make, name, cut} from './dom.mjs';
import {colour, swatch} from './colours.mjs';
import {show} from './numbers.mjs';
import {waterfall} from './tables.mjs';

const MOST_PICKED = 8, PLAIN = 'var(--soft)';

export function context(data) {
  const {model, attributes} = data, K = model.classes.length, two = K === 2, heard = [];
  const classes = data.data ? data.data.classes : model.classes;
  const first = two ? [0, 1] : (data.shapes.classes.length ? data.shapes.classes : model.classes.map((_, c) => c)).slice(0, 3);
  const slots = new Array(MOST_PICKED).fill(-1); // above ten classes a class has a colour as long as it is shown
  first.forEach((c, k) => { slots[k] = c; });
  const page = {
    data, classes, two, one: model.one, zero: model.zero, attributes, picked: first,
    label: j => attributes[j].name, set: of => of.length ? of.map(page.label).join(' \u00d7 ') : 'four and more attributes together', short: c => cut(classes[c], 20),
    colour(c) {
      if (K <= 10) return c < 10 ? colour(c) : PLAIN;
      return slots.includes(c) ? colour(slots.indexOf(c)) : PLAIN;
    },
    pick(c, on) {
      if (on && (page.picked.includes(c) || !slots.includes(-1))) return false;
      slots[slots.indexOf(on ? -1 : c)] = on ? c : -1;
      page.picked = slots.filter(x => x >= 0);
      heard.forEach(f => f());
      return true;
    },
    onPick: f => heard.push(f),
    cell(j, x) {
      if (x === null || x === undefined) return 'missing';
      if (typeof x === 'string') return x;
      if (attributes[j].kind === 'values') return x < 0 ? 'not known' : attributes[j].values[x];
      return show(x, 6);
    }
  };
  return page;
}

export const sentence = ({text, parts}) => parts ? parts.map((part, k) => k % 2 ? name(part) : part) : [text];
const sign = (page, c, of) => make('span', {class: 'chip'}, of !== PLAIN && swatch(of), name(page.classes[c]));
export const chip = (page, c) => sign(page, c, page.colour(c));

export function versus(page, x, y) {
  const own = [page.colour(x), page.colour(y)], colours = own.includes(PLAIN) ? ['var(--up)', 'var(--down)'] : own;
  return {colours, title: ['log-odds of ', sign(page, x, colours[0]), ' against ', sign(page, y, colours[1])]};
}

export const evidenceName = page => page.two
  ? ['Log-odds: above 0 for ', chip(page, page.one), ', below 0 for ', chip(page, page.zero), '.']
  : ['Evidence for a class beside the mean of all classes.'];

export function fallOf(page, fall) {
  const steps = [{name: page.data.model.shared ? 'prior' : 'before any attribute', value: fall.start}];
  for (const s of fall.steps)
    steps.push({name: page.set(s.attributes) + (s.value == null ? '' : ' = ' + s.value), value: s.odds});
  if (fall.others) steps.push({name: `${fall.others} others`, value: fall.rest});
  return waterfall({steps, total: fall.total, ...versus(page, fall.a, fall.b)});
}
