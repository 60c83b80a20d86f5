// Dialogs. The browser keeps the focus inside, and Escape closes them.

import { button, fill, h } from '/dashboard/element.js';

/**
 * Opens a dialog.
 *
 * @param {string} title What it is about.
 * @param {(close: (result?: any) => void, dialog: HTMLDialogElement) => any} content Makes what is in it.
 * @param {{wide?: boolean}} [options]
 * @returns {Promise<any>} What it was closed with; `undefined`: it was cancelled.
 */
export function open(title, content, { wide = false } = {}) {
  return new Promise((resolve) => {
    let result;
    const heading = h('h2', { id: `dialog-${performance.now()}`.replace('.', '-') }, title);
    const dialog = h(wide ? 'dialog.wide' : 'dialog', {
      'aria-labelledby': heading.id,
      onclose: () => {
        dialog.remove();
        resolve(result);
      },
    });
    const close = (value) => {
      result = value;
      dialog.close();
    };
    const body = h('div.dialog-body');
    dialog.append(h('header', {}, heading,
      h('button.plain', { type: 'button', 'aria-label': 'Close', onclick: () => close() }, '×')), h('div.dialog-messages'), body);
    document.body.append(dialog);
    dialog.showModal();
    fill(body, content(close, dialog));
  });
}

/** A place for a message in a dialog. */
export const problem = () => h('p.message.error', { role: 'alert', hidden: true });

export function report(place, text) {
  place.hidden = !text;
  place.textContent = text ?? '';
}

/**
 * A dialog with a form.
 *
 * @param {string} title What it is about.
 * @param {any} content The controls.
 * @param {string} verb The text of the button.
 * @param {() => Promise<any>} action What the button does; the dialog closes with its result, and stays when it fails.
 */
export function form(title, content, verb, action, options) {
  return open(title, (close) => {
    const failure = problem();
    const submit = h('button.primary', { type: 'submit' }, verb);
    return h('form', {
      onsubmit: async (event) => {
        event.preventDefault();
        submit.disabled = true;
        report(failure);
        try {
          close((await action()) ?? true);
        } catch (error) {
          report(failure, error.message);
        } finally {
          submit.disabled = false;
        }
      },
    }, content, failure, h('footer', {}, button('Cancel', () => close()), submit));
  }, options);
}

/** Asks before something is done that cannot be undone. */
export const confirm = (title, content, verb) => open(title, (close) => [
  content,
  h('footer', {}, button('Cancel', () => close(false), { autofocus: true }),
    button(verb, () => close(true), { className: 'danger' })),
]);
