// Where the dashboard looks: container, environment, database, zone. Kept in the browser for the next visit.

const key = 'tidings-location';
const initial = { container: 'default', environment: 'DEVELOPMENT', scope: 'PRIVATE', zone: '', owner: '' };

function stored() {
  try {
    const value = JSON.parse(localStorage.getItem(key) ?? '{}');
    return Object.fromEntries(Object.entries(initial).map(([name, usual]) =>
      [name, typeof value[name] === 'string' ? value[name] : usual]));
  } catch {
    return { ...initial };
  }
}

export const chosen = stored();
const listeners = new Set();

export function moveTo(change) {
  Object.assign(chosen, change);
  localStorage.setItem(key, JSON.stringify(chosen));
  for (const listener of listeners) listener(chosen);
}

export function watchLocation(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const environment = () => `ENVIRONMENT_${chosen.environment}`;

export const databaseID = () => ({
  container: chosen.container, environment: environment(), scope: `DATABASE_SCOPE_${chosen.scope}`,
});

/** The zone that is looked at; `undefined`: all of the database. */
export const zoneID = () => (chosen.zone ? { zoneName: chosen.zone, ...(chosen.owner && { ownerName: chosen.owner }) } : undefined);

export const defaultZone = '_defaultZone';

/** A zone's name, with its owner if it is another's. */
export const zoneText = (zone) =>
  (zone?.ownerName && chosen.scope === 'SHARED' ? `${zone.ownerName}/` : '') + (zone?.zoneName || defaultZone);
