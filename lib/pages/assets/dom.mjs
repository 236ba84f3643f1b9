// dom.mjs - elements of the page. Text always becomes a text node, so names from the data are never read as markup.
//
//   make(tag, attributes, ...inside)   HTML element; a function among the attributes ("onclick") is a listener
//   draw(tag, attributes, ...inside)   SVG element
//   name(text)                         text from the data, kept apart from its neighbours in right-to-left scripts
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
export const name = text => make('bdi', {}, String(text));
export const byId = id => document.getElementById(id);
export const clear = (element, ...inside) => { element.replaceChildren(...inside.flat().filter(Boolean)); return element; };
