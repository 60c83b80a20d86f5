// Users: roles, keys, quotas, restriction, devices.

import { call } from '/dashboard/server.js';
import { View, button, checkbox, define, field, fill, h, notify } from '/dashboard/element.js';
import { confirm, form, open } from '/dashboard/dialog.js';
import { number, time } from '/dashboard/format.js';
import { fixedGrid, grid } from '/dashboard/grid.js';

const quotas = [
  ['recordsMax', 'Records'], ['bytesMax', 'Bytes'], ['callsPerSecondMax', 'Calls per second'],
  ['subscriptionsMax', 'Subscriptions in a container'], ['connectionsMax', 'Connections'],
];
const quotaText = (quota) => (quota
  ? quotas.filter(([name]) => Number(quota[name]) > 0).map(([name, title]) => `${title}: ${number(quota[name])}`).join(', ') || 'no limits'
  : 'the server’s');
const split = (text) => text.split(/[\s,]+/).filter(Boolean);
const keyState = (key) => {
  if (key.revoked) return `revoked ${time(key.revoked)}`;
  return key.expires ? `until ${time(key.expires)}` : 'valid';
};

class UsersScreen extends View {
  #grid;

  render() {
    const name = h('input', { autocomplete: 'off' });
    this.#grid = grid({
      label: 'Users', emptyText: 'No users.', nameOf: (account) => account.name,
      columns: [
        { title: 'Name', cell: (account) => account.name },
        { title: 'Display name', cell: (account) => account.displayName },
        { title: 'Roles', cell: (account) => account.roles.join(', ') },
        { title: 'Keys', numeric: true, cell: (account) => account.keys.filter((key) => !key.revoked).length },
        { title: 'Quota', cell: (account) => quotaText(account.quota) },
        { title: 'Created', cell: (account) => time(account.created) },
        { title: 'State', cell: (account) => (account.restricted ? `restricted ${time(account.restricted)}` : 'admitted') },
      ],
      load: async (cursor) => {
        const userNames = split(name.value);
        const page = await call('AdminService/ListUsers', { after: cursor ?? '', limit: 100, userNames });
        return { items: page.accounts, cursor: page.moreComing ? page.accounts.at(-1)?.name : undefined };
      },
      actions: (account) => [
        button('Edit', () => this.#edit(account), { 'aria-label': `Edit ${account.name}` }),
        button('Keys', () => this.#keys(account), { 'aria-label': `Keys of ${account.name}` }),
        button('Devices', () => devices(account), { 'aria-label': `Devices of ${account.name}` }),
      ],
    });
    fill(this, h('form.bar', { onsubmit: (event) => { event.preventDefault(); this.#grid.reload(); } },
      field('Names', name), h('button', { type: 'submit' }, 'Find'),
      button('New user', () => this.#create(), { className: 'primary' })), this.#grid);
  }

  async #create() {
    const name = h('input', { required: true, autocomplete: 'off' });
    const displayName = h('input', { maxLength: 255 });
    const roles = h('input', { placeholder: 'admin, developer, …', autocomplete: 'off' });
    const key = h('input', { placeholder: '40 characters, Z85', autocomplete: 'off', spellcheck: false });
    const created = await form('New user', [
      field('Name', name), field('Display name', displayName), field('Roles', roles),
      field('Public key', key, 'Empty: the user cannot call yet. Generate a pair with rpcctl keys generate.'),
    ], 'Create', () => call('AdminService/CreateUser', {
      name: name.value.trim(), displayName: displayName.value, roles: split(roles.value),
      ...(key.value.trim() && { publicKey: { key: key.value.trim() } }),
    }));
    if (created) await this.#grid.reload();
  }

  async #edit(account) {
    const displayName = h('input', { value: account.displayName, maxLength: 255 });
    const roles = h('input', { value: account.roles.join(', '), autocomplete: 'off' });
    const isRestricted = checkbox('Restricted: the user’s calls are rejected', Boolean(account.restricted));
    const hasQuota = checkbox('A quota of its own', Boolean(account.quota));
    const limits = quotas.map(([name, title]) => [name, title, h('input', { type: 'number', min: 0, value: account.quota?.[name] ?? 0 })]);
    const isSet = (label) => label.querySelector('input').checked;
    const saved = await form(`User ${account.name}`, [
      field('Display name', displayName), field('Roles', roles), h('p', {}, isRestricted), h('p', {}, hasQuota),
      h('div.columns', {}, limits.map(([, title, input]) => field(`${title} (0: no limit)`, input))),
    ], 'Save', async () => {
      const names = split(roles.value);
      if (names.join() !== account.roles.join()) await call('AdminService/AssignRoles', { userName: account.name, roles: names });
      await call('AdminService/UpdateUser', {
        userName: account.name, displayName: displayName.value, restricted: isSet(isRestricted),
        ...(isSet(hasQuota)
          ? { quota: Object.fromEntries(limits.map(([name, , input]) => [name, Number(input.value)])) } : { removesQuota: true }),
      });
    });
    if (!saved) return;
    notify(`The user ${account.name} is saved.`);
    await this.#grid.reload();
  }

  async #keys(account) {
    await open(`Keys of ${account.name}`, (close) => {
      const rows = h('div');
      const refresh = (keys) => fill(rows, fixedGrid(`Keys of ${account.name}`, [
        { title: 'Key', cell: (key) => h('code', {}, key.key) },
        { title: 'Label', cell: (key) => key.label },
        { title: 'Admitted', cell: (key) => time(key.admitted) },
        { title: 'State', cell: keyState },
      ], keys, {
        emptyText: 'No keys.', nameOf: (key) => key.key,
        actions: (key) => !key.revoked && button('Revoke', async () => {
          if (!await confirm('Revoke the key', h('p', {}, 'Calls with it, and dashboards that it signed in, are rejected at once. This cannot be undone.'), 'Revoke')) return;
          refresh((await call('AdminService/RevokeKey', { publicKey: key.key })).account.keys);
          notify('The key is revoked.');
        }, { 'aria-label': `Revoke ${key.key}` }),
      }));
      const key = h('input', { placeholder: '40 characters, Z85', autocomplete: 'off', spellcheck: false });
      const label = h('input', { maxLength: 255 });
      refresh(account.keys);
      return [rows, h('div.bar', {}, field('A further public key', key), field('Label', label), button('Admit', async () => {
        refresh((await call('AdminService/AuthorizeKey', { userName: account.name, publicKey: { key: key.value.trim(), label: label.value } })).account.keys);
      })), h('footer', {}, button('Done', () => close()))];
    }, { wide: true });
    await this.#grid.reload();
  }
}

const devices = (account) => open(`Devices of ${account.name}`, () => grid({
  label: 'Devices', emptyText: 'No device has written anything.',
  columns: [{ title: 'Device', cell: (device) => device.deviceId }, { title: 'Last write', cell: (device) => time(device.lastWrite).slice(0, 10) }],
  load: async (cursor) => {
    const page = await call('AdminService/ListDevices', { userName: account.name, after: cursor ?? '', limit: 100 });
    return { items: page.devices, cursor: page.moreComing ? page.devices.at(-1)?.deviceId : undefined };
  },
}));

export const usersScreen = define('tidings-users', UsersScreen);
