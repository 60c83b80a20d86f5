// The types of tidings.js, a client of Tidings for browsers and Node.js 18 or newer.

/** The action of a reference when the record to which it refers is deleted. */
export type ReferenceAction = 'NONE' | 'DELETE_SELF' | 'VALIDATE';

/** Where records are. */
export interface ZoneID {
  zoneName: string;
  /** Whose zone it is, in the shared database. */
  ownerRecordName?: string;
  zoneType?: string;
}

/** A zone by its name, or its ID. */
export type ZoneLike = string | ZoneID | { zoneID: ZoneID };

/** The name of another record, as the value of a field. */
export class Reference {
  constructor(
    record: string | { recordName: string; zoneID?: ZoneID },
    options?: { action?: ReferenceAction; zoneID?: ZoneID },
  );
  recordName: string;
  action: ReferenceAction;
  zoneID?: ZoneID;
}

/** A position on Earth, as the value of a field. */
export class Location {
  constructor(
    latitude: number,
    longitude: number,
    details?: {
      /** In metres. */
      altitude?: number;
      /** In metres. */
      horizontalAccuracy?: number;
      /** In metres. */
      verticalAccuracy?: number;
      /** In degrees. */
      course?: number;
      /** In metres per second. */
      speed?: number;
      timestamp?: Date;
    },
  );
  latitude: number;
  longitude: number;
  altitude?: number;
  horizontalAccuracy?: number;
  verticalAccuracy?: number;
  course?: number;
  speed?: number;
  timestamp?: Date;
}

/** The content of a file, as the value of a field. */
export class Asset {
  constructor(members: object);
  fileChecksum: string;
  /** In bytes. */
  size: number;
  receipt: string;
  referenceChecksum: string;
  wrappingKey: string;
  /** Of fetched records: where the content is, for an hour. */
  downloadURL?: string;
}

/**
 * A time of a fetched record that has more than milliseconds: it is saved again as it is stored, unless it is changed.
 */
export class PreciseTime extends Date {
  constructor(milliseconds: string);
}

/** A number that is saved as DOUBLE even if it has no fraction. */
export class Double {
  constructor(value: number);
  value: number;
  valueOf(): number;
}

/** Marks a number as DOUBLE: a number without a fraction is INT64 otherwise. */
export function double(value: number): Double;

/** A value that is not a list. */
export type ScalarValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | ArrayBuffer
  | Double
  | Reference
  | Location
  | Asset;

/** The value of a field; `null` removes the field. */
export type FieldValue = ScalarValue | ScalarValue[] | null;

/** The type of a field. */
export type FieldType =
  | 'STRING'
  | 'INT64'
  | 'DOUBLE'
  | 'TIMESTAMP'
  | 'BYTES'
  | 'ENCRYPTED_BYTES'
  | 'REFERENCE'
  | 'ASSETID'
  | 'LOCATION'
  | 'STRING_LIST'
  | 'INT64_LIST'
  | 'DOUBLE_LIST'
  | 'TIMESTAMP_LIST'
  | 'BYTES_LIST'
  | 'REFERENCE_LIST'
  | 'ASSETID_LIST'
  | 'LOCATION_LIST'
  | 'UNKNOWN_LIST';

/** Fields by name. */
export type Fields = Record<string, any>;

/** When, by whom, and by which device. */
export interface ModificationInfo {
  timestamp: Date;
  userRecordName: string;
  deviceID: string;
}

/** Someone who takes part in a share. */
export interface Participant {
  participantId?: string;
  userIdentity: { userRecordName?: string; lookupInfo?: UserLookup };
  type?: 'OWNER' | 'ADMINISTRATOR' | 'USER' | 'PUBLIC_USER';
  permission: Permission;
  acceptanceStatus?: 'INVITED' | 'ACCEPTED' | 'REMOVED' | 'UNKNOWN';
}

