// Every function against a real rpcd and rpcgw.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Asset, Location, Reference, TidingsError, double } from '../../../Sources/TidingsGateway/Web/tidings.js';
import { Servers } from './servers.mjs';

let servers;
before(async () => {
  servers = await Servers.start();
});
after(() => servers.stop());

/** The private database of a user of whom no other test knows. */
const database = (user) => servers.client(user).privateDatabase;

test('a record has its values again', async () => {
  const db = database('values');
  await db.zones.create('Zone');
  const fields = {
    text: 'ä €', integer: -1, max: 2n ** 63n - 1n, min: -(2n ** 63n), safe: 2 ** 53 - 1, beyond: 2n ** 53n,
    fraction: 0.1, whole: double(2), time: new Date(1_700_000_000_123), bytes: new Uint8Array([0, 1, 255]),
    reference: new Reference('other', { action: 'NONE' }), position: new Location(52.5, 13.25, { altitude: 34 }),
    texts: ['a', 'b'], integers: [1n, 2n ** 60n], numbers: [1, 2.5], times: [new Date(1), new Date(2)],
    blobs: [new Uint8Array([1]), new Uint8Array()], positions: [new Location(1, 2)],
  };
  const saved = await db.save({ recordType: 'Thing', recordName: 'a', fields }, { zone: 'Zone' });
  const fetched = await db.fetch('a', { zone: 'Zone' });
  for (const record of [saved, fetched]) {
    assert.equal(record.recordType, 'Thing');
    assert.deepEqual({ ...record.fields.reference, zoneID: undefined }, { recordName: 'other', action: 'NONE', zoneID: undefined });
    assert.ok(record.fields.reference instanceof Reference);
    assert.ok(record.fields.position instanceof Location);
    const expected = { ...fields, integers: [1, 2n ** 60n], whole: 2, reference: record.fields.reference };
    assert.deepEqual(record.fields, expected);
    assert.equal(record.fieldTypes.whole, 'DOUBLE');
    assert.ok(record.created.timestamp instanceof Date);
    assert.equal(record.zoneID.zoneName, 'Zone');
  }
  // A DOUBLE without a fraction stays one.
  fetched.fields.whole = 3;
  assert.equal((await db.save(fetched)).fields.whole, 3);
});

test('fields are removed with null, and replaced as a whole', async () => {
  const db = database('fields');
  const record = await db.save({ recordType: 'Thing', recordName: 'a', fields: { a: 1, b: 2, c: 3 } });
  record.fields = { a: null };
  assert.deepEqual((await db.save(record)).fields, { b: 2, c: 3 });
  const replaced = { recordType: 'Thing', recordName: 'a', fields: { d: 4 } };
  assert.deepEqual((await db.save(replaced, { policy: 'replace' })).fields, { d: 4 });
});

test('a conflict has the records that resolve it', async () => {
  const db = database('conflict');
  const mine = await db.save({ recordType: 'Thing', recordName: 'a', fields: { n: 1 } });
  const theirs = await db.fetch('a');
  theirs.fields.n = 2;
  await db.save(theirs);
  mine.fields.n = 3;
  const conflict = await db.save(mine).catch((error) => error);
  assert.ok(conflict instanceof TidingsError);
  assert.equal(conflict.code, 'CONFLICT');
  assert.equal(conflict.detail, 'SERVER_RECORD_CHANGED');
  assert.equal(conflict.recordName, 'a');
  assert.ok(conflict.uuid);
  assert.equal(conflict.serverRecord.fields.n, 2);
  if (conflict.ancestorRecord) assert.equal(conflict.ancestorRecord.fields.n, 1);
  const merged = conflict.serverRecord;
  merged.fields.n = 5;
  assert.equal((await db.save(merged)).fields.n, 5);
  await assert.rejects(db.save({ recordType: 'Thing', recordName: 'a' }), { code: 'CONFLICT' });
  await assert.rejects(db.delete(mine, { policy: 'ifServerRecordUnchanged' }), { code: 'CONFLICT' });
  assert.equal((await db.save({ ...mine, fields: { n: 6 } }, { policy: 'changedKeys' })).fields.n, 6);
});

