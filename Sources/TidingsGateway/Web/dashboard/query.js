// The query of the records screen: a form and its predicate text, which follow each other, sorting, saved filters, and how the
// server would execute it.

import { call } from '/dashboard/server.js';
import { View, button, define, field, fill, h, note, notify, select, show } from '/dashboard/element.js';
import { number } from '/dashboard/format.js';
import { databaseID, chosen, zoneID } from '/dashboard/location.js';
import { operators, predicateRows, predicateText } from '/dashboard/predicate.js';

const systemFields = [
  ['recordName', 'STRING'], ['creationDate', 'TIMESTAMP'], ['modificationDate', 'TIMESTAMP'],
  ['creatorUserRecordID', 'REFERENCE'], ['lastModifiedUserRecordID', 'REFERENCE'], ['parent', 'REFERENCE'],
];

/** Records of a page, also of the one that is explained. */
const pageRecords = 50;

const filtersKey = () => `tidings-filters ${chosen.container}`;

const savedFilters = () => {
  try {
    const filters = JSON.parse(localStorage.getItem(filtersKey()) ?? '[]');
    return Array.isArray(filters) ? filters : [];
  } catch {
    return [];
  }
};

/** `types` is a Map of record types with their fields; `onrun` is called when the query is to be run. */
class Query extends View {
  #type = h('input', { autocomplete: 'off', spellcheck: false, 'list': 'record-types' });
  #typeList = h('datalist', { id: 'record-types' });
  #joint = select([['AND', 'all of'], ['OR', 'any of']], 'AND', { 'aria-label': 'Match all or any', onchange: () => this.#formChanged() });
  #rows = h('div.rows');
  #text = h('textarea', { rows: 2, spellcheck: false, oninput: () => this.#textChanged() });
  #state = h('small', { 'aria-live': 'polite' });
  #sort = h('span');
  #direction = select([['up', 'ascending'], ['down', 'descending']], 'up');
  #plan = h('div', { 'aria-live': 'polite' });
  #filters = h('span.parts');
  #entries = [];

