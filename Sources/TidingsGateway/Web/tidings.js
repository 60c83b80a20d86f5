/**
 * A client of Tidings for browsers and Node.js 18 or newer: one file, no dependencies.
 *
 * It uses rpcgw, which serves this file at /tidings.js and its types at /tidings.d.ts.
 *
 * @module
 */

/** Items of a request, and records of an answer. */
const itemsMax = 200;
/** Characters of one event. */
const eventCharactersMax = 4 << 20;

// MARK: Values

/** The name of another record, as the value of a field. */
export class Reference {
  /**
   * @param {string | {recordName: string, zoneID?: object}} record The record, or its name.
   * @param {{action?: 'NONE' | 'DELETE_SELF' | 'VALIDATE', zoneID?: object}} [options]
   *   What happens to the record that has the reference when the other one is deleted, and the
   *   zone of the other one.
   */
  constructor(record, { action = 'NONE', zoneID } = {}) {
    const isName = typeof record === 'string';
    /** @type {string} */
    this.recordName = isName ? record : record.recordName;
    this.action = action;
    const zone = zoneID ?? (isName ? undefined : record.zoneID);
    if (zone) this.zoneID = zone;
  }
}

/** A position on Earth, as the value of a field. */
export class Location {
  /**
   * @param {number} latitude In degrees.
   * @param {number} longitude In degrees.
   * @param {object} [details] altitude, horizontalAccuracy and verticalAccuracy in metres, course
   *   in degrees, speed in metres per second, timestamp as a Date.
   */
  constructor(latitude, longitude, details = {}) {
    this.latitude = latitude;
    this.longitude = longitude;
    Object.assign(this, details);
  }
}

/** The content of a file, as the value of a field; `uploadAsset` returns one. */
export class Asset {
  /** @param {object} members What the gateway returned. */
  constructor(members) {
    Object.assign(this, members);
  }
}

/**
 * A time of a fetched record that has more than milliseconds: it is saved again as it is stored, unless it is changed.
 */
export class PreciseTime extends Date {
  #milliseconds;

  /** @param {string} milliseconds Since 1970, as a decimal number, for example `'1700000000123.456'`. */
  constructor(milliseconds) {
    const [whole, fraction] = milliseconds.split('.');
    // A Date counts from the beginning of its millisecond, also before 1970.
    super(Number(whole) - (milliseconds.startsWith('-') && Number(fraction ?? 0) > 0 ? 1 : 0));
    this.#milliseconds = { time: this.getTime(), text: milliseconds };
  }

  /** @internal */
  static textOf(date) {
    const { time, text } = date instanceof PreciseTime ? date.#milliseconds : {};
    return time === date.getTime() ? text : undefined;
  }
}

/** A number that is saved as DOUBLE even if it has no fraction; see `double`. */
export class Double {
  /** @param {number} value The number. */
  constructor(value) {
    this.value = Number(value);
  }

  valueOf() {
    return this.value;
  }
}

/**
 * Marks a number as DOUBLE: a number without a fraction is INT64 otherwise.
 *
 * Fields of fetched records need no mark: `fieldTypes` has their types.
 *
 * @param {number} value The number.
 * @returns {Double}
 */
export function double(value) {
  return new Double(value);
}

function wrongValue(path, reason) {
  return new TypeError(`${path} ${reason}`);
}

/** The type of one value that is not a list. */
function typeOf(value, path, hint) {
  switch (typeof value) {
    case 'string':
      return 'STRING';
    case 'boolean':
    case 'bigint':
      return 'INT64';
    case 'number':
      if (hint === 'DOUBLE' || hint === 'TIMESTAMP') return hint;
      if (Number.isSafeInteger(value)) return 'INT64';
      if (!Number.isInteger(value)) return 'DOUBLE';
      throw wrongValue(path, `is ${value}, beyond 2^53: use a BigInt, or double(${value})`);
    case 'object':
      if (value instanceof Double) return 'DOUBLE';
      if (value instanceof Date) return 'TIMESTAMP';
      if (value instanceof Uint8Array) {
        return hint === 'ENCRYPTED_BYTES' ? 'ENCRYPTED_BYTES' : 'BYTES';
      }
      if (value instanceof ArrayBuffer) return 'BYTES';
      if (value instanceof Reference) return 'REFERENCE';
      if (value instanceof Location) return 'LOCATION';
      if (value instanceof Asset) return 'ASSETID';
  }
  throw wrongValue(path, `is ${value === null ? 'null' : `of type ${typeof value}`}, which no field can have`);
}

/** One value that is not a list, as JSON. */
function encodeOne(value, type, path) {
  switch (type) {
    case 'INT64':
      return typeof value === 'boolean' ? Number(value) : typeof value === 'bigint' ? String(value) : value;
    case 'DOUBLE': {
      const number = Number(value);
      if (!Number.isFinite(number)) throw wrongValue(path, `is ${number}: only finite numbers can be saved`);
      // JSON of JavaScript has no -0.
      return Object.is(number, -0) ? '-0' : number;
    }
    case 'TIMESTAMP': {
      const time = Math.round(Number(value));
      if (Number.isNaN(time)) throw wrongValue(path, 'is an invalid date');
      return value instanceof Date ? PreciseTime.textOf(value) ?? time : time;
    }
    case 'BYTES':
    case 'ENCRYPTED_BYTES':
      return toBase64(value instanceof ArrayBuffer ? new Uint8Array(value) : value);
    case 'LOCATION':
      return value.timestamp instanceof Date
        ? { ...value, timestamp: encodeOne(value.timestamp, 'TIMESTAMP', `${path}.timestamp`) }
        : { ...value };
    case 'REFERENCE':
    case 'ASSETID':
      return { ...value };
    default:
      return value;
  }
}

/** A value as `{value, type}`. */
function encodeField(value, path, hint) {
  if (value === null) return { value: null };
  if (!Array.isArray(value)) {
    const type = typeOf(value, path, hint);
    return { value: encodeOne(value, type, path), type };
  }
  if (value.length === 0) {
    return { value, type: hint?.endsWith('_LIST') ? hint : 'UNKNOWN_LIST' };
  }
  const memberHint = hint?.endsWith('_LIST') ? hint.slice(0, -'_LIST'.length) : undefined;
  const types = new Set(value.map((member, index) => typeOf(member, `${path}[${index}]`, memberHint)));
  // A list of numbers of which some have a fraction.
  if (types.size === 2 && types.has('INT64') && types.has('DOUBLE')) types.delete('INT64');
  if (types.size > 1) {
    throw wrongValue(path, `has members of several types: ${[...types].join(', ')}`);
  }
  const [type] = types;
  return {
    value: value.map((member, index) => encodeOne(member, type, `${path}[${index}]`)),
    type: `${type}_LIST`,
  };
}

