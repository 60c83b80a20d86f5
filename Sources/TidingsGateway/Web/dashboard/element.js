// How pages are made: elements from functions, text as text.

const svgNames = new Set(['svg', 'path', 'line', 'rect', 'circle', 'text', 'g', 'polyline', 'title']);

/**
 * Makes an element.
 *
 * @param {string} tag For example `button`, or `button.primary`.
 * @param {object} [properties] `on…` are listeners; `aria-…`, `data-…` and others with a dash are attributes; the rest are
 *   properties of the element, as far as it has them.
 * @param {...any} children Elements, texts, lists of them; `null`, `undefined` and `false` are ignored.
 */
export function h(tag, properties, ...children) {
  const [name, ...classes] = tag.split('.');
  const isSVG = svgNames.has(name) && properties?.svg !== false;
  const element = isSVG
    ? document.createElementNS('http://www.w3.org/2000/svg', name)
    : document.createElement(name);
  if (classes.length > 0) element.setAttribute('class', classes.join(' '));
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (key === 'svg' || value === undefined || value === null) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (!isSVG && !key.includes('-') && key in element && key !== 'list') element[key] = value;
    else if (value !== false) element.setAttribute(key, value === true ? '' : value);
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Replaces what is in an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

/** A screen, or a part of one. Subclasses implement `render`; `listen` undoes itself when the element is removed. */
export class View extends HTMLElement {
  #endings = [];

  connectedCallback() {
    this.render();
  }

  disconnectedCallback() {
    for (const end of this.#endings.splice(0)) end();
  }

  /** Calls a function when the element is removed. */
  atEnd(end) {
    this.#endings.push(end);
  }

  render() {}
}

/** Names the class of a custom element, and returns what makes one. */
export function define(name, type) {
  customElements.define(name, type);
  return (properties) => Object.assign(document.createElement(name), properties);
}

let nextID = 0;

/** A control with its label. */
export function field(label, control, hint) {
  control.id ||= `control-${(nextID += 1)}`;
  const hintID = hint && `${control.id}-hint`;
  if (hintID) control.setAttribute('aria-describedby', hintID);
  return h('div.field', {}, h('label', { htmlFor: control.id }, label), control,
    hint && h('small', { id: hintID }, hint));
}

/** A list to choose from: `choices` are `[value, text]`, or values. */
export function select(choices, value, properties = {}) {
  const control = h('select', properties, choices.map((choice) => {
    const [name, text] = Array.isArray(choice) ? choice : [choice, choice];
    return h('option', { value: name, selected: name === value }, text);
  }));
  return control;
}

export const checkbox = (label, checked, onchange) => {
  const input = h('input', { type: 'checkbox', checked, onchange: onchange && ((event) => onchange(event.target.checked)) });
  return h('label.check', {}, input, ' ', label);
};

/** A button that cannot be pressed again until what it does is done. */
export function button(label, action, properties = {}) {
  return h('button', {
    type: 'button',
    ...properties,
    onclick: async (event) => {
      const { currentTarget } = event;
      if (currentTarget.getAttribute('aria-disabled') === 'true') return;
      currentTarget.setAttribute('aria-disabled', 'true');
      try {
        await action(event);
      } catch (error) {
        notify(error.message, 'error');
      } finally {
        currentTarget.removeAttribute('aria-disabled');
      }
    },
  }, label);
}

/** A message that screen readers read, until the next one; in the top dialog, if one is open. */
export function notify(text, kind = 'info') {
  const place = [...document.querySelectorAll('dialog[open] .dialog-messages')].at(-1) ?? document.getElementById('messages');
  if (!place) return;
  fill(place, text && h(`p.message.${kind}`, { role: kind === 'error' ? 'alert' : null }, text,
    h('button.plain', { type: 'button', 'aria-label': 'Dismiss the message', onclick: () => fill(place) }, '×')));
}

/** A message in place of content. */
export const note = (text) => h('p.note', {}, text);

/** Shows what a promise gives in an element, or why it failed. */
export async function show(element, work, render) {
  element.setAttribute('aria-busy', 'true');
  try {
    const result = await work();
    fill(element, render(result));
  } catch (error) {
    fill(element, h('p.message.error', { role: 'alert' }, error.message));
  } finally {
    element.removeAttribute('aria-busy');
  }
}

/** Lets the browser save a text as a file. */
export function saveFile(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