test('an atomic request saves all or none, another one what it can', async () => {
  const db = database('atomic');
  await db.zones.create('Zone');
  const zone = 'Zone';
  await db.save({ recordType: 'Thing', recordName: 'there' }, { zone });
  const records = [{ recordType: 'Thing', recordName: 'new' }, { recordType: 'Thing', recordName: 'there' }];
  const all = await db.save(records, { zone, atomic: true }).catch((error) => error);
  assert.equal(all.code, 'PARTIAL_FAILURE');
  assert.deepEqual(all.errors.map(({ recordName, code }) => [recordName, code]), [
    ['new', 'ATOMIC_ERROR'], ['there', 'CONFLICT'],
  ]);
  assert.equal(all.cause.code, 'CONFLICT');
  assert.equal(await db.fetch('new', { zone }), null);
  const some = await db.save(records, { zone, atomic: false }).catch((error) => error);
  assert.deepEqual(some.errors.map(({ recordName }) => recordName), ['there']);
  assert.deepEqual(some.results.map(({ recordName }) => recordName), ['new']);
  const both = await db.modify({ save: [{ recordType: 'Thing', recordName: 'x' }], delete: ['new'] }, { zone });
  assert.deepEqual([both.saved[0].recordName, both.deleted], ['x', ['new']]);
});

test('records are fetched and deleted by name', async () => {
  const db = database('names');
  const [named] = await db.save([{ recordType: 'Thing', fields: { a: 1, b: 2 } }]);
  assert.match(named.recordName, /^[0-9A-F-]{36}$/);
  assert.deepEqual((await db.fetch(named, { desiredKeys: ['b'] })).fields, { b: 2 });
  assert.deepEqual(await db.fetch(['none', named.recordName]).then((all) => all.map((one) => one?.recordName ?? null)), [
    null, named.recordName,
  ]);
  await db.delete([named, 'none']);
  assert.equal(await db.fetch(named.recordName), null);
  await assert.rejects(db.fetch('a', { zone: 'None' }), { code: 'ZONE_NOT_FOUND' });
});

test('more records than a request may have are saved, queried and fetched', async () => {
  const db = database('pages');
  await db.zones.create('Zone');
  const zone = 'Zone';
  const records = Array.from({ length: 450 }, (_, index) => ({
    recordType: 'Thing', recordName: `r${index}`, fields: { n: index, parity: index % 2 ? 'odd' : 'even' },
  }));
  await assert.rejects(db.save(records, { zone }), RangeError);
  assert.equal((await db.save(records, { zone, atomic: false })).length, 450);
  const all = await db.queryAll({ recordType: 'Thing', zone, sort: '-n' });
  assert.deepEqual(all.map(({ fields }) => fields.n), records.map((_, index) => 449 - index));
  const odd = { recordType: 'Thing', zone, filter: { field: 'parity', value: 'odd' }, sort: 'n' };
  assert.equal((await db.queryAll(odd)).length, 225);
  assert.equal((await db.queryAll({ ...odd, limit: 210 })).length, 210);
  const pages = [];
  for await (const page of db.query({ ...odd, pageSize: 100 })) pages.push(page);
  assert.deepEqual(pages.map((page) => page.records.length), [100, 100, 25]);
  const rest = await db.queryAll({ ...odd, continuationMarker: pages[0].continuationMarker });
  assert.equal(rest[0].recordName, pages[1].records[0].recordName);
  const filter = [{ field: 'n', comparator: 'IN', value: [1, 2, 3] }, { field: 'n', comparator: 'GREATER_THAN', value: 1 }];
  const few = await db.queryAll({ recordType: 'Thing', allZones: true, filter, sort: { field: 'n' } });
  assert.deepEqual(few.map(({ recordName }) => recordName), ['r2', 'r3']);
  assert.equal((await db.fetch(records.map(({ recordName }) => recordName), { zone })).length, 450);
});

