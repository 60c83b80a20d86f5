// The audit log: administrative and rejected actions.

import { call } from '/dashboard/server.js';
import { View, button, define, field, fill, h, select } from '/dashboard/element.js';
import { number, time } from '/dashboard/format.js';
import { grid } from '/dashboard/grid.js';

class AuditScreen extends View {
  render() {
    const user = h('input', { autocomplete: 'off' });
    const kind = select([['', 'all'], ['true', 'rejected'], ['false', 'successful']], '');
    const limit = select([['100', '100'], ['1000', '1,000']], '100');
    const chains = h('div', { 'aria-live': 'polite' });
    const fetch = (verifies) => call('AdminService/FetchAuditLog', {
      limit: Number(limit.value), userName: user.value.trim(), verifies, ...(kind.value && { refused: kind.value === 'true' }),
    });
    const table = grid({
      label: 'Audit log, newest first', emptyText: 'No entries.',
      columns: [
        { title: 'Time', cell: (entry) => time(entry.time) },
        { title: 'Action', cell: (entry) => entry.action },
        { title: 'User', cell: (entry) => entry.userName },
        { title: 'Outcome', cell: (entry) => (entry.refused ? 'rejected' : 'done') },
        { title: 'Count', numeric: true, cell: (entry) => number(entry.count) },
        { title: 'Address', cell: (entry) => entry.address },
        { title: 'Detail', cell: (entry) => entry.detail },
      ],
      load: async () => ({ items: (await fetch(false)).entries.reverse() }),
    });
    fill(this, h('form.bar', { onsubmit: (event) => { event.preventDefault(); table.reload(); } },
      field('User', user), field('Actions', kind), field('Newest entries', limit), h('button.primary', { type: 'submit' }, 'Show'),
      button('Verify the chains', async () => {
        const answer = await fetch(true);
        fill(chains, answer.chains.map((chain) => h('p.message', { className: `message${chain.problems.length > 0 ? ' error' : ''}` },
          `${chain.name}: ${number(chain.lineCount)} lines checked, ${chain.problems.length > 0 ? chain.problems.join('; ') : 'no inconsistencies'}`)));
      })), chains, table);
  }
}

export const auditScreen = define('tidings-audit', AuditScreen);
