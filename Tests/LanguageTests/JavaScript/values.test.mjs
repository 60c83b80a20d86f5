// What needs no server: values, requests that fail, and the stream of events byte by byte.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Location, PreciseTime, Reference, Tidings, TidingsError, double } from '../../../Sources/TidingsGateway/Web/tidings.js';

/** A client whose requests are answered by functions, one after the other. */
function clientOf(answers, options = {}) {
  const requests = [];
  const tidings = new Tidings({
    baseURL: 'http://127.0.0.1:1/', apiToken: 'api', webAuthToken: 'old+token', retry: { min: 1, max: 2_000 },
    fetch: async (url, init) => {
      requests.push({ url: new URL(url), ...init, json: typeof init.body === 'string' && JSON.parse(init.body) });
      return answers.length > 1 ? answers.shift()(init) : answers[0](init);
    },
    ...options,
  });
  return { tidings, requests };
}

const json = (value, status = 200, headers = {}) => () => new Response(JSON.stringify(value), { status, headers });
const failure = (code, status, more = {}) => json({ serverErrorCode: code, reason: 'because', uuid: 'U', ...more }, status);
const saved = json({ records: [{ recordName: 'a', recordType: 'T', recordChangeTag: '1', fields: {} }] });

test('values have types', async () => {
  const { tidings, requests } = clientOf([saved]);
  const fields = {
    text: 'a', integer: 1, big: 2n ** 62n, flag: true, fraction: 1.5, marked: double(2), known: 3,
    time: new Date(1.5e12), bytes: new Uint8Array([0, 255]), reference: new Reference('b', { action: 'DELETE_SELF' }),
    location: new Location(1, 2, { altitude: 3, timestamp: new Date(7) }),
    texts: ['a', 'b'], numbers: [1, 2.5], empty: [], knownEmpty: [], removed: null, ignored: undefined,
  };
  const fieldTypes = { known: 'DOUBLE', knownEmpty: 'STRING_LIST' };
  await tidings.publicDatabase.save({ recordType: 'T', recordName: 'a', fields, fieldTypes });
  assert.deepEqual(requests[0].json.operations[0].record.fields, {
    text: { value: 'a', type: 'STRING' },
    integer: { value: 1, type: 'INT64' },
    big: { value: '4611686018427387904', type: 'INT64' },
    flag: { value: 1, type: 'INT64' },
    fraction: { value: 1.5, type: 'DOUBLE' },
    marked: { value: 2, type: 'DOUBLE' },
    known: { value: 3, type: 'DOUBLE' },
    time: { value: 1.5e12, type: 'TIMESTAMP' },
    bytes: { value: 'AP8=', type: 'BYTES' },
    reference: { value: { recordName: 'b', action: 'DELETE_SELF' }, type: 'REFERENCE' },
    location: { value: { latitude: 1, longitude: 2, altitude: 3, timestamp: 7 }, type: 'LOCATION' },
    texts: { value: ['a', 'b'], type: 'STRING_LIST' },
    numbers: { value: [1, 2.5], type: 'DOUBLE_LIST' },
    empty: { value: [], type: 'UNKNOWN_LIST' },
    knownEmpty: { value: [], type: 'STRING_LIST' },
    removed: { value: null },
  });
});

test('values that no field can have are refused before the request', async () => {
  const { tidings, requests } = clientOf([saved]);
  const wrong = [2 ** 60, NaN, double(Infinity), new Date(NaN), {}, Symbol('s'), ['a', 1], [null], [[1]]];
  for (const value of wrong) {
    await assert.rejects(tidings.publicDatabase.save({ recordType: 'T', fields: { f: value } }), /fields\.f/);
  }
  assert.equal(requests.length, 0);
});

test('options that cannot work are refused at once', () => {
  assert.throws(() => new Tidings({ baseURL: 'http://localhost' }), /apiToken/);
  assert.throws(() => new Tidings({ apiToken: 'a' }), /baseURL/);
  assert.throws(() => new Tidings({ apiToken: 'a', baseURL: 'no URL' }), /URL/);
});

test('a throttled request is repeated, also one that saves', async () => {
  const { tidings, requests } = clientOf([failure('THROTTLED', 429, { retryAfter: 0.01 }), saved]);
  await tidings.publicDatabase.save({ recordType: 'T' });
  assert.equal(requests.length, 2);
  assert.deepEqual(requests[0].json, requests[1].json);
});

