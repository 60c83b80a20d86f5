// Saves a record as another process: URL, USER, NAME, PRICE.

import { Tidings } from '../../../Sources/TidingsGateway/Web/tidings.js';

const [baseURL, user, recordName, price] = process.argv.slice(2);
const tidings = new Tidings({
  baseURL, container: 'houses', environment: 'development', apiToken: 'test', webAuthToken: `dev:${user}`,
});
const house = { recordType: 'House', recordName, fields: { price: BigInt(price) } };
await tidings.privateDatabase.save(house, { policy: 'changedKeys' });
