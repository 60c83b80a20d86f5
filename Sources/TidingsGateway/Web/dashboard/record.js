// One record: its editor, and the dialog that picks one.

import { call, errorCode, sessionFetch } from '/dashboard/server.js';
import { button, fill, field, h, note, select } from '/dashboard/element.js';
import { resolveConflict } from '/dashboard/conflict.js';
import { form, open } from '/dashboard/dialog.js';
import { editor } from '/dashboard/editors.js';
import { time } from '/dashboard/format.js';
import { grid } from '/dashboard/grid.js';
import { databaseID, chosen, zoneID, zoneText } from '/dashboard/location.js';
import { fetchSchema, recordTypes } from '/dashboard/schema.js';
import { kindOf, same, text, typeName, types } from '/dashboard/values.js';
import { Tidings } from '/tidings.js';

/** The member of FieldValue for a type of the schema's text. */
const kindNamed = (name) => Object.keys(types).find((kind) => types[kind].name === name);

/**
 * Lets the user edit a record.
 *
 * @param {object} [record] As fetched; `undefined`: a new one.
 * @param {{recordType: string, types: Map}} context The type of a new record, and the schema.
 * @returns {Promise<object | undefined>} What the server has stored; `undefined`: nothing was saved.
 */
export function editRecord(record, context) {
  const draft = recordForm(record, context);
  return form(record ? `${record.recordType} ${record.recordId.recordName}` : 'New record', draft.element, 'Save',
    () => save(draft.read()), { wide: true });
}

/**
 * A form for the fields of a record.
 *
 * @returns {{element: Element, read: () => object}} `read` gives the record with the fields that were changed.
 */
export function recordForm(record, { recordType, types: schema }) {
  const name = h('input', { autocomplete: 'off', spellcheck: false, placeholder: 'chosen by the server' });
  const type = h('input', { value: recordType ?? '', autocomplete: 'off', spellcheck: false, required: true });
  const entries = [];
  const rows = h('div');
  const addField = (fieldName, kind, content) => {
    const control = editor(kind, content, fieldName);
    const before = content === undefined ? undefined : { [kind]: content };
    const entry = {
      name: fieldName, isRemoved: false, isNew: before === undefined,
      read: () => {
        const value = control.read();
        return value === undefined ? {} : { [kind]: value };
      },
      before,
    };
    const remove = button('Remove', () => {
      entry.isRemoved = !entry.isRemoved;
      if (entry.isNew) {
        entries.splice(entries.indexOf(entry), 1);
        row.remove();
        return;
      }
      row.classList.toggle('differs', entry.isRemoved);
      remove.textContent = entry.isRemoved ? 'Keep' : 'Remove';
    }, { 'aria-label': `Remove the field ${fieldName}` });
    const download = kind === 'assetValue' && content && record
      && button('Download', () => downloadAsset(record, fieldName), { 'aria-label': `Download ${fieldName}` });
    const row = h('div.field', { 'data-field': fieldName }, h('span.quiet', {}, `${fieldName} `, h('small', {}, types[kind].name)),
      h('div.parts', {}, control.element, download, remove));
    entries.push(entry);
    rows.append(row);
  };
  const untouched = [];
  for (const [fieldName, value] of Object.entries(record?.fields ?? {}).sort()) {
    const kind = kindOf(value);
    if (types[kind]) addField(fieldName, kind, value[kind]);
    else untouched.push(h('p', {}, `${fieldName}: ${text(value)} (${typeName(value) || 'read only'})`));
  }
  const declared = [...(schema.get(record?.recordType ?? recordType) ?? [])];
  if (!record) {
    for (const [fieldName, typeText] of declared) {
      const kind = kindNamed(typeText);
      if (kind) addField(fieldName, kind, undefined);
    }
  }
  const newName = h('input', { placeholder: 'name', 'aria-label': 'Name of a further field', autocomplete: 'off', spellcheck: false });
  const newType = select(Object.entries(types).map(([kind, { name: typeText }]) => [kind, typeText]), 'stringValue', { 'aria-label': 'Type of a further field' });
  newName.onchange = () => {
    const kind = kindNamed(declared.find(([fieldName]) => fieldName === newName.value)?.[1]);
    if (kind) newType.value = kind;
  };
  const element = h('div', {},
    record
      ? h('dl', {}, h('dt', {}, 'Zone'), h('dd', {}, zoneText(record.recordId.zoneId)),
        h('dt', {}, 'Change tag'), h('dd', {}, record.changeTag),
        h('dt', {}, 'Created'), h('dd', {}, `${time(record.created?.timestamp)} by ${record.created?.userRecordName}`),
        h('dt', {}, 'Modified'), h('dd', {}, `${time(record.modified?.timestamp)} by ${record.modified?.userRecordName}`),
        record.parent && [h('dt', {}, 'Parent'), h('dd', {}, record.parent.recordId?.recordName)])
      : h('div.bar', {}, field('Record type', type), field('Record name', name)),
    h('h3', {}, 'Fields'), rows, untouched,
    h('div.bar', {}, newName, newType, button('Add a field', () => {
      const fieldName = newName.value.trim();
      if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(fieldName)) throw new Error('a field name has letters, digits and _, and begins with a letter');
      if (entries.some((entry) => entry.name === fieldName)) throw new Error(`there is a field ${fieldName} already`);
      addField(fieldName, newType.value, undefined);
      newName.value = '';
      rows.lastElementChild.querySelector('input, textarea, select, button')?.focus();
    })));
  return {
    element,
    read() {
      const fields = {};
      for (const entry of entries) {
        const value = entry.isRemoved ? {} : entry.read();
        // An empty text box of a new field is no value.
        if (entry.isNew && (kindOf(value) === undefined || value.stringValue === '' || value.bytesValue === ''
          || value[kindOf(value)]?.values?.length === 0)) continue;
        if (entry.isNew || !same(value, entry.before)) fields[entry.name] = value;
      }
      return record
        ? { recordId: record.recordId, recordType: record.recordType, changeTag: record.changeTag, fields }
        : { recordId: { recordName: name.value.trim(), zoneId: zoneID() }, recordType: type.value.trim(), fields };
    },
  };
}

