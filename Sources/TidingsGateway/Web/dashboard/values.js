// Values of fields: their types, and their texts. A value is that of the contract, for example `{int64Value: "5"}`.

import { bytes, number, time } from '/dashboard/format.js';

const list = (name, element) => ({ name, element, isList: true });

/** The types, by the member of FieldValue. */
export const types = {
  stringValue: { name: 'STRING' },
  int64Value: { name: 'INT64' },
  doubleValue: { name: 'DOUBLE' },
  timestampValue: { name: 'TIMESTAMP' },
  bytesValue: { name: 'BYTES' },
  locationValue: { name: 'LOCATION' },
  referenceValue: { name: 'REFERENCE' },
  assetValue: { name: 'ASSET' },
  stringListValue: list('LIST<STRING>', 'stringValue'),
  int64ListValue: list('LIST<INT64>', 'int64Value'),
  doubleListValue: list('LIST<DOUBLE>', 'doubleValue'),
  timestampListValue: list('LIST<TIMESTAMP>', 'timestampValue'),
  bytesListValue: list('LIST<BYTES>', 'bytesValue'),
  locationListValue: list('LIST<LOCATION>', 'locationValue'),
  referenceListValue: list('LIST<REFERENCE>', 'referenceValue'),
  assetListValue: list('LIST<ASSET>', 'assetValue'),
};

/** The member of a value that is set; `undefined`: the value is null. */
export const kindOf = (value) => Object.keys(value ?? {})[0];

/** The type of a value, for people. */
export const typeName = (value) => types[kindOf(value)]?.name ?? (value?.encryptedValue ? 'ENCRYPTED' : '');

const readers = {
  stringValue: (value) => value,
  int64Value: (value) => String(value),
  doubleValue: (value) => String(value),
  timestampValue: time,
  bytesValue: (value) => `${bytes(Math.floor(value.replaceAll('=', '').length * 3 / 4))}`,
  locationValue: (value) => `${value.latitude}, ${value.longitude}`,
  referenceValue: (value) => value.recordId?.recordName ?? '',
  assetValue: (value) => `asset, ${bytes(value.size)}`,
};

/** A value as text. */
export function text(value) {
  const kind = kindOf(value);
  if (!kind) return '';
  if (kind === 'encryptedValue') return 'encrypted';
  if (kind === 'unknownListValue') return '[]';
  const type = types[kind];
  if (!type) return kind;
  if (!type.isList) return readers[kind](value[kind]);
  const members = value[kind].values ?? [];
  const shown = members.slice(0, 20).map((member) => readers[type.element](member));
  return `[${shown.join(', ')}${members.length > 20 ? `, … ${number(members.length)} in all` : ''}]`;
}

/** A value for a file: what JSON has for it. */
export function plain(value) {
  const kind = kindOf(value);
  if (!kind) return null;
  if (kind === 'encryptedValue' || kind === 'unknownListValue') return value[kind];
  return types[kind]?.isList ? value[kind].values ?? [] : value[kind];
}

/** Whether two values are equal, whatever the order of their members. */
export const same = (a, b) => canonical(a) === canonical(b);

function canonical(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  return `{${Object.keys(value).sort().map((key) => `${key}:${canonical(value[key])}`).join()}}`;
}