/** What a participant may do. */
export type Permission = 'NONE' | 'READ_ONLY' | 'READ_WRITE';

/** A record to save. */
export interface NewRecord<F = Fields> {
  recordType?: string;
  /** By default a random UUID. */
  recordName?: string;
  /** That of the fetched record which was changed. */
  recordChangeTag?: string;
  fields?: F;
  /** The types of fields whose values do not show it: DOUBLE without a fraction, empty lists. */
  fieldTypes?: { [name: string]: FieldType };
  zoneID?: ZoneID;
  /** The record that this one is shared with; `null` removes it. */
  parent?: { recordName: string } | null;
  /** Of a record of the type `cloudkit.share`: the record to share. */
  forRecord?: { recordName: string; recordChangeTag?: string };
  /** Of a share: what everybody may do who has its URL. */
  publicPermission?: Permission;
  /** Of a share. */
  participants?: Participant[];
  createShortGUID?: boolean;
}

/** A record as it is stored. */
export interface TidingsRecord<F = Fields> extends NewRecord<F> {
  recordName: string;
  recordType: string;
  recordChangeTag: string;
  fields: F;
  fieldTypes: { [name: string]: FieldType };
  zoneID: ZoneID;
  created: ModificationInfo;
  modified: ModificationInfo;
  /** Where it is shared. */
  share?: { recordName: string; zoneID: ZoneID };
  /** Of a share: the part of its URL that names it. */
  shortGUID?: string;
  /** Of a share: its URL. */
  tidingsURL?: string;
  /** Of a share. */
  owner?: Participant;
}

/** A record by its name. */
export type RecordLike = string | { recordName: string; zoneID?: ZoneID; recordChangeTag?: string };

/** The codes of errors; later versions may have more. */
export type ErrorCode =
  | 'ACCESS_DENIED'
  | 'ATOMIC_ERROR'
  | 'AUTHENTICATION_FAILED'
  | 'AUTHENTICATION_REQUIRED'
  | 'BAD_REQUEST'
  | 'CONFLICT'
  | 'EXISTS'
  | 'INTERNAL_ERROR'
  | 'NETWORK_ERROR'
  | 'NOT_FOUND'
  | 'PARTIAL_FAILURE'
  | 'QUOTA_EXCEEDED'
  | 'THROTTLED'
  | 'TRY_AGAIN_LATER'
  | 'VALIDATING_REFERENCE_ERROR'
  | 'ZONE_NOT_FOUND';

/** Why a request, or one item of it, failed. */
export class TidingsError extends Error {
  constructor(members: { serverErrorCode: string; reason: string; [name: string]: any });
  /** A stable name of what is wrong. */
  code: ErrorCode;
  /** What is wrong, and what to do about it. */
  reason: string;
  /** Seconds after which a repetition may succeed. */
  retryAfter?: number;
  /** Names the request in the gateway's log. */
  uuid?: string;
  /** The server's own code, where `code` is less precise; for example `CHANGE_TOKEN_EXPIRED`. */
  detail?: string;
  /** Where a user signs in. */
  redirectURL?: string;
  /** The HTTP status; none for items. */
  status?: number;
  recordName?: string;
  zoneID?: ZoneID;
  subscriptionID?: string;
  /** In a conflict: the record as it is stored. */
  serverRecord?: TidingsRecord;
  /** In a conflict: the record as it was when the caller fetched it, if it is still known. */
  ancestorRecord?: TidingsRecord;
  /** With PARTIAL_FAILURE: the errors of items. */
  errors: TidingsError[];
  /** With PARTIAL_FAILURE: what the request did for other items. */
  results: any[];
}

/** Aborts a call. */
export interface CallOptions {
  signal?: AbortSignal;
}

/** What happens to a record that exists already. */
export type SavePolicy =
  | 'ifServerRecordUnchanged'
  | 'changedKeys'
  | 'allKeys'
  | 'replace'
  | 'replaceIfUnchanged';