test('changes of a zone and of a database continue behind a token', async () => {
  const db = database('changes');
  await db.zones.create('Zone');
  const records = Array.from({ length: 300 }, (_, index) => ({ recordType: 'Thing', recordName: `r${index}` }));
  await db.save(records, { zone: 'Zone', atomic: false });
  const seen = new Set();
  let [token, pages] = [undefined, 0];
  for await (const page of db.changes({ zone: 'Zone' })) {
    for (const { recordName } of page.records) seen.add(recordName);
    token = page.token;
    pages += 1;
  }
  assert.equal(seen.size, 300);
  assert.ok(pages >= 2);
  const databaseTokens = [];
  for await (const page of db.databaseChanges()) {
    assert.ok(page.zones.some(({ zoneName }) => zoneName === 'Zone'));
    databaseTokens.push(page.token);
  }
  await db.delete('r7', { zone: 'Zone' });
  await db.save({ recordType: 'Thing', recordName: 'r8', fields: { n: 1 } }, { zone: 'Zone', policy: 'changedKeys' });
  for await (const page of db.changes({ zone: 'Zone', token })) {
    assert.deepEqual(page.records.map(({ recordName, fields }) => [recordName, fields.n]), [['r8', 1]]);
    assert.deepEqual(page.deleted.map(({ recordName }) => recordName), ['r7']);
    assert.equal(page.moreComing, false);
  }
  for await (const page of db.databaseChanges({ token: databaseTokens.at(-1) })) {
    assert.deepEqual(page.zones.map(({ zoneName }) => zoneName), ['Zone']);
  }
  await assert.rejects(db.changes({ zone: 'None' }).next(), { code: 'ZONE_NOT_FOUND' });
});

test('zones are listed, created and deleted', async () => {
  const db = database('zones');
  assert.equal((await db.zones.create('A')).zoneID.zoneName, 'A');
  await db.zones.create({ zoneName: 'A' });
  assert.deepEqual((await db.zones.list()).map(({ zoneID }) => zoneID.zoneName).sort(), ['A', '_defaultZone']);
  await db.zones.delete('A');
  assert.deepEqual((await db.zones.list()).map(({ zoneID }) => zoneID.zoneName), ['_defaultZone']);
});

test('subscriptions are saved, listed and deleted', async () => {
  const db = database('subscriptions');
  await db.zones.create('Zone');
  const query = { recordType: 'Thing', filter: { field: 'n', comparator: 'GREATER_THAN', value: 5 } };
  await db.save({ recordType: 'Thing', fields: { n: 1 } });
  await db.subscriptions.save({ subscriptionID: 'q', subscriptionType: 'query', query, firesOn: ['create'] });
  // What is listed can be sent back, and changed in part.
  const [listed] = await db.subscriptions.list();
  assert.ok(listed.query.predicate);
  assert.deepEqual((await db.subscriptions.save(listed)).query, listed.query);
  assert.deepEqual(await db.subscriptions.list(), [listed]);
  const edited = { ...listed, firesOn: ['create', 'enter', 'leave'] };
  assert.deepEqual((await db.subscriptions.save(edited)).query, listed.query);
  assert.deepEqual((await db.subscriptions.list())[0].firesOn, edited.firesOn);
  await db.subscriptions.save(listed);
  await db.subscriptions.save({ subscriptionID: 'z', subscriptionType: 'zone', zone: 'Zone' });
  const { subscriptionID } = await db.subscriptions.save({ subscriptionType: 'database' });
  const list = await db.subscriptions.list();
  assert.deepEqual(list.map((one) => one.subscriptionID).sort(), [subscriptionID, 'q', 'z'].sort());
  assert.equal(list.find((one) => one.subscriptionID === 'q').query.predicate, 'n > 5');
  await db.subscriptions.delete('q');
  await db.subscriptions.delete(list.find((one) => one.subscriptionID === 'z'));
  assert.deepEqual((await db.subscriptions.list()).map((one) => one.subscriptionID), [subscriptionID]);
});

