// Shares: those that the user owns, was invited to or has accepted; their participants.

import { call, currentSession } from '/dashboard/server.js';
import { View, button, define, field, fill, h, notify, select } from '/dashboard/element.js';
import { confirm, form } from '/dashboard/dialog.js';
import { time, words } from '/dashboard/format.js';
import { fixedGrid, grid } from '/dashboard/grid.js';
import { environment, chosen } from '/dashboard/location.js';

const permissions = [
  ['PARTICIPANT_PERMISSION_NONE', 'none'], ['PARTICIPANT_PERMISSION_READ_ONLY', 'read only'],
  ['PARTICIPANT_PERMISSION_READ_WRITE', 'read and write'],
];

const isOwn = (share) => share.zoneId?.ownerName === currentSession()?.userName || share.participant?.role === 'PARTICIPANT_ROLE_OWNER';

/** The database in which a share is changed: the owner's private one, or the shared one of participants. */
const databaseOf = (share) => ({
  container: share.container, environment: share.environment, scope: isOwn(share) ? 'DATABASE_SCOPE_PRIVATE' : 'DATABASE_SCOPE_SHARED',
});

async function save(share, content) {
  const { results: [result] } = await call('RecordService/ModifyRecords', {
    databaseId: databaseOf(share),
    recordsToSave: [{ recordId: share.share.recordId, recordType: 'cloudkit.share', changeTag: share.share.changeTag, share: content }],
  });
  if (result.error) throw new Error(result.error.message);
}

class SharesScreen extends View {
  #grid;

  render() {
    const zone = h('input', { placeholder: 'zone', autocomplete: 'off' });
    const root = h('input', { placeholder: 'record name; empty: the whole zone', autocomplete: 'off' });
    const permission = select(permissions, permissions[0][0]);
    const url = h('input', { autocomplete: 'off', spellcheck: false });
    this.#grid = grid({
      label: 'Shares', emptyText: 'No shares.', nameOf: (share) => share.share?.recordId?.recordName ?? share.zoneId?.zoneName,
      columns: [
        { title: 'Owner', cell: (share) => share.zoneId?.ownerName },
        { title: 'Zone', cell: (share) => share.zoneId?.zoneName },
        { title: 'Shared', cell: (share) => share.rootRecordName || 'the zone' },
        { title: 'Anyone with the URL', cell: (share) => words(share.share?.share?.publicPermission, 'PARTICIPANT_PERMISSION_') },
        { title: 'My role', cell: (share) => words(share.participant?.role, 'PARTICIPANT_ROLE_') },
        { title: 'State', cell: (share) => words(share.participant?.acceptanceStatus, 'ACCEPTANCE_STATUS_') },
        { title: 'Participants', numeric: true, cell: (share) => share.share?.share?.participants?.length ?? 0 },
      ],
      load: async (cursor) => {
        const page = await call('ShareService/FetchShares', { container: chosen.container, environment: environment(), limit: 50, continuation: cursor });
        return { items: page.shares, cursor: page.continuation };
      },
      actions: (share) => [
        button('Participants', () => this.#participants(share)),
        button(isOwn(share) ? 'End' : 'Leave', () => this.#end(share)),
      ],
    });
    fill(this,
      h('form.bar', {
        onsubmit: (event) => {
          event.preventDefault();
          this.#create(zone.value.trim(), root.value.trim(), permission.value).catch((error) => notify(error.message, 'error'));
        },
      }, field('Share of the zone', zone), field('Shared record', root), field('Anyone with the URL', permission),
      h('button.primary', { type: 'submit' }, 'Share')),
      h('form.bar', {
        onsubmit: (event) => {
          event.preventDefault();
          this.#accept(url.value.trim()).catch((error) => notify(error.message, 'error'));
        },
      }, field('URL of a share of others', url), h('button', { type: 'submit' }, 'Accept')),
      this.#grid);
  }

  async #create(zoneName, root, publicPermission) {
    const { results: [result] } = await call('RecordService/ModifyRecords', {
      databaseId: { container: chosen.container, environment: environment(), scope: 'DATABASE_SCOPE_PRIVATE' },
      recordsToSave: [{
        recordId: { recordName: root ? '' : 'cloudkit.zoneshare', zoneId: { zoneName } }, recordType: 'cloudkit.share',
        share: { rootRecordName: root, publicPermission },
      }],
    });
    if (result.error) throw new Error(result.error.message);
    notify('The share exists.');
    await this.#grid.reload();
  }

  async #accept(url) {
    const { results: [result] } = await call('ShareService/AcceptShares', { urls: [url] });
    if (result.error) throw new Error(result.error.message);
    notify('The share is accepted: what is shared is in the shared database.');
    await this.#grid.reload();
  }

  async #participants(share) {
    const content = share.share.share;
    const list = [...content.participants];
    const rows = h('div');
    const showRows = () => fill(rows, fixedGrid('Participants', [
      { title: 'User', cell: (one) => one.userRecordName || one.participantId },
      { title: 'Role', cell: (one) => words(one.role, 'PARTICIPANT_ROLE_') },
      { title: 'Permission', cell: (one) => words(one.permission, 'PARTICIPANT_PERMISSION_') },
      { title: 'State', cell: (one) => words(one.acceptanceStatus, 'ACCEPTANCE_STATUS_') },
      { title: 'Expires', cell: (one) => time(one.expires) },
    ], list, {
      nameOf: (one) => one.userRecordName,
      actions: (one) => one.role !== 'PARTICIPANT_ROLE_OWNER' && button('Remove', () => {
        list.splice(list.indexOf(one), 1);
        showRows();
      }, { 'aria-label': `Remove ${one.userRecordName || one.participantId}` }),
    }));
    const user = h('input', { autocomplete: 'off' });
    const permission = select(permissions.slice(1), permissions[1][0]);
    showRows();
    const changed = await form('Participants', [
      content.url && h('p', {}, 'URL: ', h('code', {}, content.url)), rows,
      h('div.bar', {}, field('User to invite', user), field('Permission', permission)),
    ], 'Save', () => save(share, {
      ...content,
      participants: user.value.trim() ? [...list, { userRecordName: user.value.trim(), permission: permission.value }] : list,
    }), { wide: true });
    if (changed) await this.#grid.reload();
  }

  async #end(share) {
    const verb = isOwn(share) ? 'End' : 'Leave';
    if (!await confirm(`${verb} the share`, h('p', {}, isOwn(share) ? 'Its participants lose access; the records stay.' : 'You lose access to what is shared.'), verb)) return;
    const { results: [result] } = await call('RecordService/ModifyRecords', { databaseId: databaseOf(share), recordIdsToDelete: [share.share.recordId] });
    if (result.error) throw new Error(result.error.message);
    await this.#grid.reload();
  }
}

export const sharesScreen = define('tidings-shares', SharesScreen);