/** How records are saved and deleted. */
export interface SaveOptions extends CallOptions {
  policy?: SavePolicy;
  /** All or none; by default so in zones that can. */
  atomic?: boolean;
  /** The zone of records that have no zoneID. */
  zone?: ZoneLike;
  /** The fields to return. */
  desiredKeys?: string[];
}

/** How records are fetched. */
export interface FetchOptions extends CallOptions {
  /** The fields to return; all by default. */
  desiredKeys?: string[];
  /** The zone; the default zone by default. */
  zone?: ZoneLike;
}

/** How a filter compares. */
export type Comparator =
  | 'EQUALS'
  | 'NOT_EQUALS'
  | 'LESS_THAN'
  | 'LESS_THAN_OR_EQUALS'
  | 'GREATER_THAN'
  | 'GREATER_THAN_OR_EQUALS'
  | 'IN'
  | 'NOT_IN'
  | 'BEGINS_WITH'
  | 'NOT_BEGINS_WITH'
  | 'NEAR'
  | 'CONTAINS_ALL_TOKENS'
  | 'CONTAINS_ANY_TOKENS'
  | 'LIST_CONTAINS'
  | 'NOT_LIST_CONTAINS'
  | 'LIST_CONTAINS_ANY'
  | 'NOT_LIST_CONTAINS_ANY'
  | 'LIST_CONTAINS_ALL'
  | 'NOT_LIST_CONTAINS_ALL'
  | 'LIST_MEMBER_BEGINS_WITH'
  | 'NOT_LIST_MEMBER_BEGINS_WITH';

/** A condition; several must all hold. */
export interface Filter {
  /** A field, or a system field: `___recordID`, `___createTime`, `___modTime`, `___createdBy`. */
  field: string;
  /** EQUALS by default. */
  comparator?: Comparator;
  value: FieldValue;
  /** The type of the value, where the value does not show it. */
  type?: FieldType;
  /** Of NEAR, in metres. */
  distance?: number;
}

/** A key of an order: a field, with `-` before it from the largest to the smallest value. */
export type SortKey = string | { field: string; ascending?: boolean; relativeLocation?: Location };

/** Which records. */
export interface RecordQuery {
  recordType: string;
  filter?: Filter | Filter[];
  sort?: SortKey | SortKey[];
}

/** Which records, and how many. */
export interface Query extends RecordQuery, FetchOptions {
  /** Records of all zones. */
  allZones?: boolean;
  /** The most records of all pages. */
  limit?: number;
  /** The most records of a page, at most 200. */
  pageSize?: number;
  /** That of the last page that was processed. */
  continuationMarker?: string;
}

/** Records of a query. */
export interface QueryPage<F = Fields> {
  records: TidingsRecord<F>[];
  /** Where to resume; none behind the last page. */
  continuationMarker?: string;
  /** In development, on a first page: what no record can match. */
  warnings?: string[];
}

/** What to read of a zone's changes. */
export interface ChangesOptions extends CallOptions {
  zone: ZoneLike;
  /** That of the last page that was processed; without it everything that is in the zone. */
  token?: string;
  desiredKeys?: string[];
  recordTypes?: string[];
  pageSize?: number;
}

/** Changes of a zone. */
export interface ChangesPage<F = Fields> {
  records: TidingsRecord<F>[];
  deleted: { recordName: string; recordType?: string; zoneID: ZoneID }[];
  /** Store it when the page has been processed. */
  token: string;
  moreComing: boolean;
}

/** Zones that have changed. */
export interface DatabaseChangesPage {
  zones: ZoneID[];
  deleted: ZoneID[];
  /** Store it when the page has been processed. */
  token: string;
  moreComing: boolean;
}