function decodeInteger(value) {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value);
}

function decodeDouble(value) {
  switch (value) {
    case 'inf':
      return Infinity;
    case '-inf':
      return -Infinity;
    default:
      return Number(value);
  }
}

function decodeTime(value) {
  const text = String(value);
  return text.includes('.') ? new PreciseTime(text) : new Date(Number(text));
}

function decodeOne(value, type) {
  switch (type) {
    case 'INT64':
      return decodeInteger(value);
    case 'DOUBLE':
      return decodeDouble(value);
    case 'TIMESTAMP':
      return decodeTime(value);
    case 'BYTES':
    case 'ENCRYPTED_BYTES':
      return fromBase64(value);
    case 'REFERENCE':
      return new Reference(value, { action: value.action, zoneID: value.zoneID });
    case 'LOCATION': {
      const { latitude, longitude, ...details } = value;
      if (details.timestamp !== undefined) details.timestamp = decodeTime(details.timestamp);
      return new Location(latitude, longitude, details);
    }
    case 'ASSET':
    case 'ASSETID':
      return new Asset(value);
    default:
      return value;
  }
}

function decodeField({ value, type }) {
  if (!type.endsWith('_LIST')) return decodeOne(value, type);
  const member = type.slice(0, -'_LIST'.length);
  return value.map((one) => decodeOne(one, member));
}

