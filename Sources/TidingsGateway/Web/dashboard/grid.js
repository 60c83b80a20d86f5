// Tables that grow page by page: no more rows are asked for than are looked at.

import { View, button, define, fill, h } from '/dashboard/element.js';

/**
 * A table.
 *
 * `columns` are `{title, cell(item), numeric?}`; `load(cursor)` returns `{items, cursor}`, where no cursor means that there are no
 * more; `actions(item)` are buttons; with `selects` rows have checkboxes.
 */
class Grid extends View {
  items = [];
  selected = new Set();
  #cursor;
  #body;
  #foot;
  #run = 0;

  render() {
    const hasActions = Boolean(this.actions);
    this.#body = h('tbody');
    this.#foot = h('div.grid-foot', { 'aria-live': 'polite' });
    const all = this.selects && h('input', {
      type: 'checkbox', 'aria-label': 'Select all loaded rows',
      onchange: () => this.#select(all.checked ? this.items : []),
    });
    fill(this, h('div.scroll', { tabIndex: 0, role: 'region', 'aria-label': this.label },
      h('table', {}, h('caption.hidden', {}, this.label),
        h('thead', {}, h('tr', {}, this.selects && h('th', { scope: 'col' }, all),
          this.columns.map((column) => h(column.numeric ? 'th.numeric' : 'th', { scope: 'col' }, column.title)),
          hasActions && h('th', { scope: 'col' }, h('span.hidden', {}, 'Actions')))),
        this.#body)), this.#foot);
    this.reload();
  }

  /** Shows the first page again. */
  async reload() {
    this.#run += 1;
    [this.items, this.#cursor] = [[], undefined];
    this.#select([]);
    await this.more();
  }

  async more() {
    const run = this.#run;
    this.setAttribute('aria-busy', 'true');
    try {
      const page = await this.load(this.#cursor);
      if (run !== this.#run) return;
      if (this.items.length === 0) fill(this.#body);
      this.#cursor = page.cursor || undefined;
      this.items.push(...page.items);
      this.#body.append(...page.items.map((item) => this.#row(item)));
      this.#showEnd();
      this.onload?.(this);
    } catch (error) {
      if (run !== this.#run) return;
      fill(this.#foot, h('p.message.error', { role: 'alert' }, error.message));
    } finally {
      if (run === this.#run) this.removeAttribute('aria-busy');
    }
  }

  #showEnd() {
    const count = this.items.length;
    fill(this.#foot,
      h('span', {}, count === 0 ? this.emptyText ?? 'None.' : `${count} shown${this.#cursor ? '' : ', all'}`),
      this.#cursor && button('More', () => this.more()));
  }

  #row(item) {
    const row = h('tr', {}, this.selects && h('td', {}, h('input', {
      type: 'checkbox', 'aria-label': `Select ${this.nameOf(item)}`,
      onchange: (event) => {
        if (event.target.checked) this.selected.add(item);
        else this.selected.delete(item);
        this.onselect?.(this.selected);
      },
    })), this.columns.map((column) =>
      h(column.numeric ? 'td.numeric' : 'td', {}, column.cell(item))),
    this.actions && h('td.actions', {}, this.actions(item)));
    row.dataset.name = this.nameOf?.(item) ?? '';
    return row;
  }

  #select(items) {
    this.selected = new Set(items);
    for (const box of this.querySelectorAll('input[type=checkbox]')) {
      box.checked = items.length > 0;
    }
    this.onselect?.(this.selected);
  }
}

export const grid = define('tidings-grid', Grid);

/** A table of what is there already. */
export const fixedGrid = (label, columns, items, properties = {}) =>
  grid({ label, columns, load: async () => ({ items }), ...properties });
