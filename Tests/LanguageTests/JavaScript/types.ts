// Uses of the types; checked by types.test.mjs.

import {
  Asset, Database, Location, NotificationEvent, Reference, Tidings, TidingsError, TidingsEvent, TidingsRecord, double,
} from '../../../Sources/TidingsGateway/Web/tidings.js';

interface House {
  price: number | bigint;
  address?: string;
  photo?: Asset | null;
}

const tidings = new Tidings({
  baseURL: 'http://127.0.0.1:8080',
  container: 'houses',
  environment: 'development',
  apiToken: 'api',
  onToken: (token) => token?.length,
  onSignIn: async (url) => (url ? 'token' : undefined),
  retry: { attempts: 2 },
});

async function records(signal: AbortSignal): Promise<void> {
  const db = tidings.privateDatabase;
  const saved: TidingsRecord<House> = await db.save<House>({ recordType: 'House', fields: { price: 1n } }, { signal });
  const many: TidingsRecord<House>[] = await db.save([saved], { policy: 'changedKeys', atomic: false, zone: 'Zone' });
  const one: TidingsRecord<House> | null = await db.fetch<House>('h1', { desiredKeys: ['price'] });
  const some: (TidingsRecord | null)[] = await db.fetch([saved, 'h2']);
  await db.delete(['h1', saved], { policy: 'ifServerRecordUnchanged' });
  const { saved: all, deleted } = await db.modify({ save: [saved], delete: [saved] });
  for await (const page of db.query<House>({
    recordType: 'House',
    filter: [
      { field: 'price', comparator: 'LESS_THAN', value: double(5) },
      { field: 'position', comparator: 'NEAR', value: new Location(1, 2), distance: 100 },
    ],
    sort: ['-price', { field: 'position', relativeLocation: new Location(1, 2, { timestamp: new Date() }) }],
    allZones: true,
    limit: 10,
  })) {
    const price: number | bigint = page.records[0].fields.price;
    const marker: string | undefined = page.continuationMarker;
  }
  for await (const { records, deleted, token, moreComing } of db.changes({ zone: { zoneName: 'Zone' } })) {
    const name: string = deleted[0].recordName + token + records.length + moreComing;
  }
  for await (const { zones, token } of db.databaseChanges()) zones[0].zoneName + token;
  await db.zones.create('Zone');
  await db.zones.delete((await db.zones.list())[0]);
  const { subscriptionID } = await db.subscriptions.save({
    subscriptionType: 'query', query: { recordType: 'House', filter: { field: 'price', value: 1 } }, firesOn: ['create'],
  });
  await db.subscriptions.delete(subscriptionID);
  const photo: Asset = await db.uploadAsset(new Blob(['a']));
  const url: string = db.downloadURL(photo, 'a.png');
  const bytes: Uint8Array = await tidings.download(photo, { signal });
  await tidings.users.lookup(['ada', { emailAddress: 'ada@example.org' }]);
  const { share, zoneID } = await tidings.shares.accept('guid');
  await tidings.sharedDatabase.fetch('root', { zone: zoneID });
  new Reference(saved, { action: 'DELETE_SELF' });
}

async function events(): Promise<void> {
  const stream = tidings.events({
    from: 'now',
    store: { get: () => null, set: (id: string) => undefined },
    onNotification: async (event: NotificationEvent) => event.fields,
    onReset: ({ error }) => error.detail,
  });
  stream.close();
  await stream.closed;
  for await (const event of tidings.events()) {
    const known: TidingsEvent = event;
    if (event.type === 'badge') event.badge.toFixed();
    if (event.type === 'notification') event.recordName?.length;
  }
}

function errors(error: unknown): void {
  if (!(error instanceof TidingsError)) throw error;
  if (error.code === 'CONFLICT') error.serverRecord?.fields.price;
  for (const one of error.errors) one.recordName?.length;
}

// @ts-expect-error The token of the application is needed.
new Tidings({ baseURL: 'http://127.0.0.1:8080' });
// @ts-expect-error There is no such policy.
tidings.publicDatabase.save({ recordType: 'House' }, { policy: 'never' });
// @ts-expect-error A comparator of SQL.
tidings.publicDatabase.queryAll({ recordType: 'House', filter: { field: 'a', comparator: '<', value: 1 } });
// @ts-expect-error No field has an object as its value.
tidings.publicDatabase.queryAll({ recordType: 'House', filter: { field: 'a', value: { b: 1 } } });
// @ts-expect-error Databases are made by the client.
new Database();