function toBase64(bytes) {
  let text = '';
  for (let start = 0; start < bytes.length; start += 8192) {
    text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  }
  return btoa(text);
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** A random UUID; `crypto.randomUUID` is missing in pages without HTTPS. */
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('').toUpperCase();
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

// MARK: Records and queries

/** Members of a record, beside its fields, that are sent as they are. */
const sentMembers = [
  'recordName', 'recordType', 'recordChangeTag', 'zoneID', 'parent',
  'forRecord', 'publicPermission', 'participants', 'createShortGUID',
];

function encodeRecord(record) {
  if (record === null || typeof record !== 'object') throw new TypeError('a record is an object');
  const json = {};
  for (const name of sentMembers) {
    if (record[name] !== undefined) json[name] = record[name];
  }
  const isShare = record.recordType === 'cloudkit.share';
  if (!json.recordName && !isShare) json.recordName = uuid();
  const fields = Object.entries(record.fields ?? {}).filter(([, value]) => value !== undefined);
  json.fields = Object.fromEntries(
    fields.map(([name, value]) => [name, encodeField(value, `fields.${name}`, record.fieldTypes?.[name])]),
  );
  return json;
}

function decodeModification(info) {
  return info && { ...info, timestamp: new Date(info.timestamp) };
}

function decodeRecord(json) {
  const { fields = {}, created, modified, pluginFields, deleted, ...record } = json;
  const entries = Object.entries(fields);
  record.fields = Object.fromEntries(entries.map(([name, field]) => [name, decodeField(field)]));
  record.fieldTypes = Object.fromEntries(entries.map(([name, field]) => [name, field.type]));
  if (created) record.created = decodeModification(created);
  if (modified) record.modified = decodeModification(modified);
  return record;
}

/** A zone by its name, or its ID. */
function encodeZone(zone) {
  return typeof zone === 'string' ? { zoneName: zone } : zone?.zoneID ?? zone;
}

/** A field, or a system field as `___modTime`. */
function fieldMember(name) {
  return name.startsWith('___') ? { systemFieldName: name } : { fieldName: name };
}

/** The name of the field in a part of a query, or in words what is there instead. */
function requireField(part, path) {
  if (typeof part.field === 'string') return part.field;
  const other = ['fieldName', 'systemFieldName'].find((name) => name in part);
  throw new TypeError(
    other ? `${path}.${other} is not known: the member is 'field'` : `${path}.field is missing: it names a field`,
  );
}

function encodeQuery({ recordType, predicate, filter = [], sort = [] }) {
  if (!recordType) throw new TypeError('a query needs a recordType');
  return {
    recordType,
    // Of a subscription that was listed.
    ...(predicate && { predicate }),
    filterBy: [filter].flat().map(({ comparator = 'EQUALS', value, type, distance, ...part }, index) => ({
      ...fieldMember(requireField(part, `filter[${index}]`)),
      comparator,
      fieldValue: encodeField(value, `filter[${index}].value`, type),
      ...(distance !== undefined && { distance }),
    })),
    sortBy: [sort].flat().map((key, index) => {
      if (typeof key === 'string') {
        const isDescending = key.startsWith('-');
        return { ...fieldMember(isDescending ? key.slice(1) : key), ascending: !isDescending };
      }
      const { ascending = true, relativeLocation } = key;
      return {
        ...fieldMember(requireField(key, `sort[${index}]`)),
        ascending,
        ...(relativeLocation && { relativeLocation: encodeOne(relativeLocation, 'LOCATION') }),
      };
    }),
  };
}

/** The names of records, or records, as dictionaries with names. */
function encodeName(record) {
  if (typeof record === 'string') return { recordName: record };
  const { recordName, zoneID, recordChangeTag } = record;
  return { recordName, zoneID, recordChangeTag };
}

function* chunks(items, countMax) {
  for (let start = 0; start < items.length; start += countMax) yield items.slice(start, start + countMax);
}

// MARK: Errors

/**
 * Why a request, or one item of it, failed.
 *
 * `code` is one of CloudKit Web Services' codes, for example `CONFLICT` or `NOT_FOUND`, or
 * `PARTIAL_FAILURE` when items of a request failed (`errors` has an error for each), or
 * `NETWORK_ERROR` when no answer arrived.
 */
export class TidingsError extends Error {
  /** @param {object} members The error as JSON. */
  constructor({ serverErrorCode, reason, cause, ...members }) {
    super(`${serverErrorCode}: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'TidingsError';
    /** A stable name of what is wrong. */
    this.code = serverErrorCode;
    /** What is wrong, and what to do about it. */
    this.reason = reason;
    /** Seconds after which a repetition may succeed. */
    this.retryAfter = members.retryAfter;
    /** Names the request in the gateway's log. */
    this.uuid = members.uuid;
    /** The server's own code, where `code` is less precise; for example `CHANGE_TOKEN_EXPIRED`. */
    this.detail = members.tidingsErrorCode;
    /** Where a user signs in. */
    this.redirectURL = members.redirectURL;
    /** The HTTP status; none for items. */
    this.status = members.status;
    this.recordName = members.recordName;
    this.zoneID = members.zoneID;
    this.subscriptionID = members.subscriptionID;
    /** In a conflict: the record as it is stored. */
    this.serverRecord = members.serverRecord && decodeRecord(members.serverRecord);
    /** In a conflict: the record as it was when the caller fetched it, if it is still known. */
    this.ancestorRecord = members.ancestorRecord && decodeRecord(members.ancestorRecord);
    /** The errors of items. */
    this.errors = members.errors ?? [];
    /** What the request did for other items. */
    this.results = members.results ?? [];
  }
}

/**
 * The results of items.
 *
 * @throws {TidingsError} If some failed: the error of the only item, or one of all.
 */
function resultsOf(items, decode, isOne) {
  const errors = items.filter((item) => item.serverErrorCode).map((item) => new TidingsError(item));
  if (errors.length === 0) return items.map(decode);
  if (isOne) throw errors[0];
  const first = errors.find((error) => error.code !== 'ATOMIC_ERROR') ?? errors[0];
  throw new TidingsError({
    serverErrorCode: 'PARTIAL_FAILURE',
    reason: `${errors.length} of ${items.length} items failed, for example: ${first.message}`,
    uuid: first.uuid,
    errors,
    results: items.filter((item) => !item.serverErrorCode).map(decode),
    cause: first,
  });
}

/** The error of an answer with any status and body. */
async function errorOf(answer) {
  const text = await answer.text();
  let members = {};
  try {
    members = JSON.parse(text) ?? {};
  } catch {
    // A proxy answered.
  }
  const seconds = Number.parseInt(answer.headers.get('retry-after') ?? '', 10);
  return new TidingsError({
    serverErrorCode: codeOf(answer.status),
    reason: `the server answered with HTTP status ${answer.status}`,
    ...(Number.isNaN(seconds) ? {} : { retryAfter: seconds }),
    ...members,
    status: answer.status,
  });
}

function codeOf(status) {
  switch (status) {
    case 401:
      return 'AUTHENTICATION_FAILED';
    case 404:
      return 'NOT_FOUND';
    case 429:
      return 'THROTTLED';
    case 502:
    case 503:
    case 504:
      return 'TRY_AGAIN_LATER';
    default:
      return status < 500 ? 'BAD_REQUEST' : 'INTERNAL_ERROR';
  }
}

/** Waits; throws the signal's reason when it is aborted. */
function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** Names a request; nobody has to be unable to guess it. */
function newKey() {
  const bytes = new Uint8Array(16);
  if (globalThis.crypto?.getRandomValues) globalThis.crypto.getRandomValues(bytes);
  else bytes.forEach((_, index) => (bytes[index] = Math.floor(Math.random() * 256)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A pause that grows with each attempt, between half and all of it. */
function pauseOf(attempt, { min, max }) {
  return Math.min(max, min * 2 ** attempt) * (0.5 + Math.random() / 2);
}

// MARK: The client

/**
 * A container of a Tidings server, seen by one user.
 *
 * @example
 * const tidings = new Tidings({ baseURL: 'https://example.org', container: 'houses', apiToken });
 * const record = await tidings.publicDatabase.fetch('h1');
 */
export class Tidings {
  #session = 0;
  #signingIn;
  #streams = new Set();

  /**
   * @param {object} options
   * @param {string} [options.baseURL] The gateway; by default that of the page.
   * @param {string} [options.container] The container; `default` by default.
   * @param {'development' | 'production'} [options.environment] `production` by default.
   * @param {string} options.apiToken Names the application.
   * @param {string} [options.webAuthToken] Names the user; without it only the public database can
   *   be read.
   * @param {string} [options.device] Names this device: it is not notified of its own changes.
   * @param {(token: string | undefined) => void} [options.onToken] Is called with each new web auth
   *   token, and without one after `signOut`: store it.
   * @param {(redirectURL: string | undefined, error: TidingsError) => any} [options.onSignIn] Is
   *   called when a user has to sign in. If it returns a web auth token, or a promise of one, the
   *   request is repeated with it.
   * @param {{attempts?: number, min?: number, max?: number}} [options.retry] How often a request is
   *   attempted, and the shortest and longest pause between two attempts, in milliseconds.
   * @param {typeof fetch} [options.fetch] Used in place of `fetch`.
   */
  constructor({
    baseURL, container = 'default', environment = 'production', apiToken, webAuthToken, device,
    onToken, onSignIn, retry, fetch: fetchFunction,
  }) {
    if (!apiToken) throw new TypeError('apiToken is missing');
    const base = baseURL ?? globalThis.location?.origin;
    if (!base) throw new TypeError('baseURL is missing');
    // Throws here, not in each request.
    new URL(base);
    /** The gateway, without a `/` at the end. */
    this.baseURL = String(base).replace(/\/+$/, '');
    this.container = container;
    this.environment = environment;
    this.apiToken = apiToken;
    /** The current token of the user; set it after a sign-in. */
    this.webAuthToken = webAuthToken;
    this.device = device;
    this.onToken = onToken;
    this.onSignIn = onSignIn;
    this.retry = { attempts: 4, min: 500, max: 30_000, ...retry };
    this.fetch = fetchFunction ?? ((...request) => globalThis.fetch(...request));
    /** Records that everybody can read. */
    this.publicDatabase = new Database(this, 'public');
    /** The user's own records. */
    this.privateDatabase = new Database(this, 'private');
    /** Records that others share with the user. */
    this.sharedDatabase = new Database(this, 'shared');
    /** Who calls, and who others are. */
    this.users = new Users(this);
    /** Shares of others. */
    this.shares = new Shares(this);
  }

  /**
   * The user's notifications, from a position on and then as they arrive.
   *
   * With handlers it starts at once. Without, iterate over it: `for await (const event of stream)`.
   *
   * @param {object} [options] See the types in tidings.d.ts.
   * @returns {EventStream}
   */
  events(options) {
    const stream = new EventStream(options, {
      url: () => this.#url(`/events/${encodeURIComponent(this.container)}/${this.environment}`),
      fetch: (url, init) => this.#fetch(url, init),
      signIn: (error) => this.#signIn(error),
      ended: (ended) => this.#streams.delete(ended),
    });
    if (!stream.isClosed) this.#streams.add(stream);
    return stream;
  }

  /** Forgets the user's token, and ends the streams of events. */
  signOut() {
    this.#session += 1;
    this.webAuthToken = undefined;
    for (const stream of this.#streams) stream.close();
    this.onToken?.(undefined);
  }

  /**
   * The URL of an asset's content, valid for an hour after the record was fetched.
   *
   * @param {Asset} asset The value of a field of a fetched record.
   * @param {string} [fileName] The name for the browser's download.
   * @returns {string}
   */
  downloadURL(asset, fileName = 'asset') {
    if (!asset?.downloadURL) throw new TypeError('the asset has no downloadURL: fetch its record');
    return asset.downloadURL.replace('${f}', encodeURIComponent(fileName));
  }

  /**
   * The content of an asset.
   *
   * @param {Asset} asset The value of a field of a fetched record.
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<Uint8Array>}
   */
  async download(asset, { signal } = {}) {
    const url = this.downloadURL(asset);
    return this.#attempt({ isSafe: true, signal }, async () => {
      const answer = await this.#fetch(url, { signal });
      if (!answer.ok) throw await errorOf(answer);
      return new Uint8Array(await answer.arrayBuffer());
    });
  }

  /**
   * Calls an endpoint of CloudKit Web Services.
   *
   * @param {string} path For example `private/records/query`.
   * @param {object} body The request.
   * @param {{isSafe?: boolean, idempotencyKey?: string, signal?: AbortSignal}} [options] `isSafe`:
   *   the request can be repeated when its outcome is not known. `idempotencyKey`, for `records/modify`:
   *   the request is applied once, however often it is sent, and so is safe.
   * @returns {Promise<any>} The answer.
   * @throws {TidingsError}
   */
  async call(path, body, { isSafe = false, idempotencyKey, signal } = {}) {
    const start = `/database/1/${encodeURIComponent(this.container)}/${this.environment}`;
    // Integers beyond 2^53 would be rounded otherwise.
    const text = JSON.stringify({ ...body, numbersAsStrings: true });
    let hasSignedIn = false;
    for (;;) {
      try {
        return await this.#attempt({ isSafe: isSafe || idempotencyKey !== undefined, signal }, async () => {
          const answer = await this.#fetch(this.#url(`${start}/${path}`, { idempotencyKey }), {
            method: 'POST',
            // Any other type makes browsers ask before the request.
            headers: { 'Content-Type': 'text/plain;charset=UTF-8' },
            body: text,
            signal,
          });
          if (!answer.ok) throw await errorOf(answer);
          return answer.json();
        });
      } catch (error) {
        if (hasSignedIn || error?.code !== 'AUTHENTICATION_REQUIRED') throw error;
        hasSignedIn = true;
        if (!(await this.#signIn(error))) throw error;
      }
    }
  }

  /**
   * Sends the content of an asset.
   *
   * @internal
   */
  async upload(url, content, signal) {
    return this.#attempt({ isSafe: true, signal }, async () => {
      const answer = await this.#fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/octet-stream' },
        body: content,
        signal,
      });
      if (!answer.ok) throw await errorOf(answer);
      return (await answer.json()).singleFile;
    });
  }

  #url(path, { idempotencyKey } = {}) {
    const query = new URLSearchParams({ ckAPIToken: this.apiToken });
    if (idempotencyKey) query.set('idempotencyKey', idempotencyKey);
    if (this.webAuthToken) query.set('ckWebAuthToken', this.webAuthToken);
    if (this.device) query.set('clientId', this.device);
    return `${this.baseURL}${path}?${query}`;
  }

  async #fetch(url, init) {
    const session = this.#session;
    const answer = await this.fetch(url, { ...init, credentials: 'omit' });
    const token = answer.headers.get('x-apple-cloudkit-web-auth-token');
    // An answer to the user who has signed out is not one to the next user.
    if (token && token !== this.webAuthToken && session === this.#session) {
      this.webAuthToken = token;
      this.onToken?.(token);
    }
    return answer;
  }

  /** Attempts a request until it succeeds, fails for good, or the last attempt failed. */
  async #attempt({ isSafe, signal }, request) {
    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted();
      let error;
      try {
        return await request();
      } catch (caught) {
        if (signal?.aborted) throw signal.reason;
        error = caught instanceof TidingsError ? caught : networkError(caught);
      }
      // A request that was throttled was not begun.
      const canRepeat =
        error.code === 'THROTTLED' ||
        (isSafe && (error.code === 'TRY_AGAIN_LATER' || error.code === 'NETWORK_ERROR'));
      const pause = Math.max((error.retryAfter ?? 0) * 1000, pauseOf(attempt, this.retry));
      if (!canRepeat || attempt + 1 >= this.retry.attempts || pause > this.retry.max) {
        // Whoever repeats a request at once would keep the processor busy while nothing answers.
        if (error.code === 'NETWORK_ERROR') await sleep(pauseOf(0, this.retry), signal);
        throw error;
      }
      await sleep(pause, signal);
    }
  }

  /** Whether there is another token. */
  async #signIn(error) {
    if (!this.onSignIn) return false;
    // One sign-in for all requests that need it.
    this.#signingIn ??= (async () => this.onSignIn(error.redirectURL, error))().finally(() => {
      this.#signingIn = undefined;
    });
    const session = this.#session;
    const token = await this.#signingIn;
    if (typeof token !== 'string' || session !== this.#session) return false;
    if (token !== this.webAuthToken) {
      this.webAuthToken = token;
      this.onToken?.(token);
    }
    return true;
  }
}

function networkError(cause) {
  // Wrong arguments of fetch are of the same class as a lost connection.
  return new TidingsError({
    serverErrorCode: 'NETWORK_ERROR',
    reason: `no answer arrived: ${cause?.cause?.message || cause?.message || cause}`,
    cause,
  });
}

// MARK: Databases

/** The operation of each policy, for records without and with a change tag. */
const operations = {
  ifServerRecordUnchanged: ['create', 'update'],
  changedKeys: ['forceUpdate', 'forceUpdate'],
  allKeys: ['forceUpdate', 'forceUpdate'],
  replaceIfUnchanged: ['replace', 'replace'],
  replace: ['forceReplace', 'forceReplace'],
};

/** One of the three databases of a container. */
export class Database {
  #client;

  /** @internal */
  constructor(client, scope) {
    this.#client = client;
    /** `public`, `private` or `shared`. */
    this.scope = scope;
    /** The zones of this database. */
    this.zones = new Zones(this);
    /** The user's subscriptions to changes of this database. */
    this.subscriptions = new Subscriptions(this);
  }

  /** @internal */
  call(path, body, options) {
    return this.#client.call(`${this.scope}/${path}`, body, options);
  }

  /**
   * Saves a record, or several.
   *
   * @param {object | object[]} records What to save; a record without recordName gets one.
   * @param {object} [options]
   * @param {'ifServerRecordUnchanged' | 'changedKeys' | 'allKeys' | 'replace' | 'replaceIfUnchanged'}
   *   [options.policy] `ifServerRecordUnchanged` by default: a record that has changed since it was
   *   fetched, or exists and was not fetched, is a conflict.
   * @param {boolean} [options.atomic] All or none; by default so in zones that can.
   * @param {string | object} [options.zone] The zone of records that have no zoneID.
   * @param {string[]} [options.desiredKeys] The fields to return.
   * @param {AbortSignal} [options.signal]
   * @returns {Promise<object | object[]>} The records as they are stored, with their change tags.
   * @throws {TidingsError} Code `CONFLICT` has `serverRecord`; `PARTIAL_FAILURE` has `errors`.
   */
  async save(records, options = {}) {
    const isOne = !Array.isArray(records);
    const { saved } = await this.#modify({ save: [records].flat() }, options, isOne);
    return isOne ? saved[0] : saved;
  }

  /**
   * Deletes a record, or several; a record that does not exist is no error.
   *
   * @param {string | object | (string | object)[]} records The records, or their names.
   * @param {object} [options] As those of `save`; with the policy `ifServerRecordUnchanged` a
   *   record that has changed since it was fetched is a conflict.
   * @returns {Promise<void>}
   * @throws {TidingsError}
   */
  async delete(records, options = {}) {
    const isOne = !Array.isArray(records);
    await this.#modify({ delete: [records].flat() }, { policy: 'replace', ...options }, isOne);
  }

  /**
   * Saves and deletes records in one request.
   *
   * @param {{save?: object[], delete?: (string | object)[]}} changes What to save and to delete.
   * @param {object} [options] As those of `save`.
   * @returns {Promise<{saved: object[], deleted: string[]}>}
   * @throws {TidingsError}
   */
  async modify(changes, options = {}) {
    return this.#modify(changes, options, false);
  }

  async #modify(changes, options, isOne) {
    const { policy = 'ifServerRecordUnchanged', atomic, zone, desiredKeys, signal } = options;
    const names = operations[policy];
    if (!names) throw new TypeError(`policy is '${policy}': use ${Object.keys(operations).join(', ')}`);
    const saves = (changes.save ?? []).map((record) => ({
      operationType: names[record.recordChangeTag ? 1 : 0],
      record: encodeRecord(record),
    }));
    const isForced = ['changedKeys', 'allKeys', 'replace'].includes(policy);
    const deletions = (changes.delete ?? []).map((record) => {
      const name = encodeName(record);
      const compares = !isForced && name.recordChangeTag;
      return { operationType: compares ? 'delete' : 'forceDelete', record: name };
    });
    const all = [...saves, ...deletions];
    if (all.length > itemsMax && atomic !== false) {
      throw new RangeError(
        `${all.length} records, and a request may have ${itemsMax}: send atomic: false to use several requests`,
      );
    }
    const items = [];
    for (const part of chunks(all, itemsMax)) {
      const body = { operations: part, zoneID: encodeZone(zone), atomic, desiredKeys };
      const idempotencyKey = newKey();
      try {
        items.push(...(await this.call('records/modify', body, { idempotencyKey, signal })).records);
      } catch (error) {
        if (items.length === 0 || !(error instanceof TidingsError)) throw error;
        // Earlier requests were successful: their records must not be lost.
        const { code: serverErrorCode, reason, retryAfter } = error;
        const failed = { serverErrorCode, reason, retryAfter, uuid: error.uuid };
        for (const { record } of all.slice(items.length)) {
          items.push({ ...failed, recordName: record.recordName });
        }
        break;
      }
    }
    const decode = (item) => (item.deleted ? item.recordName : decodeRecord(item));
    const results = resultsOf(items, decode, isOne);
    return { saved: results.slice(0, saves.length), deleted: results.slice(saves.length) };
  }

  /**
   * Fetches a record, or several.
   *
   * @param {string | object | (string | object)[]} names Names, or objects with recordName and
   *   zoneID.
   * @param {object} [options]
   * @param {string[]} [options.desiredKeys] The fields to return; all by default.
   * @param {string | object} [options.zone] The zone; the default zone by default.
   * @param {AbortSignal} [options.signal]
   * @returns {Promise<object | null | (object | null)[]>} In the order of the names; `null` for a
   *   record that does not exist.
   * @throws {TidingsError}
   */
  async fetch(names, { desiredKeys, zone, signal } = {}) {
    const isOne = !Array.isArray(names);
    const items = [];
    for (const part of chunks([names].flat(), itemsMax)) {
      const body = { records: part.map(encodeName), desiredKeys, zoneID: encodeZone(zone) };
      items.push(...(await this.call('records/lookup', body, { isSafe: true, signal })).records);
    }
    const found = items.map((item) => (item.serverErrorCode === 'NOT_FOUND' ? { isMissing: true } : item));
    const decode = (item) => (item.isMissing || item.deleted ? null : decodeRecord(item));
    const records = resultsOf(found, decode, isOne);
    return isOne ? records[0] : records;
  }

  /**
   * The records that match a query, page by page.
   *
   * @param {object} query recordType, filter, sort, zone, allZones, limit, pageSize, desiredKeys,
   *   continuationMarker and signal; see the types in tidings.d.ts.
   * @returns {AsyncGenerator<{records: object[], continuationMarker?: string, warnings?: string[]}>}
   */
  async *query(query) {
    const { zone, allZones, limit = Infinity, pageSize = itemsMax, desiredKeys, signal } = query;
    const body = {
      query: encodeQuery(query),
      zoneID: encodeZone(zone),
      zoneWide: allZones,
      desiredKeys,
    };
    let { continuationMarker } = query;
    let rest = limit;
    while (rest > 0) {
      const resultsLimit = Math.min(rest, pageSize, itemsMax);
      const page = await this.call(
        'records/query',
        { ...body, resultsLimit, continuationMarker },
        { isSafe: true, signal },
      );
      continuationMarker = page.continuationMarker;
      rest -= page.records.length;
      const { warnings } = page;
      yield { records: page.records.map(decodeRecord), continuationMarker, ...(warnings && { warnings }) };
      if (!continuationMarker) return;
    }
  }

  /**
   * All records that match a query.
   *
   * @param {object} query As for `query`.
   * @returns {Promise<object[]>}
   */
  async queryAll(query) {
    const records = [];
    for await (const page of this.query(query)) records.push(...page.records);
    return records;
  }

  /**
   * What has changed in a zone, page by page, until there is nothing more.
   *
   * @param {object} options
   * @param {string | object} options.zone The zone.
   * @param {string} [options.token] That of the last page that was processed; without it
   *   everything that is in the zone.
   * @param {string[]} [options.desiredKeys] The fields to return; all by default.
   * @param {string[]} [options.recordTypes] The types of records to return; all by default.
   * @param {number} [options.pageSize] The most records of a page.
   * @param {AbortSignal} [options.signal]
   * @returns {AsyncGenerator<{records: object[], deleted: object[], token: string, moreComing: boolean}>}
   * @throws {TidingsError} `detail` is `CHANGE_TOKEN_EXPIRED` when the token is too old: start
   *   without one.
   */
  async *changes({ zone, token, desiredKeys, recordTypes, pageSize, signal }) {
    for (;;) {
      const request = {
        zoneID: encodeZone(zone),
        syncToken: token,
        desiredKeys,
        desiredRecordTypes: recordTypes,
        resultsLimit: pageSize,
      };
      const answer = await this.call('changes/zone', { zones: [request] }, { isSafe: true, signal });
      const [page] = resultsOf(answer.zones, (zone) => zone, true);
      const { syncToken, moreComing } = page;
      token = syncToken;
      yield {
        records: page.records.filter((record) => !record.deleted).map(decodeRecord),
        deleted: page.records.filter((record) => record.deleted).map(({ deleted, ...record }) => record),
        token,
        moreComing,
      };
      if (!moreComing) return;
    }
  }

  /**
   * The zones that have changed, page by page, until there is nothing more.
   *
   * @param {{token?: string, pageSize?: number, signal?: AbortSignal}} [options] `token`: that of
   *   the last page that was processed.
   * @returns {AsyncGenerator<{zones: object[], deleted: object[], token: string, moreComing: boolean}>}
   */
  async *databaseChanges({ token, pageSize, signal } = {}) {
    for (;;) {
      const body = { syncToken: token, resultsLimit: pageSize };
      const page = await this.call('changes/database', body, { isSafe: true, signal });
      token = page.syncToken;
      yield {
        zones: page.zones.filter((zone) => !zone.deleted).map(({ zoneID }) => zoneID),
        deleted: page.zones.filter((zone) => zone.deleted).map(({ zoneID }) => zoneID),
        token,
        moreComing: page.moreComing,
      };
      if (!page.moreComing) return;
    }
  }

  /**
   * Uploads the content of an asset.
   *
   * @param {Blob | Uint8Array | ArrayBuffer} content What the server takes (50 MB), at most 50 MiB.
   * @param {{fieldName?: string, recordType?: string, signal?: AbortSignal}} [options]
   * @returns {Promise<Asset>} The value for a field of a record of this database: save it soon.
   * @throws {TidingsError}
   */
  async uploadAsset(content, { fieldName = 'asset', recordType, signal } = {}) {
    const body = { tokens: [{ fieldName, recordType }] };
    const { tokens } = await this.call('assets/upload', body, { isSafe: true, signal });
    return new Asset(await this.#client.upload(tokens[0].url, content, signal));
  }

  /**
   * The URL of an asset's content; the same as `downloadURL` of the client.
   *
   * @param {Asset} asset The value of a field of a fetched record.
   * @param {string} [fileName] The name for the browser's download.
   * @returns {string}
   */
  downloadURL(asset, fileName) {
    return this.#client.downloadURL(asset, fileName);
  }
}

/** The zones of a database. */
export class Zones {
  #database;

  /** @internal */
  constructor(database) {
    this.#database = database;
  }

  /**
   * All zones.
   *
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<{zoneID: object, atomic: boolean}[]>}
   */
  async list({ signal } = {}) {
    const { zones } = await this.#database.call('zones/list', {}, { isSafe: true, signal });
    return resultsOf(zones, (zone) => zone, false);
  }

  /**
   * Creates a zone; one that exists stays as it is.
   *
   * @param {string | object} zone Its name, or its ID.
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<{zoneID: object, atomic: boolean}>}
   */
  async create(zone, options) {
    return this.#modify('create', zone, options);
  }

  /**
   * Deletes a zone with all its records.
   *
   * @param {string | object} zone Its name, or its ID.
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<void>}
   */
  async delete(zone, options) {
    await this.#modify('delete', zone, options);
  }

  async #modify(operationType, zone, { signal } = {}) {
    const operation = { operationType, zone: { zoneID: encodeZone(zone) } };
    const isSafe = operationType === 'create';
    const { zones } = await this.#database.call('zones/modify', { operations: [operation] }, { isSafe, signal });
    return resultsOf(zones, (result) => result, true)[0];
  }
}

/** The subscriptions of a user to changes of a database. */
export class Subscriptions {
  #database;

  /** @internal */
  constructor(database) {
    this.#database = database;
  }

  /**
   * All subscriptions.
   *
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<object[]>}
   */
  async list({ signal } = {}) {
    const answer = await this.#database.call('subscriptions/list', {}, { isSafe: true, signal });
    return resultsOf(answer.subscriptions, (subscription) => subscription, false);
  }

  /**
   * Saves a subscription; one with the same ID is replaced.
   *
   * @param {object} subscription subscriptionID, subscriptionType (`query`, `zone` or `database`),
   *   zone, query with recordType and filter, firesOn, firesOnce and notificationInfo; see the
   *   types in tidings.d.ts.
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<object>}
   */
  async save({ zone, query, ...subscription }, { signal } = {}) {
    if (zone !== undefined) subscription.zoneID = encodeZone(zone);
    if (query !== undefined) subscription.query = encodeQuery(query);
    subscription.subscriptionID ??= uuid();
    return this.#modify('update', subscription, signal);
  }

  /**
   * Deletes a subscription.
   *
   * @param {string | {subscriptionID: string}} subscription The subscription, or its ID.
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<void>}
   */
  async delete(subscription, { signal } = {}) {
    const subscriptionID = subscription?.subscriptionID ?? subscription;
    await this.#modify('delete', { subscriptionID }, signal);
  }

  async #modify(operationType, subscription, signal) {
    const body = { operations: [{ operationType, subscription }] };
    const isSafe = operationType !== 'delete';
    const answer = await this.#database.call('subscriptions/modify', body, { isSafe, signal });
    return resultsOf(answer.subscriptions, (result) => result, true)[0];
  }
}

// MARK: Users and shares

/** Who calls, and who others are. */
export class Users {
  #client;

  /** @internal */
  constructor(client) {
    this.#client = client;
  }

  /**
   * The user who has signed in.
   *
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<{userRecordName: string, nameComponents?: object}>}
   */
  async caller({ signal } = {}) {
    const { users, ...user } = await this.#client.call('public/users/caller', {}, { isSafe: true, signal });
    return user;
  }

  /**
   * Looks users up; those who cannot be found are missing in the result.
   *
   * @param {(string | object)[]} users Record names of users, or objects with one of
   *   userRecordName, emailAddress and phoneNumber.
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<{userRecordName: string, nameComponents?: object, lookupInfo: object}[]>}
   */
  async lookup(users, { signal } = {}) {
    const found = [];
    for (const part of chunks([users].flat(), itemsMax)) {
      const lookupInfos = part.map((user) => (typeof user === 'string' ? { userRecordName: user } : user));
      const answer = await this.#client.call('public/users/discover', { lookupInfos }, { isSafe: true, signal });
      found.push(...answer.users);
    }
    return found;
  }
}

/** Shares of others. */
export class Shares {
  #client;

  /** @internal */
  constructor(client) {
    this.#client = client;
  }

  /**
   * What a share contains, and who takes part.
   *
   * @param {string} address The URL of the share, or its shortGUID.
   * @param {{rootRecord?: boolean, desiredKeys?: string[], signal?: AbortSignal}} [options]
   *   `rootRecord`: fetch the record that is shared, with these fields.
   * @returns {Promise<object>}
   */
  async resolve(address, { rootRecord = false, desiredKeys, signal } = {}) {
    const options = { shouldFetchRootRecord: rootRecord, rootRecordDesiredKeys: desiredKeys };
    return this.#call('resolve', { value: address, ...options }, signal);
  }

  /**
   * Takes part in a share: its records are in the shared database then.
   *
   * @param {string} address The URL of the share, or its shortGUID.
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<object>} The same as that of `resolve`.
   */
  async accept(address, { signal } = {}) {
    return this.#call('accept', { value: address }, signal);
  }

  async #call(action, shortGUID, signal) {
    const body = { shortGUIDs: [shortGUID] };
    const answer = await this.#client.call(`public/records/${action}`, body, { isSafe: true, signal });
    const [result] = resultsOf(answer.results, (share) => share, true);
    for (const name of ['share', 'rootRecord']) {
      if (result[name]) result[name] = decodeRecord(result[name]);
    }
    return result;
  }
}

// MARK: Events

/** Reads JSON without rounding integers beyond 2^53. */
function parseExactly(text) {
  const mark = '$int64';
  const marked = text.replace(
    /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g,
    (token) => (/^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `{"${mark}":"${token}"}` : token),
  );
  return JSON.parse(marked, (_, value) => (typeof value?.[mark] === 'string' ? BigInt(value[mark]) : value));
}

/** Splits a stream of server-sent events. */
class EventParser {
  #text = '';
  #isFirst = true;
  #name = '';
  #data = [];
  #id;

  /** @returns {{name: string, data?: string, id?: string, retry?: number}[]} */
  parse(text) {
    this.#text += text;
    if (this.#isFirst && this.#text) {
      this.#text = this.#text.replace(/^\uFEFF/, '');
      this.#isFirst = false;
    }
    const events = [];
    for (;;) {
      const end = this.#text.search(/[\r\n]/);
      // The other half of CR LF may follow.
      if (end < 0 || (this.#text[end] === '\r' && end + 1 === this.#text.length)) break;
      const line = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + (this.#text.startsWith('\r\n', end) ? 2 : 1));
      this.#line(line, events);
    }
    if (this.#text.length + this.#data.reduce((sum, line) => sum + line.length, 0) > eventCharactersMax) {
      throw new RangeError(`an event has more than ${eventCharactersMax} characters`);
    }
    return events;
  }

  #line(line, events) {
    if (line === '') {
      const data = this.#data.length > 0 ? this.#data.join('\n') : undefined;
      if (data !== undefined || this.#id !== undefined) {
        events.push({ name: this.#name || 'message', data, id: this.#id });
      }
      [this.#name, this.#data, this.#id] = ['', [], undefined];
      return;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line);
    if (field === 'event') this.#name = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === '') events.push({ name: 'comment' });
    else if (field === 'retry' && /^\d+$/.test(value)) events.push({ name: 'retry', retry: Number(value) });
  }
}

const scopes = { 1: 'private', 2: 'public', 3: 'shared' };
const reasons = { 1: 'created', 2: 'updated', 3: 'deleted' };

/** An event of the stream as callers get it. */
function decodeEvent({ name, data, id }) {
  const payload = parseExactly(data);
  switch (name) {
    case 'read':
      return { type: 'read', id, notificationID: payload.nid };
    case 'badge':
      return { type: 'badge', id, badge: payload.badge };
    case 'notification':
      return decodeNotification(payload, id);
    default:
      return undefined;
  }
}

function decodeNotification(payload, id) {
  const { ck = payload } = payload;
  const content = ck.qry ?? ck.fet ?? ck.met ?? {};
  const event = {
    type: 'notification',
    id,
    notificationID: ck.nid,
    subscriptionID: content.sid,
    subscriptionType: ck.qry ? 'query' : ck.fet ? 'zone' : ck.met ? 'database' : undefined,
    databaseScope: scopes[content.dbs],
    zoneID: content.zid && { zoneName: content.zid, ownerRecordName: content.zoid },
    recordName: content.rid,
    reason: reasons[content.fo],
    fields: content.af ?? {},
    alert: payload.aps?.alert,
    badge: payload.aps?.badge,
    isPruned: ck.p === 1,
    payload,
  };
  return event;
}

/** After these errors a stream is connected again. */
const passingErrors = new Set(['THROTTLED', 'TRY_AGAIN_LATER', 'NETWORK_ERROR', 'INTERNAL_ERROR']);

/**
 * The notifications of a user as they arrive; `events` of the client makes one.
 *
 * It connects again whenever the connection is lost, and resumes where it was: nothing is missed. The
 * position is stored after an event was handled, so that after a crash a page of events may come
 * again.
 */
export class EventStream {
  #requests;
  #options;
  #abort = new AbortController();
  #iterator;
  /** What the server asks for, in milliseconds. */
  #serverPause = 1_000;

  /** @internal */
  constructor(options = {}, requests) {
    const { signal, onNotification, onRead, onBadge, onReset } = options;
    this.#requests = requests;
    this.#options = { silenceMax: 45_000, ...options };
    /**
     * The ID behind the last event that was handled: a later stream can start from it.
     *
     * @type {string | undefined}
     */
    this.position = undefined;
    /** Whether events arrive at present. */
    this.isConnected = false;
    this.#abort.signal.addEventListener('abort', () => requests.ended(this), { once: true });
    if (signal?.aborted) this.close();
    else signal?.addEventListener('abort', () => this.close(), { signal: this.#abort.signal });
    this.#iterator = this.#run();
    const handlers = { notification: onNotification, read: onRead, badge: onBadge, reset: onReset };
    const hasHandlers = Object.values(handlers).some(Boolean);
    /** Resolves when the stream was closed; rejects when it failed, or a handler did. */
    this.closed = hasHandlers ? this.#handle(handlers) : new Promise((resolve) => {
      this.#abort.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    // Callers need not wait for it.
    this.closed.catch(() => {});
  }

  /** Whether the stream has ended. */
  get isClosed() {
    return this.#abort.signal.aborted;
  }

  /** Ends the stream. */
  close() {
    this.#abort.abort();
  }

  [Symbol.asyncIterator]() {
    return this.#iterator;
  }

  async #handle(handlers) {
    // Nothing happens before the caller has the stream.
    await undefined;
    for await (const event of this.#iterator) await handlers[event.type]?.(event);
  }

  async #moveTo(id) {
    this.position = id || undefined;
    await this.#options.store?.set(id);
  }

  async *#run() {
    const { signal } = this.#abort;
    const { from, store } = this.#options;
    let attempt = 0;
    let hasSignedIn = false;
    try {
      const start = from === undefined ? (await store?.get()) || undefined : from;
      this.position = start === 'start' || start === 'now' ? undefined : start;
      let startsNow = start === 'now';
      while (!signal.aborted) {
        let failure;
        try {
          for await (const raw of this.#connect(startsNow)) {
            if (signal.aborted) return;
            if (raw.name === 'open') {
              this.#setConnected(true);
            } else if (raw.retry !== undefined) {
              this.#serverPause = raw.retry;
            } else if (raw.name === 'error') {
              throw new TidingsError(JSON.parse(raw.data));
            } else {
              [attempt, hasSignedIn] = [0, false];
              const event = raw.data === undefined ? undefined : decodeEvent(raw);
              if (event) yield event;
              if (raw.id !== undefined) await this.#moveTo(raw.id);
            }
          }
        } catch (error) {
          if (signal.aborted) return;
          if (!(error instanceof ConnectionFailure || error instanceof TidingsError)) throw error;
          failure = error instanceof ConnectionFailure ? networkError(error.cause) : error;
        } finally {
          this.#setConnected(false);
        }
        if (failure?.detail === 'CHANGE_TOKEN_EXPIRED' && this.position !== undefined) {
          // Notifications were removed that nobody has handled.
          yield { type: 'reset', error: failure };
          startsNow = false;
          await this.#moveTo('');
        } else if (failure?.code === 'AUTHENTICATION_REQUIRED' && !hasSignedIn) {
          if (!(await this.#requests.signIn(failure))) throw failure;
          hasSignedIn = true;
        } else if (failure && !passingErrors.has(failure.code)) {
          throw failure;
        } else {
          await sleep(Math.max(this.#pause(attempt), (failure?.retryAfter ?? 0) * 1000), signal);
          attempt += 1;
        }
      }
    } catch (error) {
      if (error !== signal.reason) throw error;
    } finally {
      this.close();
    }
  }

  #pause(attempt) {
    const { min, max = 30_000 } = this.#options.reconnect ?? {};
    return pauseOf(attempt, { min: min ?? Math.min(this.#serverPause, max), max });
  }

  #setConnected(isConnected) {
    if (this.isConnected === isConnected) return;
    this.isConnected = isConnected;
    this.#options.onConnection?.(isConnected);
  }

  /** The raw events of one connection. */
  async *#connect(startsNow) {
    const connection = new AbortController();
    const end = () => connection.abort();
    const { signal } = this.#abort;
    signal.addEventListener('abort', end, { once: true });
    let reader;
    try {
      const headers = { Accept: 'text/event-stream' };
      if (this.position) headers['Last-Event-ID'] = this.position;
      const url = this.#requests.url() + (startsNow && !this.position ? '&from=now' : '');
      const answer = await this.#guard(connection, () =>
        this.#requests.fetch(url, { headers, signal: connection.signal }));
      if (!answer.ok) throw await this.#guard(connection, () => errorOf(answer));
      if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) {
        throw new ConnectionFailure(new Error('the answer is not a stream of events'));
      }
      yield { name: 'open' };
      const [parser, decoder] = [new EventParser(), new TextDecoder()];
      reader = answer.body.getReader();
      for (;;) {
        const { done, value } = await this.#guard(connection, () => reader.read());
        if (done) return;
        yield* parser.parse(decoder.decode(value, { stream: true }));
      }
    } finally {
      signal.removeEventListener('abort', end);
      connection.abort();
    }
  }

  /** Waits for a connection, which is given up when it is silent for too long. */
  async #guard(connection, wait) {
    const { silenceMax } = this.#options;
    const timer = setTimeout(() => connection.abort(new Error(`silent for ${silenceMax} ms`)), silenceMax);
    try {
      return await wait();
    } catch (cause) {
      throw new ConnectionFailure(cause);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A connection was lost, as opposed to a failure of a handler. */
class ConnectionFailure extends Error {
  constructor(cause) {
    super('the connection was lost', { cause });
  }
}

export default Tidings;
