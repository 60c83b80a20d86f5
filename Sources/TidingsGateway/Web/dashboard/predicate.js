// Predicates as rows of a form, and as text. The server has the grammar: this reads the part of it that the form can show.

/** The operators of the form, with the types that they take. */
export const operators = ['=', '!=', '<', '<=', '>', '>=', 'BEGINSWITH', 'ENDSWITH', 'LIKE', 'CONTAINS', 'CONTAINS ALL', 'CONTAINS ANY', 'IN'];

/** Fields with these names are written with a `#`. */
const keywords = new Set((
  'AND OR NOT TRUE FALSE YES NO TRUEPREDICATE FALSEPREDICATE BETWEEN ' +
  'IN CONTAINS BEGINSWITH ENDSWITH LIKE ANY SOME ALL NONE SELF ' +
  'NOW MATCHES TOKENMATCHES SUBQUERY FUNCTION CAST TERNARY NULL NIL ANYKEY ' +
  'FIRST LAST SIZE '
).trim().split(' '));
const fieldText = (name) => (keywords.has(name.toUpperCase()) ? `#${name}` : name);

const escapes = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const quote = (text) => `"${text.replace(/[\\"\n\r\t]/g, (character) => escapes[character])}"`;

/** The text of a value that a user entered for a field of a type. */
export function literal(text, type) {
  switch (type) {
    case 'INT64': case 'DOUBLE': return /^-?[\d.]+(e[+-]?\d+)?$/i.test(text.trim()) ? text.trim() : quote(text);
    case 'TIMESTAMP': return text === 'now' ? text : `@${text.trim()}`;
    case 'REFERENCE': return `@reference(${quote(text.trim())})`;
    case 'BYTES': return `<${text.trim()}>`;
    case 'LOCATION': return `@location(${text.trim()})`;
    default: return quote(text);
  }
}

/**
 * The text of rows.
 *
 * @param {{field: string, operator: string, value: string, type: string}[]} rows
 * @param {'AND' | 'OR'} joint
 */
export const predicateText = (rows, joint) => rows.filter((row) => row.field).map((row) => {
  const value = row.operator === 'IN'
    ? `{${row.value.split(',').map((entry) => literal(entry.trim(), row.type)).join(', ')}}`
    : literal(row.value, row.type);
  return `${fieldText(row.field)} ${row.operator} ${value}`;
}).join(` ${joint} `);

const token = /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(@reference\(\s*"(?:[^"\\]|\\.)*"\s*\))|(@location\([^()]*\))|(@\d[0-9T:.Z-]*)|(<[0-9a-fA-F]*>)|(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(#?[A-Za-z_][A-Za-z0-9_]*)|(==|!=|<>|<=|>=|[=<>{},]))/gy;

function tokens(text) {
  const found = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.trimEnd().length) {
    const match = token.exec(text);
    if (!match) return undefined;
    const [, string, reference, place, time, bytes, number, word, symbol] = match;
    if (string) found.push({ value: unquote(string), type: 'STRING' });
    else if (reference) found.push({ value: unquote(reference.match(/"(?:[^"\\]|\\.)*"/)[0]), type: 'REFERENCE' });
    else if (place) found.push({ value: place.slice(10, -1), type: 'LOCATION' });
    else if (time) found.push({ value: time.slice(1), type: 'TIMESTAMP' });
    else if (bytes) found.push({ value: bytes.slice(1, -1), type: 'BYTES' });
    else if (number) found.push({ value: number, type: 'DOUBLE' });
    else if (word) found.push({ word });
    else found.push({ symbol });
  }
  return found;
}

const unquote = (text) => text.slice(1, -1).replace(/\\(.)/g, (_, character) =>
  ({ n: '\n', r: '\r', t: '\t' })[character] ?? character);

/**
 * The rows of a text.
 *
 * @returns {{rows: object[], joint: 'AND' | 'OR'} | undefined} `undefined`: the form cannot show it.
 */
export function predicateRows(text) {
  const parts = tokens(text);
  if (!parts) return undefined;
  const [rows, joints] = [[], new Set()];
  let at = 0;
  while (at < parts.length) {
    const row = { field: parts[at]?.word?.replace('#', '') };
    const next = parts[at + 1];
    const operator = next?.symbol ?? next?.word?.toUpperCase();
    at += 2;
    row.operator = operator === '==' ? '=' : operator === '<>' ? '!=' : operator;
    if (row.operator === 'CONTAINS' && ['ALL', 'ANY'].includes(parts[at]?.word?.toUpperCase())) {
      row.operator = `CONTAINS ${parts[at].word.toUpperCase()}`;
      at += 1;
    }
    if (!row.field || !operators.includes(row.operator)) return undefined;
    if (row.operator === 'IN') {
      const values = [];
      if (parts[at]?.symbol !== '{') return undefined;
      do {
        values.push(parts[at + 1]);
        at += 2;
      } while (parts[at]?.symbol === ',');
      if (parts[at]?.symbol !== '}' || values.some((value) => value?.type === undefined || value.value.includes(','))) return undefined;
      [row.value, row.type] = [values.map((value) => value.value).join(', '), values[0].type];
    } else {
      const value = parts[at]?.word?.toLowerCase() === 'now' ? { value: 'now', type: 'TIMESTAMP' } : parts[at];
      if (value?.type === undefined) return undefined;
      [row.value, row.type] = [value.value, value.type];
    }
    at += 1;
    rows.push(row);
    if (at === parts.length) break;
    const joint = parts[at].word?.toUpperCase();
    if (joint !== 'AND' && joint !== 'OR') return undefined;
    joints.add(joint);
    at += 1;
    if (at === parts.length) return undefined;
  }
  if (joints.size > 1) return undefined;
  return { rows, joint: [...joints][0] ?? 'AND' };
}
