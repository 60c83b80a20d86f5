// Pushes as they arrive, and the records that they are about.

import { call, sessionFetch } from '/dashboard/server.js';
import { View, button, checkbox, define, fill, h } from '/dashboard/element.js';
import { time } from '/dashboard/format.js';
import { trace } from '/dashboard/notifications.js';
import { environment, chosen } from '/dashboard/location.js';
import { text } from '/dashboard/values.js';
import { Tidings } from '/tidings.js';

/** Older events leave the page. */
const eventsMax = 200;

class LiveScreen extends View {
  #events = h('ol.timeline', { 'aria-live': 'polite', 'aria-label': 'Events, newest first' });
  #state = h('span', { role: 'status' }, 'connecting');
  #isPaused = false;
  #fetches = true;

  render() {
    fill(this, h('div.bar', {}, this.#state,
      checkbox('Pause', false, (isPaused) => { this.#isPaused = isPaused; }),
      checkbox('Fetch changed records', true, (fetches) => { this.#fetches = fetches; }),
      button('Clear', () => fill(this.#events))),
    h('p.note', {}, 'Shows the notifications of your subscriptions in the container, from now on.'), this.#events);
    const client = new Tidings({
      apiToken: 'dashboard', container: chosen.container, environment: chosen.environment.toLowerCase(), fetch: sessionFetch,
    });
    const stream = client.events({
      from: 'now',
      onNotification: (event) => this.#notified(event),
      onBadge: (event) => this.#add('badge', `Badge: ${event.badge}`),
      onRead: (event) => this.#add('read', `${event.notificationID} was marked read`),
      onReset: () => this.#add('reset', 'Notifications have expired before they were shown'),
      onConnection: (isConnected) => { this.#state.textContent = isConnected ? 'connected' : 'connecting'; },
    });
    stream.closed?.catch((error) => { this.#state.textContent = `ended: ${error.message}`; });
    this.atEnd(() => stream.close());
  }

  #notified(event) {
    const what = event.recordName ? `${event.recordName} ${event.reason ?? 'changed'}` : `changes in ${event.zoneID?.zoneName ?? 'the database'}`;
    const item = this.#add('notification', `${event.subscriptionID ?? ''}: ${what}`);
    if (!item) return;
    const alert = event.alert && (typeof event.alert === 'string' ? event.alert : event.alert.body);
    item.append(...[alert && h('p', {}, alert),
      button('Trace', () => trace(event.notificationID), { 'aria-label': `Trace ${event.notificationID}` })].filter(Boolean));
    if (this.#fetches && event.recordName && event.reason !== 'deleted') this.#fetch(event, item);
  }

  /** What the server has of the record now, which may be newer than the notification. */
  async #fetch(event, item) {
    const { zoneName, ownerRecordName } = event.zoneID ?? {};
    const scope = (event.databaseScope ?? 'private').toUpperCase();
    try {
      const { results: [result] } = await call('RecordService/FetchRecords', {
        databaseId: { container: chosen.container, environment: environment(), scope: `DATABASE_SCOPE_${scope}` },
        recordIds: [{
          recordName: event.recordName,
          zoneId: { ...(zoneName && { zoneName }), ...(scope === 'SHARED' && { ownerName: ownerRecordName }) },
        }],
      });
      if (result.error) throw new Error(result.error.message);
      item.append(h('dl.record', {}, Object.entries(result.record.fields).sort().map(([name, value]) => [h('dt', {}, name), h('dd', {}, text(value))])));
    } catch (error) {
      item.append(h('p.note', {}, error.message));
    }
  }

  #add(kind, content) {
    if (this.#isPaused) return undefined;
    const item = h('li.fresh', { 'data-kind': kind }, h('strong', {}, content), h('br'), h('small', {}, time(new Date().toISOString())));
    this.#events.prepend(item);
    while (this.#events.children.length > eventsMax) this.#events.lastElementChild.remove();
    return item;
  }
}

export const liveScreen = define('tidings-live', LiveScreen);
