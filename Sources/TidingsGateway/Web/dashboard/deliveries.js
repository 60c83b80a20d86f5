// Delivery targets of the user: where notifications leave to, and what could not be delivered.

import { call } from '/dashboard/server.js';
import { View, button, define, field, fill, h, notify, select } from '/dashboard/element.js';
import { confirm, open } from '/dashboard/dialog.js';
import { counted, number, time, words } from '/dashboard/format.js';
import { grid } from '/dashboard/grid.js';
import { environment, chosen } from '/dashboard/location.js';
import { summary } from '/dashboard/notifications.js';
import { text } from '/dashboard/values.js';

/** Most items of a call. */
const batchLetters = 200;

const where = () => ({ container: chosen.container, environment: environment() });

/** Kind and address of a target, without what is secret. */
function address({ address: found }) {
  if (found?.webhook) return ['webhook', found.webhook.url];
  if (found?.webPush) return ['Web Push', found.webPush.endpoint];
  if (found?.apns) return ['APNs', `${found.apns.topic}${found.apns.isSandbox ? ', sandbox' : ''}`];
  if (found?.fcm) return ['FCM', ''];
  return ['unknown', 'sealed with another key ring'];
}

const state = (target) => (target.failingSince ? `failing since ${time(target.failingSince)}: ${target.lastError}` : 'working');
/** At most this many are counted. */
const countedMax = 1_000;
const count = (value) => (value >= countedMax ? `${number(countedMax)} or more` : number(value));

class DeliveriesScreen extends View {
  #targets;
  #letters;
  #of = h('div');

  render() {
    this.#targets = grid({
      label: 'Delivery targets', emptyText: 'No delivery targets in this container.', nameOf: (target) => target.targetId,
      columns: [
        { title: 'ID', cell: (target) => target.targetId },
        { title: 'Kind', cell: (target) => address(target)[0] },
        { title: 'Address', cell: (target) => address(target)[1] },
        { title: 'Device', cell: (target) => target.device },
        { title: 'Added', cell: (target) => time(target.created) },
        { title: 'State', cell: state },
        { title: 'Waiting', numeric: true, cell: (target) => count(target.waitingCount) },
        { title: 'Dead letters', numeric: true, cell: (target) => count(target.deadLetterCount) },
      ],
      load: async () => {
        const { targets } = await call('DeliveryService/FetchDeliveryTargets', where());
        this.#showChoice(targets);
        return { items: targets };
      },
      actions: (target) => [
        button('Test', () => this.#test(target), { 'aria-label': `Send a test to ${target.targetId}` }),
        button('Remove', () => this.#remove(target), { 'aria-label': `Remove ${target.targetId}` }),
      ],
    });
    this.#letters = grid({
      label: 'Dead letters, oldest first', selects: true, emptyText: 'No dead letters.', nameOf: (letter) => letter.deadLetterId,
      columns: [
        { title: 'Given up', cell: (letter) => time(letter.givenUp) },
        { title: 'Target', cell: (letter) => letter.targetId },
        { title: 'Subscription', cell: (letter) => letter.notification?.subscriptionId ?? '' },
        { title: 'What', cell: (letter) => (letter.notification ? summary(letter.notification) : 'no longer stored') },
        { title: 'Attempts', numeric: true, cell: (letter) => number(letter.attemptCount) },
        { title: 'Reason', cell: (letter) => letter.reason },
      ],
      load: async (cursor) => {
        const page = await call('DeliveryService/FetchDeadLetters',
          { ...where(), targetId: this.#of.querySelector('select')?.value ?? '', cursor: cursor ?? '', limit: 50 });
        return { items: page.deadLetters, cursor: page.cursor };
      },
      actions: (letter) => [
        button('Read', () => read(letter), { 'aria-label': `Read ${letter.deadLetterId}` }),
        letter.notification && button('Send again', () => this.#resend([letter]), { 'aria-label': `Send ${letter.deadLetterId} again` }),
      ],
    });
    this.#showChoice([]);
    fill(this, h('div.bar', {}, button('Reload', () => this.#reload())), this.#targets,
      h('p.note', {}, 'Add targets with ', h('code', {}, 'rpcctl targets add'), ' or in a client.'),
      h('h2', {}, 'Dead letters'), h('div.bar', {}, this.#of, button('Send selected again', () => this.#resend([...this.#letters.selected]))), this.#letters);
  }

  #showChoice(targets) {
    const before = this.#of.querySelector('select')?.value ?? '';
    fill(this.#of, field('Of the target', select([['', 'all'], ...targets.map((target) => [target.targetId, `${address(target).join(' ')} (${target.targetId})`])],
      before, { onchange: () => this.#letters.reload() })));
  }

  #reload() { return Promise.all([this.#targets.reload(), this.#letters.reload()]); }

  async #test(target) {
    const { deliveryId } = await call('DeliveryService/TestDeliveryTarget', { targetId: target.targetId });
    notify(`The test ${deliveryId} waits for a sender.`);
    await this.#targets.reload();
  }

  async #remove(target) {
    if (!await confirm(`Remove the target ${target.targetId}`, [h('p', {}, address(target).join(' ')),
      h('p', {}, 'What waits for it and its dead letters are deleted with it. This cannot be undone.')], 'Remove')) return;
    await call('DeliveryService/RemoveDeliveryTarget', { targetId: target.targetId });
    notify(`The target ${target.targetId} is removed.`);
    await this.#reload();
  }

  async #resend(letters) {
    if (letters.length === 0) throw new Error('select dead letters first');
    if (letters.length > batchLetters) throw new Error(`select at most ${batchLetters} dead letters`);
    const { results } = await call('DeliveryService/ResendDeadLetters', { deadLetterIds: letters.map((letter) => letter.deadLetterId) });
    const failed = results.filter((result) => result.error);
    await this.#reload();
    notify(failed.length > 0 ? `${counted(failed.length, 'dead letter')} not sent again: ${failed[0].error.message}`
      : `${counted(results.length, 'dead letter')} will be sent again.`, failed.length > 0 ? 'error' : 'info');
  }
}

/** What could not be delivered, and why. */
function read(letter) {
  const { notification } = letter;
  const info = notification?.notificationInfo;
  const fields = Object.entries(notification?.recordFields ?? {}).sort();
  const row = (title, content) => content && [h('dt', {}, title), h('dd', {}, content)];
  return open(`Dead letter ${letter.deadLetterId}`, (close) => [
    h('dl', {}, row('Target', letter.targetId), row('Given up', time(letter.givenUp)), row('Attempts', number(letter.attemptCount)), row('Reason', letter.reason)),
    notification
      ? [h('h3', {}, 'Notification'), h('dl', {}, row('ID', notification.notificationId), row('Subscription', notification.subscriptionId),
        row('What', summary(notification)), row('Database', words(notification.databaseId?.scope, 'DATABASE_SCOPE_')),
        row('Committed', time(notification.committed)), row('Title', info?.title), row('Alert', info?.alertBody)),
      fields.length > 0 && [h('h3', {}, 'Fields'), h('dl.record', {}, fields.map(([name, value]) => [h('dt', {}, name), h('dd', {}, text(value))]))]]
      : h('p.note', {}, 'The notification is no longer stored: it cannot be sent again.'),
    h('footer', {}, button('Done', () => close())),
  ], { wide: true });
}

export const deliveriesScreen = define('tidings-deliveries', DeliveriesScreen);
