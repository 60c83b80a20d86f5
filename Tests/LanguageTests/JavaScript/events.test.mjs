// Live events of a real rpcd and rpcgw, also when these are killed.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { Observed, Servers } from './servers.mjs';

let servers;
before(async () => {
  servers = await Servers.start();
});
after(() => servers.stop());

/** Saves a house as another process. */
async function saveElsewhere(user, name, price = 1) {
  const program = new URL('save-house.mjs', import.meta.url).pathname;
  const writer = spawn(process.execPath, [program, servers.baseURL, user, name, String(price)], { stdio: 'inherit' });
  const [code] = await once(writer, 'exit');
  assert.equal(code, 0);
}

/** Gives a user a subscription to all houses. */
async function subscribe(user) {
  const db = servers.client(user).privateDatabase;
  await db.save({ recordType: 'House', recordName: 'first', fields: { price: 0 } });
  await db.subscriptions.save({
    subscriptionID: 'houses', subscriptionType: 'query', query: { recordType: 'House' },
    firesOn: ['create', 'update', 'delete'],
    notificationInfo: { alertBody: 'A house', desiredKeys: ['price'], shouldBadge: true },
  });
  return db;
}

/** A store of the position in memory. */
function memory(position = null) {
  return { position, get() { return this.position; }, set(id) { this.position = id; } };
}

const quick = { min: 20, max: 200 };

test('a notification of another process arrives with its values', async () => {
  await subscribe('ada');
  const events = new Observed([]);
  const handle = (event) => events.update((all) => all.push(event));
  const stream = servers.client('ada').events({ onNotification: handle, onBadge: handle });
  await saveElsewhere('ada', 'h1', 2n ** 62n);
  await events.until((all) => all.length >= 2);
  const [notification, badge] = events.value;
  assert.equal(notification.type, 'notification');
  assert.equal(notification.subscriptionID, 'houses');
  assert.equal(notification.subscriptionType, 'query');
  assert.equal(notification.recordName, 'h1');
  assert.equal(notification.reason, 'created');
  assert.equal(notification.databaseScope, 'private');
  assert.equal(notification.zoneID.zoneName, '_defaultZone');
  assert.deepEqual(notification.fields, { price: 2n ** 62n });
  assert.equal(notification.alert, 'A house');
  assert.deepEqual([badge.type, badge.badge], ['badge', 1]);
  stream.close();
  await stream.closed;
});

test('a stream that starts now has what comes then', async () => {
  const db = await subscribe('now');
  await db.save({ recordType: 'House', recordName: 'before' });
  const positions = new Observed([]);
  const store = { get: () => null, set: (id) => positions.update((all) => all.push(id)) };
  const stream = servers.client('now').events({ from: 'now', store });
  const iterator = stream[Symbol.asyncIterator]();
  const next = iterator.next();
  // It arrives when what was there has been skipped.
  await positions.until((all) => all.length === 1);
  assert.equal(stream.position, positions.value[0]);
  await db.save({ recordType: 'House', recordName: 'after' });
  assert.equal((await next).value.recordName, 'after');
  await iterator.return();
  assert.ok(stream.isClosed);
});

test('a device is not notified of its own changes', async () => {
  await subscribe('own');
  const mine = servers.client('own', { device: 'laptop' });
  const other = servers.client('own', { device: 'phone' });
  await mine.privateDatabase.save({ recordType: 'House', recordName: 'mine' });
  await other.privateDatabase.save({ recordType: 'House', recordName: 'theirs' });
  for await (const event of mine.events()) {
    if (event.type !== 'notification') continue;
    assert.equal(event.recordName, 'theirs');
    break;
  }
});

test('another stream resumes at the stored position', async () => {
  const db = await subscribe('resume');
  const store = memory();
  for (const name of ['a', 'b']) await db.save({ recordType: 'House', recordName: name });
  const events = new Observed([]);
  const open = () => servers.client('resume').events({
    store, reconnect: quick, onNotification: ({ recordName }) => events.update((all) => all.push(recordName)), onBadge() {},
  });
  const first = open();
  await events.until((all) => all.length === 2);
  first.close();
  await first.closed;
  await db.save({ recordType: 'House', recordName: 'c' });
  const second = open();
  await events.until((all) => all.at(-1) === 'c');
  // The page may come again whose position was not stored before the stream was closed.
  assert.deepEqual([...new Set(events.value)], ['a', 'b', 'c']);
  second.close();
  await second.closed;
});

test('a position of another store is reported as expired', async () => {
  const others = await Servers.start();
  try {
    const position = new Observed([]);
    const store = { get: () => null, set: (id) => position.update((all) => all.push(id)) };
    const elsewhere = others.client('ada').events({ from: 'now', store, onNotification() {} });
    const [from] = await position.until((all) => all.length > 0);
    elsewhere.close();
    await subscribe('expired');
    await saveElsewhere('expired', 'h1');
    const types = [];
    for await (const event of servers.client('expired').events({ from, reconnect: quick })) {
      types.push(event.type);
      if (event.type === 'reset') assert.equal(event.error.detail, 'CHANGE_TOKEN_EXPIRED');
      if (event.type === 'notification') break;
    }
    assert.deepEqual(types, ['reset', 'notification']);
  } finally {
    await others.stop();
  }
});

test('nothing is missed when rpcgw and rpcd are killed', async () => {
  await subscribe('killed');
  const store = memory();
  const [names, connections] = [new Observed([]), new Observed([])];
  const stream = servers.client('killed').events({
    store, reconnect: quick,
    onNotification: ({ recordName }) => names.update((all) => all.push(recordName)),
    onConnection: (is) => connections.update((all) => all.push(is)),
  });
  const save = (name) => saveElsewhere('killed', name);
  const expected = [];
  const saveAndWait = async (name) => {
    await save(name);
    expected.push(name);
    await names.until((all) => all.includes(name));
  };
  await saveAndWait('h1');
  for (let round = 0; round < 2; round += 1) {
    let lost = connections.value.length + 1;
    await servers.killGateway();
    await connections.until((all) => all.length >= lost);
    await servers.startGateway();
    await saveAndWait(`gateway-${round}`);

    // The gateway stays, and the stream through it.
    await servers.killServer();
    await servers.startServer();
    await saveAndWait(`server-${round}`);

    await servers.killServer();
    await servers.killGateway();
    await servers.startServer();
    await servers.startGateway();
    await saveAndWait(`both-${round}`);
  }
  assert.deepEqual([...new Set(names.value)], expected);
  stream.close();
  await stream.closed;
  assert.ok(store.position);
});

test('a sign-out and an abort end streams', async () => {
  const connections = new Observed([]);
  const onConnection = (is) => connections.update((all) => all.push(is));
  const tidings = servers.client('leaves');
  const first = tidings.events({ onNotification() {}, onConnection });
  await connections.until((all) => all.length === 1);
  tidings.signOut();
  await first.closed;
  assert.deepEqual(connections.value, [true, false]);
  await assert.rejects(tidings.events({ onNotification() {} }).closed, { code: 'AUTHENTICATION_REQUIRED' });

  const controller = new AbortController();
  const second = servers.client('leaves').events({ onNotification() {}, onConnection, signal: controller.signal });
  await connections.until((all) => all.length === 3);
  controller.abort();
  await second.closed;
  assert.deepEqual(connections.value, [true, false, true, false]);
  const none = servers.client('leaves').events({ signal: AbortSignal.abort() });
  for await (const event of none) assert.fail(`an event: ${event.type}`);
});