test('assets are uploaded and downloaded', async () => {
  const tidings = servers.client('assets');
  const db = tidings.privateDatabase;
  const content = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
  for (const form of [content, content.buffer, new Blob([content], { type: 'image/png' })]) {
    const photo = await db.uploadAsset(form, { recordType: 'Thing', fieldName: 'photo' });
    assert.equal(photo.size, 300_000);
    await db.save({ recordType: 'Thing', recordName: 'a', fields: { photo } }, { policy: 'replace' });
    const record = await db.fetch('a');
    assert.ok(record.fields.photo instanceof Asset);
    assert.deepEqual(await tidings.download(record.fields.photo), content);
    assert.match(db.downloadURL(record.fields.photo, 'my photo.png'), /\/assets\/[^/]+\/my%20photo\.png$/);
    // What was fetched can be saved as it is.
    await db.save(record);
  }
  assert.throws(() => tidings.downloadURL(new Asset({})), TypeError);
  const gone = new Asset({ downloadURL: `${servers.baseURL}/assets/none/\${f}` });
  await assert.rejects(tidings.download(gone), { code: 'NOT_FOUND' });
});

test('users are the caller and those who are looked up', async () => {
  const tidings = servers.client('ada');
  assert.equal((await tidings.users.caller()).userRecordName, 'ada');
  // Others are found when they have made themselves discoverable.
  const found = await tidings.users.lookup(['nobody', { userRecordName: 'ada' }, { emailAddress: 'no@example.org' }]);
  assert.deepEqual(found.map(({ userRecordName }) => userRecordName), ['ada']);
});

test('a share is resolved and accepted, and its records are in the shared database', async () => {
  const [owner, friend] = [servers.client('owner'), servers.client('friend')];
  const db = owner.privateDatabase;
  await db.zones.create('Shared');
  const root = await db.save({ recordType: 'Thing', recordName: 'root', fields: { n: 1 } }, { zone: 'Shared' });
  const share = await db.save(
    {
      recordType: 'cloudkit.share',
      forRecord: { recordName: 'root', recordChangeTag: root.recordChangeTag },
      publicPermission: 'READ_WRITE',
    },
    { zone: 'Shared' },
  );
  assert.ok(share.shortGUID);
  const resolved = await friend.shares.resolve(share.tidingsURL, { rootRecord: true });
  assert.equal(resolved.rootRecordName, 'root');
  assert.equal(resolved.ownerIdentity.userRecordName, 'owner');
  const accepted = await friend.shares.accept(share.shortGUID);
  assert.equal(accepted.databaseScope, 'SHARED');
  assert.equal(accepted.share.recordType, 'cloudkit.share');
  // An update changes what it names: whoever has joined and the rights of all others stay.
  const names = (shared) => shared.participants.map((one) => one.userIdentity.userRecordName).sort();
  const current = await db.fetch(share.recordName, { zone: 'Shared' });
  const { recordName, recordType, recordChangeTag } = current;
  const fields = { title: 'Groceries' };
  const titled = await db.save({ recordName, recordType, recordChangeTag, fields }, { zone: 'Shared' });
  assert.deepEqual(titled.forRecord, { recordName: 'root' });
  for (const again of [await db.fetch(recordName, { zone: 'Shared' }), await db.save(titled, { zone: 'Shared' })]) {
    assert.deepEqual(names(again), names(current));
    assert.equal(again.publicPermission, 'READ_WRITE');
    assert.equal(again.fields.title, 'Groceries');
  }
  const record = await friend.sharedDatabase.fetch('root', { zone: accepted.zoneID });
  record.fields.n = 2;
  await friend.sharedDatabase.save(record);
  assert.equal((await db.fetch('root', { zone: 'Shared' })).fields.n, 2);
  await assert.rejects(friend.shares.resolve('none'), TidingsError);
});