test('only what is safe is repeated when the outcome is unknown', async () => {
  const lost = () => {
    throw new TypeError('fetch failed');
  };
  for (const unknown of [failure('TRY_AGAIN_LATER', 503), lost, () => new Response('proxy', { status: 502 })]) {
    const read = clientOf([unknown, saved]);
    await read.tidings.publicDatabase.fetch('a');
    assert.equal(read.requests.length, 2);
    const forced = clientOf([unknown, saved]);
    await forced.tidings.publicDatabase.save({ recordType: 'T', recordName: 'a' }, { policy: 'replace' });
    assert.equal(forced.requests.length, 2);
    // A save has a key, with which the server applies it once.
    const create = clientOf([unknown, saved]);
    await create.tidings.publicDatabase.save({ recordType: 'T' });
    assert.equal(create.requests.length, 2);
    const keys = create.requests.map(({ url }) => url.searchParams.get('idempotencyKey'));
    assert.match(keys[0], /^[0-9a-f]{32}$/);
    assert.equal(keys[0], keys[1]);
    const zone = clientOf([unknown, json({ zones: [{}] })]);
    await assert.rejects(zone.tidings.privateDatabase.zones.delete('z'), TidingsError);
    assert.equal(zone.requests.length, 1);
  }
});

test('repetitions are bounded, in number and in time', async () => {
  const often = clientOf([failure('THROTTLED', 429)]);
  await assert.rejects(often.tidings.publicDatabase.fetch('a'), { code: 'THROTTLED', status: 429, uuid: 'U' });
  assert.equal(often.requests.length, 4);
  const long = clientOf([failure('THROTTLED', 429, { retryAfter: 3_600 })]);
  await assert.rejects(long.tidings.publicDatabase.fetch('a'), { retryAfter: 3_600 });
  assert.equal(long.requests.length, 1);
});

/** Lets pauses pass at once, and remembers how long they would have been, in milliseconds. */
function rememberPauses(t) {
  const pauses = [];
  const start = globalThis.setTimeout;
  t.mock.method(globalThis, 'setTimeout', (body, pause, ...values) => {
    pauses.push(pause);
    return start(body, 0, ...values);
  });
  return pauses;
}

const lostNetwork = () => {
  throw new TypeError('fetch failed');
};

test('pauses between repetitions grow, are never the same for all, and have a bound', async (t) => {
  const pauses = rememberPauses(t);
  const { tidings, requests } = clientOf([lostNetwork], { retry: { attempts: 8, max: 2_000 } });
  await assert.rejects(tidings.publicDatabase.fetch('a'), { code: 'NETWORK_ERROR' });
  assert.equal(requests.length, 8);
  // One after each attempt, and the last one before the call fails.
  const bounds = [500, 1_000, 2_000, 2_000, 2_000, 2_000, 2_000, 500];
  assert.equal(pauses.length, bounds.length);
  bounds.forEach((bound, index) => assert.ok(bound / 2 <= pauses[index] && pauses[index] <= bound, `${pauses}`));
  assert.ok(new Set(pauses).size > 1);
});

test('a loop that repeats what failed is paced, and lets others run', async (t) => {
  const pauses = rememberPauses(t);
  const { tidings, requests } = clientOf([lostNetwork], { retry: {} });
  let othersRan = false;
  setImmediate(() => {
    othersRan = true;
  });
  // What deletes a zone is not repeated by itself.
  while (!othersRan) {
    await assert.rejects(tidings.privateDatabase.zones.delete('z'), { code: 'NETWORK_ERROR' });
  }
  assert.equal(pauses.length, requests.length);
  assert.ok(pauses.every((pause) => pause >= 250), `${pauses}`);
});

test('a pause can be aborted', async () => {
  const controller = new AbortController();
  const { tidings } = clientOf([
    () => {
      setTimeout(() => controller.abort(new Error('enough')));
      return failure('THROTTLED', 429, { retryAfter: 1_000 })();
    },
  ], { retry: { min: 1, max: 1e9 } });
  await assert.rejects(tidings.publicDatabase.fetch('a', { signal: controller.signal }), /enough/);
});

