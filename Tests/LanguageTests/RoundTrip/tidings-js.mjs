// Saves all that tidings.js returns, as it came.

import { Tidings } from '../../../Sources/TidingsGateway/Web/tidings.js';

const task = JSON.parse(process.env.TIDINGS_ROUND_TRIP);

function client(user) {
  const { baseURL } = task;
  return new Tidings({ baseURL, environment: 'development', apiToken: 'x', webAuthToken: `dev:${user}` });
}

for (const [database, zones] of [
  [client('ada').privateDatabase, task.zones],
  [client('ben').sharedDatabase, task.shared],
]) {
  for (const { name, owner, records } of zones) {
    const zone = { zoneName: name, ...(owner && { ownerRecordName: owner }) };
    await database.save(await database.fetch(records, { zone }));
  }
  for (const zone of await database.zones.list()) {
    if (database.scope === 'private' && zone.zoneID.zoneType !== 'DEFAULT_ZONE') await database.zones.create(zone);
  }
  const subscriptions = await database.subscriptions.list();
  if (subscriptions.length === 0) throw new Error('there are no subscriptions');
  for (const subscription of subscriptions) await database.subscriptions.save(subscription);
}
const { users } = client('ada');
const found = await users.lookup([{ emailAddress: 'ada@example.org' }, await users.caller()]);
if (found.length !== 2) throw new Error(JSON.stringify(found));
await users.lookup(found);