test('who has not signed in reads the public database alone', async () => {
  const record = { recordType: 'Poster', recordName: 'p', fields: { text: 'hello' } };
  await servers.client('ada').publicDatabase.save(record, { policy: 'replace' });
  const reasons = [];
  const guest = servers.client(null, { onSignIn: (url, error) => void reasons.push(error.code) });
  assert.equal((await guest.publicDatabase.fetch('p')).fields.text, 'hello');
  await assert.rejects(guest.privateDatabase.fetch('p'), { code: 'AUTHENTICATION_REQUIRED', status: 421 });
  assert.deepEqual(reasons, ['AUTHENTICATION_REQUIRED']);
  guest.onSignIn = async () => 'dev:ada';
  assert.equal((await guest.users.caller()).userRecordName, 'ada');
  guest.signOut();
  guest.onSignIn = undefined;
  await assert.rejects(guest.users.caller(), { code: 'AUTHENTICATION_REQUIRED' });
});

test('calls are aborted', async () => {
  const db = database('abort');
  await assert.rejects(db.fetch('a', { signal: AbortSignal.abort(new Error('enough')) }), /enough/);
  const controller = new AbortController();
  const query = db.queryAll({ recordType: 'Thing', signal: controller.signal });
  controller.abort(new Error('later'));
  await assert.rejects(query, /later/);
});

test('a device is in the records that it saves', async () => {
  const tidings = servers.client('device', { device: 'laptop' });
  const record = await tidings.privateDatabase.save({ recordType: 'Thing' });
  assert.equal(record.modified.deviceID, 'laptop');
});

test('wrong requests say what is wrong', async () => {
  const db = database('wrong');
  const filter = { field: 'n', comparator: 'NONE', value: 1 };
  await assert.rejects(db.queryAll({ recordType: 'Thing', filter }), { code: 'BAD_REQUEST', status: 400 });
  await assert.rejects(db.queryAll({}), TypeError);
  await assert.rejects(db.save({ recordType: 'Thing' }, { policy: 'none' }), TypeError);
  await assert.rejects(servers.client('wrong').call('private/no/endpoint', {}), { code: 'NOT_FOUND' });
});

test('the gateway serves this client, and its types', async () => {
  for (const [name, type] of [['tidings.js', 'text/javascript'], ['tidings.d.ts', 'text/plain']]) {
    const url = `${servers.baseURL}/${name}`;
    const answer = await fetch(url);
    assert.equal(answer.status, 200);
    assert.ok(answer.headers.get('content-type').startsWith(type));
    assert.match(answer.headers.get('cache-control'), /max-age=\d+/);
    const file = new URL(`../../../Sources/TidingsGateway/Web/${name}`, import.meta.url);
    assert.equal(await answer.text(), readFileSync(file, 'utf8'));
    const tag = answer.headers.get('etag');
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const same = await fetch(url, { headers: { 'If-None-Match': known } });
      assert.equal(same.status, 304);
      assert.equal(same.headers.get('etag'), tag);
      assert.equal(await same.text(), '');
    }
    assert.equal((await fetch(url, { headers: { 'If-None-Match': '"other"' } })).status, 200);
    const head = await fetch(url, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('etag'), tag);
    assert.equal((await fetch(url, { method: 'POST', body: '{}' })).status, 400);
  }
});

