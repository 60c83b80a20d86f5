// What of the JavaScript client only a browser can show: its own `fetch`, streams and timers. Calls `done` with the names of
// the checks that passed, or with the first failure.
const [done] = [arguments[arguments.length - 1]];
const passed = [];

function equal(actual, expected, what) {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a} is not ${b}`);
}

async function rejects(code, action) {
  try {
    await action();
  } catch (error) {
    equal(error.code, code, 'the code of the error');
    return error;
  }
  throw new Error(`no ${code}`);
}

(async () => {
  const { Tidings, Reference, double } = await import('/tidings.js');
  const client = new Tidings({ container: 'app', environment: 'development', apiToken: 'x', webAuthToken: 'dev:ada' });
  const database = client.privateDatabase;
  const check = async (name, body) => {
    await body();
    passed.push(name);
  };
  await check('records are saved, fetched and deleted, with all types', async () => {
    const saved = await database.save({
      recordName: 'r1', recordType: 'Samples',
      fields: {
        text: 'Grüße', count: 9007199254740993n, ratio: double(2), day: new Date(1_000),
        raw: new Uint8Array([0, 1, 255]), names: ['a', 'b'], other: new Reference('r2'),
      },
    });
    equal(saved.recordName, 'r1', 'the name');
    const fetched = await database.fetch('r1');
    equal(String(fetched.fields.count), '9007199254740993', 'a large integer');
    equal([...fetched.fields.raw], [0, 1, 255], 'bytes');
    equal(fetched.fields.day.getTime(), 1_000, 'a time');
    equal(fetched.fields.other.recordName, 'r2', 'a reference');
    equal(fetched.fields.names, ['a', 'b'], 'a list');
    const stale = { recordName: 'r1', recordType: 'Samples', recordChangeTag: 'stale', fields: { text: 'x' } };
    const conflict = await rejects('CONFLICT', () => database.save(stale));
    equal(conflict.serverRecord.fields.text, 'Grüße', 'the server’s record');
    await database.delete('r1');
    equal(await database.fetch('r1'), null, 'a deleted record');
  });
  await check('assets are uploaded and downloaded', async () => {
    const content = new Uint8Array(100_000).map((_, index) => index);
    const file = await database.uploadAsset(new Blob([content]), { fieldName: 'file', recordType: 'Files' });
    await database.save({ recordName: 'a1', recordType: 'Files', fields: { file } });
    const { fields } = await database.fetch('a1');
    const bytes = await client.download(fields.file);
    equal([bytes.length, bytes[70_000]], [content.length, content[70_000]], 'the content');
  });
  await check('queries return all pages', async () => {
    await database.save([...Array(25).keys()].map((n) => ({ recordName: `q${n}`, recordType: 'Numbers', fields: { n } })));
    let [count, pages] = [0, 0];
    const filter = { field: 'n', comparator: 'LESS_THAN', value: 20 };
    for await (const { records } of database.query({ recordType: 'Numbers', filter, pageSize: 7 })) {
      [count, pages] = [count + records.length, pages + 1];
    }
    equal(pages >= 3, true, 'several pages');
    equal(count, 20, 'the records');
  });
  await check('zones are created, listed, followed and deleted', async () => {
    await database.zones.create('garden');
    await database.save({ recordName: 'rose', recordType: 'Plants', fields: {} }, { zone: 'garden' });
    const names = [];
    for await (const page of database.changes({ zone: 'garden' })) names.push(...page.records.map((record) => record.recordName));
    equal(names, ['rose'], 'the changes');
    await database.zones.delete('garden');
  });
  await check('events arrive, and a later stream resumes where one ended', async () => {
    // Subscriptions are to types that exist.
    await database.save({ recordName: 'e0', recordType: 'Events', fields: {} });
    await database.subscriptions.save({
      subscriptionID: 'all', subscriptionType: 'query', firesOn: ['create'], query: { recordType: 'Events' },
    });
    const names = [];
    let position;
    const read = async (from, count) => {
      const stream = client.events({ from });
      for await (const event of stream) {
        if (event.type !== 'notification') continue;
        names.push(event.recordName);
        if (event.id) position = event.id;
        if (names.length >= count) break;
      }
      position = stream.position ?? position;
      stream.close();
    };
    await database.save({ recordName: 'e1', recordType: 'Events', fields: {} });
    await read('start', 1);
    await database.save({ recordName: 'e2', recordType: 'Events', fields: {} });
    const reading = read(position, 3);
    await database.save({ recordName: 'e3', recordType: 'Events', fields: {} });
    await reading;
    equal([...new Set(names)], ['e1', 'e2', 'e3'], 'the events');
  });
})().then(() => done(passed), (error) => done(`after ${passed.join('; ')}: ${error.stack ?? error}`));
