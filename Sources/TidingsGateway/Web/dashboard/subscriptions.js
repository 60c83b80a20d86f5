// Subscriptions: their health, and why they would fire or not for a change that the user makes up.

import { call } from '/dashboard/server.js';
import { View, button, checkbox, define, field, fill, h, select, show } from '/dashboard/element.js';
import { confirm, form, open } from '/dashboard/dialog.js';
import { number, time, words } from '/dashboard/format.js';
import { grid } from '/dashboard/grid.js';
import { databaseID, zoneText } from '/dashboard/location.js';
import { pickRecord, recordForm } from '/dashboard/record.js';
import { fetchSchema, recordTypes } from '/dashboard/schema.js';

const kinds = [
  ['SUBSCRIPTION_TYPE_QUERY', 'records that match'], ['SUBSCRIPTION_TYPE_RECORD_ZONE', 'a zone'],
  ['SUBSCRIPTION_TYPE_DATABASE', 'the database'],
];
const events = [
  ['firesOnRecordCreation', 'creation'], ['firesOnRecordUpdate', 'update'], ['firesOnRecordDeletion', 'deletion'],
  ['firesOnRecordEnter', 'enter'], ['firesOnRecordLeave', 'leave'],
];

const describe = (subscription) => {
  const zone = subscription.zoneId && `zone ${zoneText(subscription.zoneId)}`;
  if (subscription.type !== 'SUBSCRIPTION_TYPE_QUERY') return [words(subscription.type, 'SUBSCRIPTION_TYPE_'), subscription.recordType, zone].filter(Boolean).join(', ');
  return [subscription.recordType, subscription.predicate?.text, zone].filter(Boolean).join(', ');
};

class SubscriptionsScreen extends View {
  #grid;