/** One of the three databases of a container. */
export class Database {
  private constructor();
  readonly scope: 'public' | 'private' | 'shared';
  readonly zones: Zones;
  readonly subscriptions: Subscriptions;
  /** Saves a record, or several, and returns them as they are stored. */
  save<F = Fields>(record: NewRecord<F>, options?: SaveOptions): Promise<TidingsRecord<F>>;
  save<F = Fields>(records: NewRecord<F>[], options?: SaveOptions): Promise<TidingsRecord<F>[]>;
  /** Deletes a record, or several; a record that does not exist is no error. */
  delete(records: RecordLike | RecordLike[], options?: SaveOptions): Promise<void>;
  /** Saves and deletes records in one request. */
  modify(
    changes: { save?: NewRecord[]; delete?: RecordLike[] },
    options?: SaveOptions,
  ): Promise<{ saved: TidingsRecord[]; deleted: string[] }>;
  /** Fetches a record, or several; `null` for one that does not exist. */
  fetch<F = Fields>(name: RecordLike, options?: FetchOptions): Promise<TidingsRecord<F> | null>;
  fetch<F = Fields>(
    names: RecordLike[],
    options?: FetchOptions,
  ): Promise<(TidingsRecord<F> | null)[]>;
  /** The records that match a query, page by page. */
  query<F = Fields>(query: Query): AsyncGenerator<QueryPage<F>, void, void>;
  /** All records that match a query. */
  queryAll<F = Fields>(query: Query): Promise<TidingsRecord<F>[]>;
  /** What has changed in a zone, page by page, until there is nothing more. */
  changes<F = Fields>(options: ChangesOptions): AsyncGenerator<ChangesPage<F>, void, void>;
  /** The zones that have changed, page by page, until there is nothing more. */
  databaseChanges(
    options?: CallOptions & { token?: string; pageSize?: number },
  ): AsyncGenerator<DatabaseChangesPage, void, void>;
  /** Uploads the content of an asset, and returns the value for a field. */
  uploadAsset(
    content: Blob | Uint8Array | ArrayBuffer,
    options?: CallOptions & { fieldName?: string; recordType?: string },
  ): Promise<Asset>;
  /** The URL of an asset's content, valid for an hour after the record was fetched. */
  downloadURL(asset: Asset, fileName?: string): string;
}

/** A zone as it is stored. */
export interface Zone {
  zoneID: ZoneID;
  /** Whether a request can save all its records or none. */
  atomic: boolean;
}

/** The zones of a database. */
export class Zones {
  private constructor();
  list(options?: CallOptions): Promise<Zone[]>;
  /** Creates a zone; one that exists stays as it is. */
  create(zone: ZoneLike, options?: CallOptions): Promise<Zone>;
  /** Deletes a zone with all its records. */
  delete(zone: ZoneLike, options?: CallOptions): Promise<void>;
}

/** What a notification shows. */
export interface NotificationInfo {
  alertBody?: string;
  alertLocalizationKey?: string;
  alertLocalizationArgs?: string[];
  alertActionLocalizationKey?: string;
  alertLaunchImage?: string;
  soundName?: string;
  title?: string;
  titleLocalizationKey?: string;
  titleLocalizationArgs?: string[];
  subtitle?: string;
  subtitleLocalizationKey?: string;
  subtitleLocalizationArgs?: string[];
  category?: string;
  collapseIDKey?: string;
  /** Fields of the record that are in the notification. */
  desiredKeys?: string[];
  shouldBadge?: boolean;
  shouldSendContentAvailable?: boolean;
  shouldSendMutableContent?: boolean;
}

/** A subscription to save. */
export interface NewSubscription {
  /** By default a random UUID. */
  subscriptionID?: string;
  subscriptionType: 'query' | 'zone' | 'database';
  zone?: ZoneLike;
  zoneWide?: boolean;
  /** Of a query subscription. */
  query?: RecordQuery & { predicate?: string };
  /** Of a query subscription. */
  firesOn?: ('create' | 'update' | 'delete' | 'enter' | 'leave')[];
  /** Of a query subscription: it is deleted after its first notification. */
  firesOnce?: boolean;
  notificationInfo?: NotificationInfo;
}