  render() {
    this.#type.onchange = () => this.#typeChanged();
    fill(this, this.#typeList,
      h('form', { onsubmit: (event) => { event.preventDefault(); this.onrun(); } },
        h('div.bar', {}, field('Record type', this.#type), h('div.field', {}, this.#sort),
          field('Direction', this.#direction),
          h('button.primary', { type: 'submit' }, 'Run'), button('Explain', () => this.#explain())),
        h('details', { open: false, className: 'filter' }, h('summary', {}, 'Filter'),
          h('div.bar', {}, this.#joint, button('Add a condition', () => this.#addRow())),
          this.#rows, field('Predicate', this.#text), this.#state,
          h('div.bar', {}, button('Save the filter', () => this.#saveFilter()), this.#filters))),
      this.#plan);
    this.setTypes(this.types ?? new Map());
    this.#showFilters();
    this.#formChanged();
  }

  get recordType() { return this.#type.value.trim(); }

  /** The names of fields, each with its type. */
  get fields() { return [...(this.types.get(this.recordType) ?? [])]; }

  setTypes(types) {
    this.types = types;
    fill(this.#typeList, [...types.keys()].map((name) => h('option', { value: name })));
    if (!this.recordType && types.size > 0) this.#type.value = [...types.keys()].find((name) => name !== 'Users') ?? [...types.keys()][0];
    this.#typeChanged();
  }

  /** The query in the form of QueryRecords. */
  request() {
    if (!this.recordType) throw new Error('enter a record type');
    const sort = this.#sort.querySelector('select')?.value;
    const text = this.#text.value.trim();
    return {
      databaseId: databaseID(), recordType: this.recordType, zoneId: zoneID(), limit: pageRecords,
      ...(text && { predicate: { text } }),
      ...(sort && { sortDescriptors: [{ fieldName: sort, descending: this.#direction.value === 'down' }] }),
    };
  }

  #typeChanged() {
    const names = [...this.fields, ...systemFields].filter(([, type]) => !type.startsWith('LIST') && type !== 'LOCATION' && type !== 'ASSET')
      .map(([name]) => name);
    const before = this.#sort.querySelector('select')?.value;
    fill(this.#sort, field('Sort by', select([['', 'nothing'], ...names.map((name) => [name, name])], before ?? '')));
    fill(this.#rows);
    const entries = this.#entries;
    this.#entries = [];
    for (const entry of entries) this.#addRow(entry.read());
  }

  #addRow(row = {}) {
    const choices = [...this.fields, ...systemFields].map(([name]) => name);
    if (row.field && !choices.includes(row.field)) choices.unshift(row.field);
    const n = this.#entries.length + 1;
    const changed = () => this.#formChanged();
    const name = select(choices, row.field ?? choices[0], { 'aria-label': `Field of condition ${n}`, onchange: changed });
    const operator = select(operators, row.operator ?? '=', { 'aria-label': `Operator of condition ${n}`, onchange: changed });
    const value = h('input', { 'aria-label': `Value of condition ${n}`, value: row.value ?? '', oninput: changed });
    const entry = {
      read: () => ({ field: name.value, operator: operator.value, value: value.value, type: this.#typeOf(name.value) ?? row.type ?? 'STRING' }),
    };
    const line = h('div.parts', {}, name, operator, value, button('Remove', () => {
      this.#entries.splice(this.#entries.indexOf(entry), 1);
      line.remove();
      changed();
    }, { 'aria-label': `Remove condition ${n}` }));
    this.#entries.push(entry);
    this.#rows.append(line);
    if (row.field === undefined) value.focus();
  }

  #typeOf(name) {
    const type = [...this.fields, ...systemFields].find(([field]) => field === name)?.[1];
    return type?.match(/^LIST<(\w+)>/)?.[1] ?? type;
  }

  #formChanged() {
    this.#text.value = predicateText(this.#entries.map((entry) => entry.read()), this.#joint.value);
    this.#state.textContent = '';
  }

  #textChanged() {
    const found = this.#text.value.trim() ? predicateRows(this.#text.value) : { rows: [], joint: 'AND' };
    this.#state.textContent = found ? '' : 'The form cannot show this predicate; it is used as text.';
    if (!found) return;
    fill(this.#rows);
    this.#entries = [];
    this.#joint.value = found.joint;
    const focus = document.activeElement;
    for (const row of found.rows) this.#addRow(row);
    focus?.focus();
  }

  #explain() {
    return show(this.#plan, () => call('RecordService/ExplainQuery', { query: this.request() }), (plan) => h('div.card', {},
      h('h2', {}, 'How the query is executed'),
      h('ol', {}, plan.steps.map((step) => h('li', {}, step))),
      h('dl', {}, h('dt', {}, 'Predicate'), h('dd', {}, plan.predicate || 'none'),
        h('dt', {}, 'Index'), h('dd', {}, plan.indexField || 'none: a scan of the zones'),
        h('dt', {}, 'Index entries visited'), h('dd', {}, number(plan.entriesVisited)),
        h('dt', {}, 'Records read'), h('dd', {}, number(plan.recordsVisited)),
        h('dt', {}, 'Records of the page'), h('dd', {}, number(plan.recordsMatched))),
      plan.advice && h('p', {}, plan.advice), plan.warnings.map((warning) => h('p.message', {}, warning)),
      button('Close the plan', () => fill(this.#plan))));
  }

  #saveFilter() {
    const text = this.#text.value.trim();
    if (!text) throw new Error('there is no predicate to save');
    const filters = savedFilters().filter((filter) => filter.type !== this.recordType || filter.text !== text);
    localStorage.setItem(filtersKey(), JSON.stringify([...filters, { type: this.recordType, text }].slice(-50)));
    this.#showFilters();
    notify('The filter is saved in this browser.');
  }

  #showFilters() {
    const filters = savedFilters();
    if (filters.length === 0) {
      fill(this.#filters, note('No saved filters.'));
      return;
    }
    const control = select(filters.map((filter, index) => [String(index), `${filter.type}: ${filter.text}`]), '0', { 'aria-label': 'Saved filters' });
    fill(this.#filters, control,
      button('Use', () => {
        const filter = filters[Number(control.value)];
        this.#type.value = filter.type;
        this.#text.value = filter.text;
        this.#typeChanged();
        this.#textChanged();
      }, { 'aria-label': 'Use the saved filter' }),
      button('Remove', () => {
        filters.splice(Number(control.value), 1);
        localStorage.setItem(filtersKey(), JSON.stringify(filters));
        this.#showFilters();
      }, { 'aria-label': 'Remove the saved filter' }));
  }
}

export const query = define('tidings-query', Query);