  render() {
    this.#grid = grid({
      label: 'Subscriptions', emptyText: 'No subscriptions in this database.', nameOf: (result) => result.subscriptionId,
      columns: [
        { title: 'ID', cell: (result) => result.subscriptionId },
        { title: 'Watches', cell: ({ subscription }) => describe(subscription) },
        { title: 'Fires on', cell: ({ subscription }) => events.filter(([name]) => subscription[name]).map(([, text]) => text).join(', ') || 'all changes' },
        { title: 'Saved', cell: ({ health }) => time(health?.saved) },
        { title: 'Last fired', cell: ({ health }) => (health?.lacksPermission ? 'lacks permission' : time(health?.lastFired) || 'never') },
        { title: 'Fired', numeric: true, cell: ({ health }) => number(health?.firedCount) },
        { title: 'Evaluated', numeric: true, cell: ({ health }) => number(health?.evaluatedCount) },
        { title: 'Unread', numeric: true, cell: ({ health }) => number(health?.unreadCount) },
      ],
      load: async () => {
        const { results } = await call('SubscriptionService/FetchSubscriptions', { databaseId: databaseID(), wantsHealth: true });
        return { items: results.filter((result) => result.subscription) };
      },
      actions: (result) => [
        button('Explain', () => this.#explain([result.subscriptionId]), { 'aria-label': `Explain ${result.subscriptionId}` }),
        button('Delete', () => this.#delete(result.subscriptionId), { 'aria-label': `Delete ${result.subscriptionId}` }),
      ],
    });
    fill(this, h('div.bar', {}, button('New subscription', () => this.#create(), { className: 'primary' }),
      button('Why does it fire?', () => this.#explain([])), button('Reload', () => this.#grid.reload())), this.#grid);
  }

  async #create() {
    const schema = recordTypes((await fetchSchema()).text);
    const id = h('input', { required: true, autocomplete: 'off', spellcheck: false });
    const kind = select(kinds, kinds[0][0]);
    const type = h('input', { autocomplete: 'off', spellcheck: false, value: [...schema.keys()].find((name) => name !== 'Users') ?? '' });
    const predicate = h('textarea', { rows: 2, spellcheck: false });
    const zone = h('input', { autocomplete: 'off', spellcheck: false });
    const boxes = events.map(([name, text], index) => [name, checkbox(text, index < 3)]);
    const alert = h('input', { autocomplete: 'off' });
    const once = checkbox('fires once');
    const isSet = (label) => label.querySelector('input').checked;
    const saved = await form('New subscription', [
      field('ID', id), field('Watches', kind), field('Record type', type), field('Predicate', predicate, 'empty: all records of the type'),
      field('Zone', zone, 'empty: all zones'),
      h('fieldset', {}, h('legend', {}, 'Fires on'), boxes.map(([, box]) => [box, ' ']), once),
      field('Text of the alert', alert),
    ], 'Save', async () => {
      const isQuery = kind.value === kinds[0][0];
      const subscription = {
        subscriptionId: id.value.trim(), type: kind.value, recordType: type.value.trim(),
        ...(zone.value.trim() && { zoneId: { zoneName: zone.value.trim() } }),
        ...(isQuery && predicate.value.trim() && { predicate: { text: predicate.value.trim() } }),
        ...(isQuery && Object.fromEntries(boxes.map(([name, box]) => [name, isSet(box)]))),
        ...(isQuery && { firesOnce: isSet(once) }),
        ...(alert.value && { notificationInfo: { alertBody: alert.value } }),
      };
      const { results: [result] } = await call('SubscriptionService/ModifySubscriptions',
        { databaseId: databaseID(), subscriptionsToSave: [subscription] });
      if (result.error) throw new Error(result.error.message);
    });
    if (saved) await this.#grid.reload();
  }

  async #delete(id) {
    if (!await confirm(`Delete the subscription ${id}`, h('p', {}, 'It does not fire any more.'), 'Delete')) return;
    const { results: [result] } = await call('SubscriptionService/ModifySubscriptions', { databaseId: databaseID(), subscriptionIdsToDelete: [id] });
    if (result.error) throw new Error(result.error.message);
    await this.#grid.reload();
  }

  /** Asks what a change would cause; nothing is saved. */
  async #explain(ids) {
    const schema = recordTypes((await fetchSchema()).text);
    await open('Why does it fire, why not?', () => {
      const answer = h('div', { 'aria-live': 'polite' });
      const editor = h('div');
      let record;
      let draft;
      const typeName = select([...schema.keys()], [...schema.keys()].find((name) => name !== 'Users') ?? '', {
        'aria-label': 'Type of the new record', onchange: () => edit(undefined),
      });
      const edit = (next) => {
        record = next;
        draft = recordForm(record, { recordType: typeName.value, types: schema });
        fill(answer);
        fill(editor, h('h3', {}, record ? `A change of ${record.recordId.recordName}` : 'A new record'), draft.element,
          h('div.bar', {},
            button('Explain this change', () => explain(record ? { isSave: true, recordAfter: draft.read() } : { recordAfter: draft.read() }), { className: 'primary' }),
            record && button('Explain its deletion', () => explain({ isSave: true, recordId: record.recordId }))));
      };
      const explain = (change) => show(answer, () => call('SubscriptionService/ExplainSubscriptions',
        { databaseId: databaseID(), subscriptionIds: ids, ...named(change) }), ({ explanations }) => h('div.explanations', {},
        explanations.length === 0 && h('p.note', {}, 'There are no subscriptions.'),
        explanations.map((one) => h('div.card', { 'data-name': one.subscriptionId },
          h('strong', { className: one.fires ? 'fires' : '' }, `${one.subscriptionId}: ${one.fires ? 'fires' : 'does not fire'}`),
          h('p', {}, one.message),
          !one.fires && h('dl', {}, h('dt', {}, 'Failed term'), h('dd', {}, one.failedTerm),
            one.expectedValue && [h('dt', {}, 'Expected'), h('dd', {}, one.expectedValue)],
            one.actualValue && [h('dt', {}, 'Actual'), h('dd', {}, one.actualValue)])))));
      edit(undefined);
      return [h('p', {}, 'Edit a record: nothing is saved, the server only explains what the change would cause.'),
        h('div.bar', {}, button('Pick a stored record…', async () => {
          const picked = await pickRecord();
          if (picked) edit(picked);
        }), field('Or a new record of the type', typeName)), editor, answer];
    }, { wide: true });
    await this.#grid.reload();
  }
}

/** A new record has no name yet, which the explanation needs. */
function named(change) {
  if (change.recordAfter && !change.recordAfter.recordId.recordName) change.recordAfter.recordId.recordName = 'new-record';
  return change;
}

export const subscriptionsScreen = define('tidings-subscriptions', SubscriptionsScreen);
