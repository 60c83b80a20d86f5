// Editors of values, one for each type of field.

import { call } from '/dashboard/server.js';
import { button, h, notify, select } from '/dashboard/element.js';
import { bytes } from '/dashboard/format.js';
import { databaseID } from '/dashboard/location.js';
import { pickRecord } from '/dashboard/record.js';
import { types } from '/dashboard/values.js';

const actions = [
  ['REFERENCE_ACTION_NONE', 'none'], ['REFERENCE_ACTION_DELETE_SELF', 'delete self'],
  ['REFERENCE_ACTION_VALIDATE', 'validate'],
];

/** What the server takes in one call. */
const chunkBytes = 512 * 1024;

/**
 * Makes the editor of a value.
 *
 * @param {string} kind The member of FieldValue.
 * @param {any} value Its content; `undefined`: empty.
 * @param {string} label The name of the field, for screen readers.
 * @returns {{element: Element, read: () => any}} `read` gives the content; `undefined`: none. It throws an Error that says
 *   what is wrong.
 */
export function editor(kind, value, label) {
  return types[kind].isList ? listEditor(types[kind].element, value, label) : scalars[kind](value, label);
}

const input = (properties, label) => h('input', { 'aria-label': label, ...properties });

const refuse = (label, problem) => {
  throw new Error(`${label}: ${problem}`);
};

const scalars = {
  stringValue(value = '', label) {
    const area = h('textarea', { 'aria-label': label, rows: value.includes('\n') ? 4 : 1, value });
    return { element: area, read: () => area.value };
  },
  int64Value(value, label) {
    const element = input({ inputMode: 'numeric', value: value ?? '' }, label);
    return {
      element,
      read() {
        const text = element.value.trim();
        if (text === '') return undefined;
        if (!/^-?\d{1,19}$/.test(text) || BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) {
          refuse(label, 'not a whole number of 64 bits');
        }
        return text;
      },
    };
  },
  doubleValue(value, label) {
    const element = input({ inputMode: 'decimal', value: value ?? '' }, label);
    return {
      element,
      read() {
        if (element.value.trim() === '') return undefined;
        const number = Number(element.value);
        return Number.isFinite(number) ? number : refuse(label, 'not a number');
      },
    };
  },
  timestampValue(value, label) {
    // To the second; what is not changed keeps its fraction.
    const date = value && new Date(value);
    const local = date
      ? new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19) : '';
    const element = input({ type: 'datetime-local', step: 1, value: local }, label);
    const before = element.value;
    return {
      element,
      read() {
        if (element.value === before) return value;
        return element.value ? new Date(element.value).toISOString() : undefined;
      },
    };
  },
  bytesValue(value, label) {
    const element = h('textarea', { 'aria-label': `${label}, base64`, rows: 1, value: value ?? '', placeholder: 'base64' });
    return {
      element,
      read() {
        const text = element.value.replace(/\s/g, '');
        if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) refuse(label, 'not base64');
        return text;
      },
    };
  },
  locationValue(value, label) {
    const parts = [['latitude', -90, 90], ['longitude', -180, 180]].map(([name, min, max]) => ({
      name, min, max,
      element: input({ inputMode: 'decimal', placeholder: name, value: value?.[name] ?? '' }, `${label}, ${name}`),
    }));
    return {
      element: h('span.parts', {}, parts.map((part) => part.element)),
      read() {
        if (parts.every((part) => part.element.value.trim() === '')) return undefined;
        const location = { ...value };
        for (const { name, min, max, element } of parts) {
          const degrees = Number(element.value);
          if (element.value.trim() === '' || !(degrees >= min && degrees <= max)) {
            refuse(label, `${name} is a number from ${min} to ${max}`);
          }
          location[name] = degrees;
        }
        return location;
      },
    };
  },
  referenceValue(value, label) {
    const name = input({ value: value?.recordId?.recordName ?? '', placeholder: 'record name' }, `${label}, record name`);
    let zone = value?.recordId?.zoneId;
    const action = select(actions, value?.action ?? actions[0][0], { 'aria-label': `${label}, action` });
    const pick = button('Pick…', async () => {
      const record = await pickRecord();
      if (!record) return;
      name.value = record.recordId.recordName;
      zone = record.recordId.zoneId;
    }, { 'aria-label': `Pick the record of ${label}` });
    return {
      element: h('span.parts', {}, name, pick, action),
      read() {
        const recordName = name.value.trim();
        if (!recordName) return undefined;
        return { recordId: { recordName, ...(zone && { zoneId: zone }) }, action: action.value };
      },
    };
  },
  assetValue(value, label) {
    let asset = value;
    const state = h('span', {}, asset ? bytes(asset.size) : 'no file');
    const file = input({
      type: 'file',
      onchange: async () => {
        if (!file.files[0]) return;
        state.textContent = 'uploading…';
        try {
          asset = await upload(file.files[0], (done) => { state.textContent = `${bytes(done)} uploaded`; });
          state.textContent = bytes(asset.size);
        } catch (error) {
          state.textContent = 'not uploaded';
          notify(error.message, 'error');
        }
      },
    }, label);
    return { element: h('span.parts', {}, file, state), read: () => asset };
  },
};

function listEditor(kind, value, label) {
  const entries = [];
  const rows = h('div.list');
  const append = (content) => {
    const entry = scalars[kind](content, `${label}, entry ${entries.length + 1}`);
    const row = h('div.parts', {}, entry.element, button('Remove', () => {
      entries.splice(entries.indexOf(entry), 1);
      row.remove();
    }, { 'aria-label': `Remove an entry of ${label}` }));
    entries.push(entry);
    rows.append(row);
  };
  for (const content of value?.values ?? []) append(content);
  return {
    element: h('div', {}, rows, button('Add', () => append(undefined), { 'aria-label': `Add an entry to ${label}` })),
    read: () => ({ values: entries.map((entry) => entry.read()).filter((content) => content !== undefined) }),
  };
}

const base64 = (buffer) => {
  let text = '';
  for (const byte of new Uint8Array(buffer)) text += String.fromCharCode(byte);
  return btoa(text);
};

/** Stores a file in the database, and returns its asset. */
async function upload(file, progress) {
  const content = await file.arrayBuffer();
  const asset = { checksum: base64(await crypto.subtle.digest('SHA-256', content)), size: String(content.byteLength) };
  // What is stored already is not sent again.
  let answer = await call('AssetService/UploadAsset', { databaseId: databaseID(), asset });
  while (!answer.complete) {
    const offset = Number(answer.offset);
    const chunk = base64(content.slice(offset, offset + chunkBytes));
    answer = await call('AssetService/UploadAsset', { databaseId: databaseID(), asset, offset: String(offset), chunk });
    progress(Number(answer.offset));
  }
  return asset;
}