/** A subscription as it is stored. */
export interface Subscription {
  subscriptionID: string;
  subscriptionType: 'query' | 'zone' | 'database';
  zoneID?: ZoneID;
  zoneWide?: boolean;
  /** `predicate` is the filter as text. */
  query?: { recordType: string; predicate?: string };
  firesOn?: string[];
  firesOnce?: boolean;
  notificationInfo?: NotificationInfo;
}

/** The subscriptions of a user to changes of a database. */
export class Subscriptions {
  private constructor();
  list(options?: CallOptions): Promise<Subscription[]>;
  /** Saves a subscription; one with the same ID is replaced. */
  save(subscription: NewSubscription, options?: CallOptions): Promise<Subscription>;
  delete(
    subscription: string | { subscriptionID: string },
    options?: CallOptions,
  ): Promise<void>;
}

/** A user. */
export interface User {
  userRecordName: string;
  nameComponents?: { givenName?: string; familyName?: string };
  lookupInfo?: UserLookup;
}

/** By what a user is found. */
export interface UserLookup {
  userRecordName?: string;
  emailAddress?: string;
  phoneNumber?: string;
}

/** Who calls, and who others are. */
export class Users {
  private constructor();
  /** The user who has signed in. */
  caller(options?: CallOptions): Promise<User>;
  /** Looks users up; those who cannot be found are missing in the result. */
  lookup(
    users: string | UserLookup | (string | UserLookup)[],
    options?: CallOptions,
  ): Promise<User[]>;
}

/** A share, seen by one user. */
export interface ShareMetadata {
  shortGUID: { value: string };
  containerIdentifier: string;
  environment: string;
  databaseScope: 'PRIVATE' | 'SHARED';
  zoneID: ZoneID;
  rootRecordName?: string;
  rootRecord?: TidingsRecord;
  share?: TidingsRecord;
  ownerIdentity: { userRecordName: string };
  participantPermission: Permission;
  participantStatus: 'INVITED' | 'ACCEPTED' | 'REMOVED' | 'UNKNOWN';
  participantType: 'OWNER' | 'ADMINISTRATOR' | 'USER' | 'PUBLIC_USER';
}

/** Shares of others. */
export class Shares {
  private constructor();
  /** What a share contains, and who takes part. */
  resolve(
    address: string,
    options?: CallOptions & { rootRecord?: boolean; desiredKeys?: string[] },
  ): Promise<ShareMetadata>;
  /** Takes part in a share: its records are in the shared database then. */
  accept(address: string, options?: CallOptions): Promise<ShareMetadata>;
}

/** A subscription has fired. */
export interface NotificationEvent {
  type: 'notification';
  /** The position behind this event; only some events have it. */
  id?: string;
  notificationID: string;
  subscriptionID?: string;
  subscriptionType?: 'query' | 'zone' | 'database';
  databaseScope?: 'public' | 'private' | 'shared';
  zoneID?: ZoneID;
  recordName?: string;
  reason?: 'created' | 'updated' | 'deleted';
  /** The fields that the subscription asked for, as plain JSON; large integers as BigInt. */
  fields: Record<string, any>;
  alert?: any;
  badge?: number;
  /** Parts are missing, because the notification would have been too large. */
  isPruned: boolean;
  /** What Apple's push service would deliver. */
  payload: any;
}

/** A notification was marked read. */
export interface ReadEvent {
  type: 'read';
  id?: string;
  notificationID: string;
}

/** The badge has another value. */
export interface BadgeEvent {
  type: 'badge';
  id?: string;
  badge: number;
}

/** Notifications have expired before they were read: fetch everything again. */
export interface ResetEvent {
  type: 'reset';
  error: TidingsError;
}

export type TidingsEvent = NotificationEvent | ReadEvent | BadgeEvent | ResetEvent;

