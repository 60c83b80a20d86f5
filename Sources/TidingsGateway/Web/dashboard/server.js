// Calls of the server, and the session that they need.
//
// Everything that the dashboard shows was answered by the server: nothing is assumed, and nothing is repeated without
// being asked for.

/** Why a call failed: `status` is gRPC's code, `code` the server's own, for example `SERVER_RECORD_CHANGED`. */
export class CallError extends Error {
  constructor({ status = 'UNKNOWN', message = '', error } = {}) {
    super(error?.message || message || status);
    this.name = 'CallError';
    this.status = status;
    this.code = errorCode(error);
  }
}

/** The code of an item's error, without the name of its type. */
export const errorCode = (error) => String(error?.code ?? '').replace('ERROR_CODE_', '');

/** Who acts; `undefined` before the sign-in. */
let session;
const listeners = new Set();

export const currentSession = () => session;

/** How the user of a session is called. */
export const nameOf = ({ userName }) => userName || 'guest';

/** Calls a function with the session, now and when it changes; returns what ends that. */
export function watchSession(listener) {
  listeners.add(listener);
  listener(session);
  return () => listeners.delete(listener);
}

function setSession(next) {
  session = next;
  for (const listener of listeners) listener(session);
}

async function send(path, { method = 'POST', body, headers } = {}) {
  let answer;
  try {
    answer = await fetch(`/dashboard/${path}`, {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body), credentials: 'same-origin',
    });
  } catch {
    throw new CallError({ status: 'UNAVAILABLE', message: 'the gateway does not answer: is it running?' });
  }
  const content = await answer.json().catch(() => ({}));
  if (answer.ok) return content;
  throw new CallError({ status: content.status ?? `HTTP ${answer.status}`, ...content });
}

const withToken = () => ({ 'X-Tidings-Request-Token': session?.requestToken ?? '' });

/** Finds out who is signed in; nobody is no error. */
export async function resume() {
  try {
    setSession(await send('session', { method: 'GET' }));
  } catch (error) {
    if (error.status !== 'UNAUTHENTICATED') throw error;
    setSession(undefined);
  }
}

/**
 * Redeems a link of `rpcctl dashboard`.
 *
 * @returns {Promise<{userName: string, roles: string[], offer: string} | undefined>} Whose link it is, if another user is
 *   signed in, who stays so until the offer is accepted.
 */
export async function signIn(token) {
  const answer = await send('sign-in', { body: { token } });
  if (!answer.offer) return setSession(answer);
  await resume();
  return answer;
}

/** Replaces the session by the one that was offered. */
export async function accept(offer) {
  setSession(await send('accept', { body: { offer }, headers: withToken() }));
}

/** Ends the session that was offered. */
export async function decline(offer) {
  await send('decline', { body: { offer }, headers: withToken() });
}

/** Lets the session last for another half hour. */
export async function renew() {
  setSession(await send('renew', { headers: withToken() }));
}

export async function signOut() {
  await send('sign-out', { headers: withToken() });
  setSession(undefined);
}

/**
 * Calls a method of the server.
 *
 * @param {string} method For example `RecordService/QueryRecords`.
 * @param {object} request In proto3's JSON mapping.
 * @returns {Promise<any>} The answer, likewise, with default values.
 * @throws {CallError}
 */
export async function call(method, request = {}) {
  const attempt = () => send(`rpc/${method}`, { body: request, headers: withToken() });
  const before = session;
  try {
    return await attempt();
  } catch (error) {
    // Another tab may have renewed the session: then the request was not carried out.
    if (error.status === 'PERMISSION_DENIED' && !error.code && session) {
      await resume();
      if (session && session.userName !== before?.userName) {
        throw new CallError({ status: 'ABORTED', message: `nothing was done: ${nameOf(session)} has signed in in another tab` });
      }
      if (session && session.requestToken !== before?.requestToken) return attempt();
    }
    if (error.status === 'UNAUTHENTICATED' && session) {
      await resume();
    }
    throw error;
  }
}

/** A `fetch` for tidings.js, whose requests are the session's. */
export const sessionFetch = (url, init = {}) =>
  fetch(url, { ...init, credentials: 'same-origin', headers: { ...init.headers, ...withToken() } });

/** Whether the user has a role; while authentication is off everybody has all. */
export const hasRole = (...roles) =>
  Boolean(session) && (session.isDevelopment || roles.some((role) => session.roles.includes(role)));
