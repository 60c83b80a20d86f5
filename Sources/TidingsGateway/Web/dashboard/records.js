// The records of a type: page by page, with a choice of columns, export, and deletion that shows what it cascades to.

import { call, errorCode } from '/dashboard/server.js';
import { View, button, checkbox, define, field, fill, h, note, notify, saveFile } from '/dashboard/element.js';
import { confirm } from '/dashboard/dialog.js';
import { counted, time } from '/dashboard/format.js';
import { grid } from '/dashboard/grid.js';
import { databaseID, moveTo, chosen, zoneText } from '/dashboard/location.js';
import { query } from '/dashboard/query.js';
import { editRecord } from '/dashboard/record.js';
import { fetchSchema, recordTypes } from '/dashboard/schema.js';
import { plain, text } from '/dashboard/values.js';

/** Most items of a call. */
const batchRecords = 200;

const systemColumns = [
  { title: 'Record name', cell: (record) => record.recordId.recordName },
  { title: 'Zone', cell: (record) => zoneText(record.recordId.zoneId) },
  { title: 'Modified', cell: (record) => time(record.modified?.timestamp) },
  { title: 'Modified by', cell: (record) => record.modified?.userRecordName ?? '' },
  { title: 'Created', cell: (record) => time(record.created?.timestamp) },
  { title: 'Change tag', cell: (record) => record.changeTag },
];
const shownAtFirst = ['Record name', 'Modified'];

class RecordsScreen extends View {
  #query = query({ onrun: () => this.#run() });
  #columns = h('div.bar');
  #result = h('div');
  #grid;
  #hidden = new Set();