test('tokens rotate, and a sign-in repeats the request', async () => {
  const tokens = [];
  const { tidings, requests } = clientOf(
    [
      json({ records: [] }, 200, { 'X-Apple-CloudKit-Web-Auth-Token': 'next' }),
      failure('AUTHENTICATION_REQUIRED', 421, { redirectURL: 'https://sign.in' }),
      json({ records: [] }),
    ],
    { onToken: (token) => tokens.push(token), onSignIn: async (url) => (url === 'https://sign.in' ? 'signed' : '') },
  );
  await tidings.privateDatabase.queryAll({ recordType: 'T' });
  await tidings.privateDatabase.queryAll({ recordType: 'T' });
  assert.deepEqual(requests.map(({ url }) => url.searchParams.get('ckWebAuthToken')), ['old+token', 'next', 'signed']);
  assert.deepEqual(tokens, ['next', 'signed']);
  tidings.signOut();
  assert.deepEqual(tokens, ['next', 'signed', undefined]);
});

test('a token of an answer that arrives after a sign-out is not used', async () => {
  let answer;
  const { tidings } = clientOf([() => new Promise((resolve) => (answer = resolve))]);
  const query = tidings.privateDatabase.queryAll({ recordType: 'T' });
  tidings.signOut();
  answer(json({ records: [] }, 200, { 'X-Apple-CloudKit-Web-Auth-Token': 'next' })());
  await query;
  assert.equal(tidings.webAuthToken, undefined);
});

/** An answer with a stream that is sent in pieces, and stays open if it has no end. */
function streaming(pieces, ends = true) {
  return () => {
    const body = new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        if (ends) controller.close();
      },
    });
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
  };
}

test('events are the same however their bytes are cut', async () => {
  const text = '\uFEFF: comment\r\nretry: 1\n\nevent: notification\nid: A\r\n'
    + 'data: {"ck":{"nid":"ä-1","qry":{"sid":"s","rid":"r","fo":1,\ndata: "af":{"n":9223372036854775807,"t":"1234567890123456789"}}}}\n\r\n'
    + 'event: unknown\ndata: {}\n\nid: B\n\nevent: badge\rdata: {"badge":3}\r\rid: C\n\nid: D\ndata: cut';
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const pieces = [];
    for (let start = 0; start < bytes.length; start += size) pieces.push(bytes.slice(start, start + size));
    const { tidings, requests } = clientOf([streaming(pieces), streaming([], false)]);
    const stored = [];
    const stream = tidings.events({ store: { get: () => null, set: (id) => void stored.push(id) }, reconnect: { min: 1, max: 1 } });
    const events = [];
    for await (const event of stream) {
      events.push(event);
      if (event.type === 'badge') break;
    }
    assert.deepEqual(events.map(({ type }) => type), ['notification', 'badge']);
    assert.equal(events[0].notificationID, 'ä-1');
    assert.deepEqual(events[0].fields, { n: 9223372036854775807n, t: '1234567890123456789' });
    assert.deepEqual(stored, ['A', 'B']);
    assert.equal(requests.length, 1);
  }
});

test('a position is stored after its handler returned, and another connection resumes there', async () => {
  const page = 'event: read\ndata: {"nid":"1"}\n\nevent: read\nid: A\ndata: {"nid":"2"}\n\n';
  const { tidings, requests } = clientOf([
    streaming([new TextEncoder().encode(page)]), streaming([new TextEncoder().encode(page)]), streaming([], false),
  ]);
  const steps = [];
  const stream = tidings.events({
    from: 'start',
    reconnect: { min: 1, max: 1 },
    store: { get: () => 'not asked', set: (id) => void steps.push(`stored ${id}`) },
    onRead: async ({ notificationID }) => {
      await null;
      steps.push(notificationID);
      if (steps.length === 5) stream.close();
    },
  });
  await stream.closed;
  assert.deepEqual(steps, ['1', '2', 'stored A', '1', '2', 'stored A']);
  assert.deepEqual(requests.map(({ headers }) => headers['Last-Event-ID']), [undefined, 'A']);
});

test('a handler that throws ends the stream, and its position is not stored', async () => {
  const { tidings } = clientOf([streaming([new TextEncoder().encode('event: read\nid: A\ndata: {"nid":"1"}\n\n')])]);
  const stream = tidings.events({
    store: { get: () => null, set: () => assert.fail('stored') },
    onRead: () => {
      throw new Error('handler');
    },
  });
  await assert.rejects(stream.closed, /handler/);
  assert.ok(stream.isClosed);
});