test('a save of one field changes no other: times keep their nanoseconds', async () => {
  const client = servers.client('times');
  const db = client.privateDatabase;
  const time = '1700000000123.456789';
  const fields = { time: { value: time, type: 'TIMESTAMP' }, note: { value: 'a' } };
  const operations = [{ operationType: 'create', record: { recordType: 'Timed', recordName: 'a', fields } }];
  await client.call('private/records/modify', { operations });
  const record = await db.fetch('a');
  assert.equal(record.fields.time.getTime(), 1700000000123);
  record.fields.note = 'b';
  await db.save(record);
  const { records } = await client.call('private/records/lookup', { records: [{ recordName: 'a' }] });
  assert.equal(records[0].fields.time.value, time);
  const found = await db.queryAll({ recordType: 'Timed', filter: { field: 'time', value: record.fields.time } });
  assert.equal(found.length, 1);
});

test('a continuation marker that is refused ends an iteration with an error', async () => {
  const db = database('marker');
  await db.save([1, 2, 3].map((n) => ({ recordType: 'Thing', fields: { n } })));
  let continuationMarker;
  for await (const page of db.query({ recordType: 'Thing', pageSize: 1 })) {
    ({ continuationMarker } = page);
    break;
  }
  const other = { recordType: 'Thing', filter: { field: 'n', value: 1 } };
  for (const [query, marker] of [[other, continuationMarker], [{ recordType: 'Thing' }, 'AAAA']]) {
    const iterate = async () => {
      for await (const page of db.query({ ...query, continuationMarker: marker })) assert.fail(JSON.stringify(page));
    };
    await assert.rejects(iterate, { code: 'BAD_REQUEST' });
  }
});

test('a bad record of each kind fails alone, wherever it stands', async () => {
  const db = database('bad-items');
  const thing = (recordName, fields = {}) => ({ recordType: 'House', recordName, fields });
  await db.save(thing('first', { price: 1 }));
  const kinds = [
    thing('bad', { value: new Reference('first', { action: 'EXPLODE' }) }),
    thing('bad', { value: [new Reference('first', { action: 'EXPLODE' })] }),
    thing('bad', { value: new Reference('') }),
    thing('bad', { value: new Date(-63e12) }),
    thing('bad', { value: [new Date(0), new Date(3e14)] }),
    thing('bad', { value: new Location(0, 0, { timestamp: new Date(-63e12) }) }),
    thing('bad', { value: new Location(91, 0) }),
    thing('bad', { value: new Asset({ fileChecksum: 'AAAA' }) }),
    thing('bad', { price: 'a text' }), thing('bad', { 9: 1 }), { ...thing('bad'), recordType: '9' },
    { ...thing('bad'), parent: { recordName: 'first', action: 'EXPLODE' } }, { ...thing('bad'), recordChangeTag: 'zz' },
    thing('_bad'),
  ];
  await db.zones.create('Attic');
  for (const [kind, bad] of kinds.entries()) {
    for (const position of [0, 1, 2, 3]) {
      const names = [0, 1, 2].map((number) => `${kind}-${position}-${number}`);
      const records = names.map((name) => thing(name, { price: 2 }));
      records.splice(position, 0, bad);
      const error = await db.save(records).catch((caught) => caught);
      const where = `kind ${kind} at ${position}: ${error}`;
      assert.equal(error.code, 'PARTIAL_FAILURE', where);
      assert.deepEqual(error.errors.map(({ recordName }) => recordName), [bad.recordName], where);
      assert.deepEqual(error.results.map(({ recordName }) => recordName), names, where);
    }
    // In an atomic zone the others fail because of it.
    const others = [0, 1].map((number) => thing(`${kind}-${number}`, { price: 2 }));
    const error = await db.save([others[0], bad, others[1]], { zone: 'Attic' }).catch((caught) => caught);
    const codes = error.errors.map(({ code }) => code);
    assert.deepEqual([codes[0], codes[2]], ['ATOMIC_ERROR', 'ATOMIC_ERROR'], `kind ${kind}: ${codes}`);
    assert.notEqual(codes[1], 'ATOMIC_ERROR', `kind ${kind}`);
    assert.deepEqual(await db.fetch(others.map(({ recordName }) => recordName), { zone: 'Attic' }), [null, null]);
  }
});