/** Saves a record; a conflict is shown, and what the user makes of it is saved. */
async function save(record) {
  const answer = await call('RecordService/ModifyRecords', { databaseId: databaseID(), recordsToSave: [record] });
  const result = answer.results[0];
  if (!result.error) return result.record;
  if (errorCode(result.error) !== 'SERVER_RECORD_CHANGED' || !result.serverRecord) throw new Error(result.error.message);
  const merged = await resolveConflict(record, result.serverRecord, result.ancestorRecord);
  if (!merged) throw new Error('not saved: the record was changed by another client');
  return save(merged);
}

async function downloadAsset(record, fieldName) {
  const client = new Tidings({
    apiToken: 'dashboard', container: chosen.container, environment: chosen.environment.toLowerCase(), fetch: sessionFetch,
  });
  const { zoneName, ownerName } = record.recordId.zoneId ?? {};
  const zone = zoneName && { zoneName, ...(ownerName && { ownerRecordName: ownerName }) };
  const fetched = await client[`${chosen.scope.toLowerCase()}Database`].fetch(record.recordId.recordName, { zone, desiredKeys: [fieldName] });
  const url = new URL(client.downloadURL(fetched.fields[fieldName], fieldName));
  h('a', { href: url.pathname, download: fieldName }).click();
}

/** Lets the user pick a record; gives it, or `undefined`. */
export async function pickRecord() {
  const schema = recordTypes((await fetchSchema()).text);
  return open('Pick a record', (close) => {
    const result = h('div');
    const type = select([...schema.keys()], chosen.pickedType ?? [...schema.keys()][0], { onchange: () => load() });
    const filter = h('input', { placeholder: 'beginning of the name', onchange: () => load() });
    const load = () => {
      if (!type.value) {
        fill(result, note('No record type exists here.'));
        return;
      }
      chosen.pickedType = type.value;
      fill(result, grid({
        label: 'Records', emptyText: 'No record matches.',
        columns: [
          { title: 'Record name', cell: (record) => record.recordId.recordName },
          { title: 'Zone', cell: (record) => zoneText(record.recordId.zoneId) },
          { title: 'Fields', cell: (record) => Object.entries(record.fields).slice(0, 3).map(([name, value]) => `${name}: ${text(value)}`).join(', ').slice(0, 120) },
        ],
        nameOf: (record) => record.recordId.recordName,
        load: async (cursor) => {
          const prefix = filter.value.trim();
          const page = await call('RecordService/QueryRecords', {
            databaseId: databaseID(), recordType: type.value, zoneId: zoneID(), limit: 20, cursor,
            ...(prefix && { predicate: { text: `recordName BEGINSWITH ${JSON.stringify(prefix)}` } }),
          });
          return { items: page.records, cursor: page.cursor };
        },
        actions: (record) => button('Pick', () => close(record), { 'aria-label': `Pick ${record.recordId.recordName}` }),
      }));
    };
    load();
    return [h('div.bar', {}, field('Record type', type), field('Record name', filter)), result];
  }, { wide: true });
}
