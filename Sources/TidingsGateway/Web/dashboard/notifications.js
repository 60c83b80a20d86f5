// The log of the user's notifications, and the history of each.

import { call } from '/dashboard/server.js';
import { View, button, define, field, fill, h, notify, show } from '/dashboard/element.js';
import { open } from '/dashboard/dialog.js';
import { duration, milliseconds, time, words } from '/dashboard/format.js';
import { grid } from '/dashboard/grid.js';
import { environment, chosen } from '/dashboard/location.js';
import { text } from '/dashboard/values.js';

const where = () => ({ container: chosen.container, environment: environment() });

/** What happened, in one line. */
export const summary = (notification) => [
  words(notification.reason, 'QUERY_NOTIFICATION_REASON_').replace('unspecified', '')
    || words(notification.type, 'NOTIFICATION_TYPE_'),
  notification.recordType, notification.recordId?.recordName, notification.recordId?.zoneId?.zoneName && `in ${notification.recordId.zoneId.zoneName}`,
].filter(Boolean).join(' ');

/** The history of a notification as a timeline. */
export const trace = (notificationId) => open('History of the notification', () => {
  const content = h('div');
  show(content, () => call('NotificationService/TraceNotification', { ...where(), notificationId }), (found) => {
    const events = [
      { when: found.committed, what: 'The change was committed and the notification stored', by: found.originDevice && `by the device ${found.originDevice}, which is not notified` },
      { when: found.published, what: 'It was published', by: [found.isCoalesced && 'in one push with later ones, without content', found.isPruned && 'pruned'].filter(Boolean).join(', ') },
      ...found.deliveries.map((delivery) => ({ when: delivery.fetched, what: 'It was fetched', by: `by ${delivery.device ? `the device ${delivery.device}` : 'a device without a name'}` })),
      ...found.leases.flatMap((lease) => [
        { when: lease.leased, what: `The group ${lease.group} leased it`, by: `${lease.device}, delivery ${lease.deliveryCount}` },
        { when: lease.settled, what: `The group ${lease.group} settled it` }]),
      { when: found.markedRead, what: 'It was marked read', by: found.readDevice && `by the device ${found.readDevice}` },
    ].filter((event) => event.when).sort((a, b) => new Date(a.when) - new Date(b.when));
    const fields = Object.entries(found.notification?.recordFields ?? {});
    return [
      h('p', {}, summary(found.notification ?? {}), ', subscription ', h('strong', {}, found.notification?.subscriptionId)),
      h('ol.timeline', {}, events.map((event) => h('li', {}, h('strong', {}, event.what), event.by && ` ${event.by}`, h('br'),
        h('small', {}, `${time(event.when)}, ${duration(milliseconds(events[0].when, event.when))} after the commit`)))),
      fields.length > 0 && h('dl', {}, fields.map(([name, value]) => [h('dt', {}, name), h('dd', {}, text(value))])),
    ];
  });
  return content;
});

class NotificationsScreen extends View {
  #grid;
  #badge = h('span', { 'aria-live': 'polite' });

  render() {
    const badge = h('input', { type: 'number', min: 0, max: 9999, value: 0 });
    this.#grid = grid({
      label: 'Notifications, oldest first', selects: true, emptyText: 'No notifications are retained.', nameOf: (one) => one.notificationId,
      columns: [
        { title: 'When', cell: (one) => time(one.committed) },
        { title: 'Subscription', cell: (one) => one.subscriptionId },
        { title: 'What', cell: (one) => summary(one) },
        { title: 'Database', cell: (one) => words(one.databaseId?.scope, 'DATABASE_SCOPE_') },
        { title: 'Alert', cell: (one) => one.notificationInfo?.alertBody ?? '' },
      ],
      load: async (cursor) => {
        const page = await call('NotificationService/FetchNotificationChanges',
          { ...where(), changeToken: cursor, limit: 50, omitsReadNotifications: true, wantsBadge: true });
        if (page.badgeValue !== undefined) this.#badge.textContent = `Badge: ${page.badgeValue}`;
        return { items: page.notifications, cursor: page.moreComing ? page.changeToken : undefined };
      },
      actions: (one) => button('Trace', () => trace(one.notificationId), { 'aria-label': `Trace ${one.notificationId}` }),
    });
    fill(this, h('div.bar', {}, button('Mark selected read', () => this.#markRead()), button('Reload', () => this.#grid.reload()),
      field('Badge', badge), button('Set the badge', async () => {
        await call('NotificationService/ModifyBadge', { ...where(), badgeValue: Number(badge.value) });
        await this.#grid.reload();
      }), this.#badge), this.#grid);
  }

  async #markRead() {
    const ids = [...this.#grid.selected].map((one) => one.notificationId);
    if (ids.length === 0) throw new Error('select notifications first');
    const { results } = await call('NotificationService/MarkNotificationsRead', { ...where(), notificationIds: ids });
    const failed = results.find((result) => result.error);
    if (failed) throw new Error(failed.error.message);
    notify(`${results.length} marked read.`);
    await this.#grid.reload();
  }
}

export const notificationsScreen = define('tidings-notifications', NotificationsScreen);