  async render() {
    const zone = h('input', {
      value: chosen.zone, placeholder: 'all zones', autocomplete: 'off', spellcheck: false,
      onchange: () => moveTo({ zone: zone.value.trim(), owner: '' }),
    });
    const remove = button('Delete selected', () => this.#delete([...this.#grid.selected]), { className: 'danger' });
    fill(this, h('div.bar', {}, field('Zone', zone),
      button('New record', () => this.#edit(undefined), { className: 'primary' }),
      remove, button('Export CSV', () => this.#export('csv')), button('Export JSON', () => this.#export('json'))),
    this.#query, h('details', { className: 'columns-choice' }, h('summary', {}, 'Columns'), this.#columns), this.#result);
    try {
      this.#query.setTypes(recordTypes((await fetchSchema()).text));
    } catch (error) {
      notify(error.message, 'error');
    }
    if (this.#query.recordType) this.#run();
    else fill(this.#result, note('No record type exists here yet: create a record.'));
  }

  #run() {
    try {
      this.#query.request();
    } catch (error) {
      notify(error.message, 'error');
      return;
    }
    this.#hidden = new Set(JSON.parse(localStorage.getItem(this.#columnsKey()) ?? 'null')
      ?? systemColumns.map((column) => column.title).filter((title) => !shownAtFirst.includes(title)));
    this.#showColumns();
    this.#showGrid();
  }

  #columnsKey() { return `tidings-columns ${chosen.container} ${this.#query.recordType}`; }

  get #fieldNames() {
    const names = new Set(this.#query.fields.map(([name]) => name));
    for (const record of this.#grid?.items ?? []) for (const name of Object.keys(record.fields)) names.add(name);
    return [...names].slice(0, 200);
  }

  #showColumns() {
    const titles = [...systemColumns.map((column) => column.title), ...this.#fieldNames];
    fill(this.#columns, titles.map((title) => checkbox(title, !this.#hidden.has(title), (isShown) => {
      if (isShown) this.#hidden.delete(title);
      else this.#hidden.add(title);
      localStorage.setItem(this.#columnsKey(), JSON.stringify([...this.#hidden]));
      this.#showGrid();
    })));
  }

  #showGrid() {
    const request = this.#query.request();
    const fields = this.#query.fields.map(([name]) => name);
    const columns = [
      ...systemColumns.filter((column) => !this.#hidden.has(column.title)),
      ...fields.filter((name) => !this.#hidden.has(name))
        .map((name) => ({ title: name, cell: (record) => text(record.fields[name]) })),
    ];
    this.#grid = grid({
      label: `Records of the type ${request.recordType}`,
      columns, selects: true, emptyText: 'No record matches.',
      nameOf: (record) => record.recordId.recordName,
      load: async (cursor) => {
        const page = await call('RecordService/QueryRecords', { ...request, cursor });
        for (const warning of page.warnings) notify(warning);
        return { items: page.records, cursor: page.cursor };
      },
      actions: (record) => [
        button('Edit', () => this.#edit(record), { 'aria-label': `Edit ${record.recordId.recordName}` }),
        button('Delete', () => this.#delete([record]), { 'aria-label': `Delete ${record.recordId.recordName}` }),
      ],
    });
    fill(this.#result, this.#grid);
  }

  async #edit(record) {
    const saved = await editRecord(record, {
      recordType: this.#query.recordType, types: this.#query.types,
    });
    if (!saved) return;
    notify(`The record ${saved.recordId.recordName} is saved.`);
    await this.#refresh();
  }

  /** Types and fields may be new. */
  async #refresh() {
    this.#query.setTypes(recordTypes((await fetchSchema()).text));
    this.#run();
  }

  async #delete(records) {
    if (records.length === 0) throw new Error('select records first');
    if (records.length > batchRecords) throw new Error(`select at most ${batchRecords} records`);
    const request = {
      databaseId: databaseID(), recordIdsToDelete: records.map((record) => record.recordId),
      // What was changed since it was shown here is not deleted.
      expectedChangeTags: records.map((record) => record.changeTag),
    };
    const preview = await call('RecordService/ModifyRecords', { ...request, dryRun: true });
    const failed = preview.results.filter((result) => result.error);
    const isConfirmed = await confirm(`Delete ${counted(records.length, 'record')}`, [
      h('ul', {}, records.slice(0, 20).map((record) => h('li', {}, record.recordId.recordName)),
        records.length > 20 && h('li', {}, `and ${records.length - 20} more`)),
      failed.map((result) => h('p.message.error', {}, `${result.recordId.recordName}: ${result.error.message}`)),
      preview.cascadedDeletions.length > 0
        ? [h('p', { id: 'cascade' }, `The deletion cascades to ${counted(preview.cascadedDeletions.length, 'record')}:`),
          h('ul', {}, preview.cascadedDeletions.slice(0, 100).map((deletion) =>
            h('li', {}, `${deletion.recordType} ${deletion.recordId.recordName}, which refers to ${deletion.targetId.recordName}`)))]
        : note('No other record is deleted with them.'),
    ], 'Delete');
    if (!isConfirmed) return;
    const answer = await call('RecordService/ModifyRecords', request);
    const errors = answer.results.filter((result) => result.error);
    notify(errors.length > 0
      ? `${counted(errors.length, 'record')} not deleted: ${errorCode(errors[0].error)}, ${errors[0].error.message}`
      : `${counted(records.length + answer.cascadedDeletions.length, 'record')} deleted.`, errors.length > 0 ? 'error' : 'info');
    await this.#grid.reload();
  }

  /** Saves the selected rows, or all that are shown: what the server let the user read. */
  #export(format) {
    const records = this.#grid?.selected.size > 0 ? [...this.#grid.selected] : this.#grid?.items ?? [];
    if (records.length === 0) throw new Error('there are no records to export');
    const names = this.#fieldNames;
    const rows = records.map((record) => ({
      recordName: record.recordId.recordName, zoneName: record.recordId.zoneId?.zoneName ?? '',
      recordType: record.recordType, changeTag: record.changeTag,
      created: record.created?.timestamp, modified: record.modified?.timestamp,
      fields: Object.fromEntries(names.filter((name) => record.fields[name]).map((name) => [name, plain(record.fields[name])])),
    }));
    const name = `${this.#query.recordType}.${format}`;
    if (format === 'json') saveFile(name, 'application/json', `${JSON.stringify(rows, null, 2)}\n`);
    else saveFile(name, 'text/csv', csv(rows, names));
    notify(`${counted(records.length, 'record')} exported. Use rpcctl export for all records of a zone.`);
  }
}

/** RFC 4180; texts that a spreadsheet would take for a formula get an apostrophe. */
function csv(rows, names) {
  const cell = (value) => {
    let content = value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
    const isNumber = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(content);
    if (typeof value === 'string' && !isNumber && /^[-=+@\t\r]/.test(content)) content = `'${content}`;
    return /[",\r\n]/.test(content) ? `"${content.replaceAll('"', '""')}"` : content;
  };
  const system = ['recordName', 'zoneName', 'recordType', 'changeTag', 'created', 'modified'];
  return [[...system, ...names], ...rows.map((row) =>
    [...system.map((name) => row[name]), ...names.map((name) => row.fields[name])])]
    .map((line) => line.map(cell).join(',')).join('\r\n') + '\r\n';
}

export const recordsScreen = define('tidings-records', RecordsScreen);