test('a silent connection is replaced', async () => {
  const { tidings, requests } = clientOf([
    ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    streaming([new TextEncoder().encode('event: badge\ndata: {"badge":1}\n\n')], false),
  ]);
  for await (const event of tidings.events({ silenceMax: 20, reconnect: { min: 1, max: 1 } })) {
    assert.equal(event.badge, 1);
    break;
  }
  assert.equal(requests.length, 2);
});

test('an expired position is reported, and the stream starts from the beginning', async () => {
  const error = 'event: error\ndata: {"serverErrorCode":"BAD_REQUEST","reason":"old","tidingsErrorCode":"CHANGE_TOKEN_EXPIRED"}\n\n';
  const { tidings, requests } = clientOf([
    streaming([new TextEncoder().encode(error)]),
    streaming([new TextEncoder().encode('event: badge\ndata: {"badge":1}\n\n')], false),
  ]);
  const types = [];
  for await (const event of tidings.events({ from: 'OLD', reconnect: { min: 1, max: 1 } })) {
    types.push(event.type);
    if (event.type === 'badge') break;
  }
  assert.deepEqual(types, ['reset', 'badge']);
  assert.deepEqual(requests.map(({ headers }) => headers['Last-Event-ID']), ['OLD', undefined]);
});

test('an error that does not pass ends the stream', async () => {
  const { tidings } = clientOf([failure('AUTHENTICATION_REQUIRED', 421)]);
  const stream = tidings.events({ onNotification: () => {} });
  await assert.rejects(stream.closed, { code: 'AUTHENTICATION_REQUIRED' });
});

test("a query says that a field is named by 'field'", async () => {
  const { tidings, requests } = clientOf([json({ records: [] })]);
  const query = (part) => tidings.publicDatabase.queryAll({ recordType: 'T', ...part });
  await assert.rejects(query({ filter: { fieldName: 'a', value: 1 } }), { name: 'TypeError', message: /filter\[0\]\.fieldName.*'field'/ });
  await assert.rejects(query({ sort: ['a', { systemFieldName: '___modTime' }] }), { message: /sort\[1\]\.systemFieldName.*'field'/ });
  await assert.rejects(query({ filter: [{ field: 'a', value: 1 }, { value: 1 }] }), { message: /filter\[1\]\.field is missing/ });
  assert.equal(requests.length, 0);
});

test('policies have the names of the contract', async () => {
  const names = { ifServerRecordUnchanged: 'update', changedKeys: 'forceUpdate', allKeys: 'forceUpdate', replaceIfUnchanged: 'replace', replace: 'forceReplace' };
  for (const [policy, operation] of Object.entries(names)) {
    const { tidings, requests } = clientOf([saved]);
    await tidings.publicDatabase.save({ recordType: 'T', recordName: 'a', recordChangeTag: '1', fields: {} }, { policy });
    assert.equal(requests[0].json.operations[0].operationType, operation);
  }
});

test('a time of a fetched record keeps what is less than a millisecond, until it is changed', async () => {
  const texts = ['1700000000123.456789', '-0.25', '-1500.000001', '1500'];
  const fields = { times: { value: texts, type: 'TIMESTAMP_LIST' } };
  const place = { latitude: 1, longitude: 2, timestamp: '5.5' };
  fields.place = { value: place, type: 'LOCATION' };
  const record = { recordName: 'a', recordType: 'T', recordChangeTag: '1', fields };
  const { tidings, requests } = clientOf([json({ records: [record] })]);
  const fetched = await tidings.publicDatabase.fetch('a');
  assert.deepEqual(fetched.fields.times.map(Number), [1700000000123, -1, -1501, 1500]);
  assert.ok(fetched.fields.times[0] instanceof Date && fetched.fields.times[0] instanceof PreciseTime);
  await tidings.publicDatabase.save(fetched);
  const sent = requests[1].json.operations[0].record.fields;
  assert.deepEqual(sent.times.value, [...texts.slice(0, 3), 1500]);
  assert.deepEqual(sent.place.value, place);
  fetched.fields.times[0].setSeconds(0);
  fetched.fields.times[1] = new Date(fetched.fields.times[1]);
  await tidings.publicDatabase.save(fetched);
  const changed = requests[2].json.operations[0].record.fields.times.value;
  assert.deepEqual(changed, [fetched.fields.times[0].getTime(), -1, '-1500.000001', 1500]);
});
