// dom.mjs - elements of the page. Text always becomes a text node, so names from the data are never read as markup.
//
//   make(tag, attributes, ...inside)   HTML element; a function among the attributes ("onclick") is a listener
//   draw(tag, attributes, ...inside)   SVG element
//   name(text, most)                   text from the data, kept apart from its neighbours in right-to-left scripts; it is cut
//                                      after `most` characters, and may be broken after a _ or /
//   cut(text, most)                    the first characters of a text
//   byId(id), clear(element, ...inside)

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, inside) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key.slice(2), value);
    else if (key === 'style') element.style.cssText = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...inside.flat().filter(x => x !== null && x !== undefined && x !== false));
  return element;
}

export const make = (tag, attributes, ...inside) => fill(document.createElement(tag), attributes, inside);
export const draw = (tag, attributes, ...inside) => fill(document.createElementNS(SVG, tag), attributes, inside);
export const cut = (text, most) => text.length > most ? [...text].slice(0, most - 1).join('') + '\u2026' : text;
export function name(text, most = 120) {
  const all = String(text), shown = cut(all, most);
  return make('bdi', {title: shown === all ? null : all}, shown.split(/(?<=[_/])/).flatMap((part, k) => k ? [make('wbr'), part] : [part]));
}
export const byId = id => document.getElementById(id);
export const clear = (element, ...inside) => { element.replaceChildren(...inside.flat().filter(Boolean)); return element; };
