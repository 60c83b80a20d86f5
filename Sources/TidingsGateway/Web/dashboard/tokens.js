// API tokens, server keys and web sessions.

import { call } from '/dashboard/server.js';
import { View, button, define, field, fill, h, notify, select } from '/dashboard/element.js';
import { confirm, form, open } from '/dashboard/dialog.js';
import { time, words } from '/dashboard/format.js';
import { grid } from '/dashboard/grid.js';
import { environment, chosen } from '/dashboard/location.js';

const state = (token) => {
  if (token.revoked) return `revoked ${time(token.revoked)}`;
  if (!token.expires) return 'valid';
  return `${new Date(token.expires) > new Date() ? 'valid until' : 'expired'} ${time(token.expires)}`;
};

class TokensScreen extends View {
  #grid;

  render() {
    const kind = select([['WEB_TOKEN_KIND_UNSPECIFIED', 'all'], ['WEB_TOKEN_KIND_API_TOKEN', 'API tokens'], ['WEB_TOKEN_KIND_SESSION', 'sessions'], ['WEB_TOKEN_KIND_SERVER_KEY', 'server keys']],
      'WEB_TOKEN_KIND_UNSPECIFIED', { onchange: () => this.#grid.reload() });
    const user = h('input', { autocomplete: 'off', onchange: () => this.#grid.reload() });
    this.#grid = grid({
      label: 'Web tokens', emptyText: 'No web tokens.', nameOf: (token) => token.id,
      columns: [
        { title: 'ID', numeric: true, cell: (token) => token.id },
        { title: 'Kind', cell: (token) => words(token.kind, 'WEB_TOKEN_KIND_') },
        { title: 'Container', cell: (token) => token.container },
        { title: 'User', cell: (token) => token.userName },
        { title: 'Label', cell: (token) => token.label },
        { title: 'Origins', cell: (token) => token.allowedOrigins.join(', ') },
        { title: 'Created', cell: (token) => time(token.created) },
        { title: 'State', cell: state },
      ],
      load: async (cursor) => {
        const page = await call('AdminService/ListWebTokens', { after: cursor ?? '0', limit: 100, kind: kind.value, userName: user.value.trim() });
        return { items: page.tokens, cursor: page.moreComing ? page.tokens.at(-1)?.id : undefined };
      },
      actions: (token) => !token.revoked && button('Revoke', () => this.#revoke(token), { 'aria-label': `Revoke ${token.id}` }),
    });
    fill(this, h('div.bar', {}, field('Kind', kind), field('User', user),
      button('New API token', () => this.#create(), { className: 'primary' }), button('Reload', () => this.#grid.reload())), this.#grid);
  }

  async #create() {
    const label = h('input', { maxLength: 255 });
    const origins = h('textarea', { rows: 2, placeholder: 'https://example.org' });
    const created = await form('New API token', [
      h('p', {}, `For the container ${chosen.container}, ${chosen.environment.toLowerCase()}.`),
      field('Label', label), field('Origins', origins, 'One on a line; empty: all.'),
    ], 'Create', () => call('AdminService/CreateWebToken', {
      container: chosen.container, environment: environment(), label: label.value,
      apiToken: { allowedOrigins: origins.value.split(/\s+/).filter(Boolean) },
    }));
    if (!created) return;
    await open('The API token', (close) => [h('p', {}, 'It is shown only now:'), h('pre', {}, created.apiToken),
      h('footer', {}, button('Done', () => close()))]);
    await this.#grid.reload();
  }

  async #revoke(token) {
    if (!await confirm(`Revoke the web token ${token.id}`, h('p', {}, 'It is rejected from the next call on, with its sessions. This cannot be undone.'), 'Revoke')) return;
    await call('AdminService/RevokeWebToken', { id: token.id });
    notify(`The web token ${token.id} is revoked.`);
    await this.#grid.reload();
  }
}

export const tokensScreen = define('tidings-tokens', TokensScreen);
