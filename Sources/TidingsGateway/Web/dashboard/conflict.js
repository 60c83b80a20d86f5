// A conflict: the record that was to be saved, the server's, and the version from which the first was made, side by side.

import { form } from '/dashboard/dialog.js';
import { h } from '/dashboard/element.js';
import { time } from '/dashboard/format.js';
import { same, text } from '/dashboard/values.js';

/**
 * Lets the user decide about each field that both changed.
 *
 * @param {object} mine What was to be saved: only the fields that were changed.
 * @param {object} server The record as stored.
 * @param {object} [ancestor] The version with the change tag of `mine`, if it is still stored.
 * @returns {Promise<object | undefined>} What to save, with the server's change tag; `undefined`: nothing.
 */
export async function resolveConflict(mine, server, ancestor) {
  const names = [...new Set([...Object.keys(mine.fields), ...Object.keys(server.fields), ...Object.keys(ancestor?.fields ?? {})])].sort();
  const choices = new Map();
  const rows = names.map((name) => {
    const [stored, before] = [server.fields[name], ancestor?.fields[name]];
    const isMine = name in mine.fields;
    const wanted = isMine ? mine.fields[name] : before;
    const isOpen = isMine && !same(wanted, stored ?? {});
    const cell = (value, which, isDifferent) => {
      const shown = text(value) || (value && Object.keys(value).length > 0 ? '""' : 'absent');
      if (!isOpen || which === 'ancestor') return h(isDifferent ? 'td.differs' : 'td', {}, shown);
      const input = h('input', {
        type: 'radio', name: `conflict-${name}`, checked: which === 'mine',
        'aria-label': `${name}: use ${which === 'mine' ? 'mine' : 'the server’s'}`,
        onchange: () => choices.set(name, which),
      });
      return h('td.differs', {}, input, ' ', shown);
    };
    if (isOpen) choices.set(name, 'mine');
    return h('tr', {}, h('th', { scope: 'row' }, name),
      cell(isMine || ancestor ? wanted : stored, 'mine', isMine), cell(stored, 'server', ancestor && !same(stored ?? {}, before ?? {})),
      ancestor && cell(before, 'ancestor', false));
  });
  const by = (record) => record?.modified && h('small', {}, ` ${time(record.modified.timestamp)}, ${record.modified.userRecordName}`);
  const isConfirmed = await form('The record was changed by another client', [
    h('p', {}, 'Nothing is saved yet. Choose what to keep of each field that differs.'),
    h('div.scroll', {}, h('table', {},
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Field'), h('th', { scope: 'col' }, 'Mine'),
        h('th', { scope: 'col' }, 'Server’s', by(server)), ancestor && h('th', { scope: 'col' }, 'Ancestor', by(ancestor)))),
      h('tbody', {}, rows))),
    !ancestor && h('p.note', {}, 'The version from which yours was made is no longer stored.'),
  ], 'Save the merged record', async () => true, { wide: true });
  if (!isConfirmed) return undefined;
  const fields = Object.fromEntries([...choices].filter(([, which]) => which === 'mine').map(([name]) => [name, mine.fields[name]]));
  return { ...mine, changeTag: server.changeTag, fields };
}