/** Where the position is stored, for example in localStorage. */
export interface PositionStore {
  get(): string | null | undefined | Promise<string | null | undefined>;
  set(id: string): void | Promise<void>;
}

/** How events are read. */
export interface EventOptions extends CallOptions {
  /**
   * Where to start: the `position` of an earlier stream, `start` for all notifications that are
   * retained, or `now`. Without it the position of the store, or `start`.
   */
  from?: string;
  /** Is called with a position when everything before it was handled. */
  store?: PositionStore;
  /** The next event waits for the promise that a handler returns. */
  onNotification?: (event: NotificationEvent) => any;
  onRead?: (event: ReadEvent) => any;
  onBadge?: (event: BadgeEvent) => any;
  onReset?: (event: ResetEvent) => any;
  /** Is called when the connection is established, and when it is lost. */
  onConnection?: (isConnected: boolean) => void;
  /** The shortest and longest pause before it connects again, in milliseconds. */
  reconnect?: { min?: number; max?: number };
  /** After how many milliseconds without a byte a connection counts as lost. */
  silenceMax?: number;
}

/** The notifications of a user as they arrive. */
export class EventStream implements AsyncIterable<TidingsEvent> {
  private constructor();
  /** The ID behind the last event that was handled: a later stream can start from it. */
  readonly position: string | undefined;
  readonly isConnected: boolean;
  readonly isClosed: boolean;
  /** Resolves when the stream was closed; rejects when it failed, or a handler did. */
  readonly closed: Promise<void>;
  close(): void;
  [Symbol.asyncIterator](): AsyncGenerator<TidingsEvent, void, void>;
}

/** How a container is reached. */
export interface TidingsOptions {
  /** The gateway; by default that of the page. */
  baseURL?: string | URL;
  /** `default` by default. */
  container?: string;
  /** `production` by default. */
  environment?: 'development' | 'production';
  /** Names the application. */
  apiToken: string;
  /** Names the user. */
  webAuthToken?: string;
  /** Names this device: it is not notified of its own changes. */
  device?: string;
  /** Is called with each new web auth token, and without one after `signOut`. */
  onToken?: (token: string | undefined) => void;
  /** Is called when a user has to sign in; may return a web auth token. */
  onSignIn?: (
    redirectURL: string | undefined,
    error: TidingsError,
  ) => string | void | Promise<string | void>;
  /** Attempts of a request, and the shortest and longest pause between two, in milliseconds. */
  retry?: { attempts?: number; min?: number; max?: number };
  /** Used in place of `fetch`. */
  fetch?: typeof fetch;
}

/** A container of a Tidings server, seen by one user. */
export class Tidings {
  constructor(options: TidingsOptions);
  readonly baseURL: string;
  readonly container: string;
  readonly environment: 'development' | 'production';
  readonly apiToken: string;
  readonly device?: string;
  /** The current token of the user; set it after a sign-in. */
  webAuthToken?: string;
  onToken?: TidingsOptions['onToken'];
  onSignIn?: TidingsOptions['onSignIn'];
  retry: { attempts: number; min: number; max: number };
  fetch: typeof fetch;
  readonly publicDatabase: Database;
  readonly privateDatabase: Database;
  readonly sharedDatabase: Database;
  readonly users: Users;
  readonly shares: Shares;
  /** The user's notifications, from a position on and then as they arrive. */
  events(options?: EventOptions): EventStream;
  /** Forgets the user's token, and ends the streams of events. */
  signOut(): void;
  /** The URL of an asset's content, valid for an hour after the record was fetched. */
  downloadURL(asset: Asset, fileName?: string): string;
  /** The content of an asset. */
  download(asset: Asset, options?: CallOptions): Promise<Uint8Array>;
  /** Calls an endpoint of CloudKit Web Services, for example `private/records/query`. */
  call(path: string, body: object, options?: CallOptions & { isSafe?: boolean; idempotencyKey?: string }): Promise<any>;
}

export default Tidings;
