// The zones of the database: create, delete, look at their records and changes.

import { call } from '/dashboard/server.js';
import { View, button, define, field, fill, h, notify } from '/dashboard/element.js';
import { confirm, open } from '/dashboard/dialog.js';
import { number, time } from '/dashboard/format.js';
import { grid } from '/dashboard/grid.js';
import { databaseID, defaultZone, moveTo, chosen, zoneText } from '/dashboard/location.js';

/** Zones of a page: a database can have 10,000. */
const pageZones = 100;
/** Pages of deletions alone that are skipped without being asked. */
const emptyPagesMax = 20;

/** Zones by their IDs; those that are gone meanwhile are missing. */
async function fetchZones(zoneIds) {
  const { results } = await call('ZoneService/FetchRecordZones', { databaseId: databaseID(), zoneIds });
  return results.map((result) => result.zone).filter(Boolean);
}

/** A page of the zones that ever changed, those whose last change is oldest first. */
async function nextZones(changeToken) {
  let page = { changeToken, moreComing: true, changedZoneIds: [] };
  for (let count = 0; page.moreComing && page.changedZoneIds.length === 0 && count < emptyPagesMax; count += 1) {
    page = await call('RecordService/FetchDatabaseChanges', { databaseId: databaseID(), changeToken: page.changeToken, limit: pageZones });
  }
  return {
    items: page.changedZoneIds.length > 0 ? await fetchZones(page.changedZoneIds) : [],
    cursor: page.moreComing ? page.changeToken : undefined,
  };
}

const key = (zone) => `${zone.zoneId.ownerName}/${zone.zoneId.zoneName || defaultZone}`;

class ZonesScreen extends View {
  #grid;

  render() {
    const name = h('input', { autocomplete: 'off', spellcheck: false });
    const one = h('input', { autocomplete: 'off', spellcheck: false, placeholder: chosen.scope === 'SHARED' ? 'owner/name' : 'all' });
    this.#grid = grid({
      label: 'Zones', emptyText: 'No zones.', nameOf: (zone) => zoneText(zone.zoneId),
      columns: [
        { title: 'Zone', cell: (zone) => zoneText(zone.zoneId) },
        { title: 'Created', cell: (zone) => time(zone.created) },
        { title: 'Last change', numeric: true, cell: (zone) => number(zone.sequenceNumber) },
      ],
      load: (cursor) => this.#load(cursor, one.value.trim()),
      actions: (zone) => {
        const title = zoneText(zone.zoneId);
        return [
          button('Records', () => {
            moveTo({ zone: zone.zoneId.zoneName || defaultZone, owner: chosen.scope === 'SHARED' ? zone.zoneId.ownerName : '' });
            location.hash = '#/records';
          }, { 'aria-label': `Records of ${title}` }),
          zone.capabilities?.fetchChanges && button('Changes', () => this.#changes(zone), { 'aria-label': `Changes in ${title}` }),
          zone.created && chosen.scope === 'PRIVATE'
            && button('Delete', () => this.#delete(zone), { 'aria-label': `Delete ${title}` }),
        ];
      },
    });
    fill(this,
      chosen.scope === 'PRIVATE' && h('form.bar', {
        onsubmit: async (event) => {
          event.preventDefault();
          await this.#create(name.value.trim()).catch((error) => notify(error.message, 'error'));
          name.value = '';
        },
      }, field('Name of a new zone', name), h('button.primary', { type: 'submit' }, 'Create')),
      h('form.bar', { onsubmit: (event) => { event.preventDefault(); this.#grid.reload(); } },
        field('Name', one), h('button', { type: 'submit' }, 'Find'), button('Reload', () => this.#grid.reload())),
      this.#grid);
  }

  async #load(cursor, name) {
    if (name) {
      const [ownerName, zoneName] = chosen.scope === 'SHARED' && name.includes('/') ? name.split(/\/(.*)/) : ['', name];
      return { items: await fetchZones([{ zoneName, ownerName }]) };
    }
    // The public database has one zone, and no feed of zones.
    if (chosen.scope === 'PUBLIC') return { items: await fetchZones([]) };
    const page = await nextZones(cursor);
    const shown = new Set(this.#grid.items.map(key));
    const items = page.items.filter((zone) => !shown.has(key(zone)));
    const isFirst = cursor === undefined && chosen.scope === 'PRIVATE';
    const first = isFirst && !items.some((zone) => (zone.zoneId.zoneName || defaultZone) === defaultZone) ? await fetchZones([{ zoneName: defaultZone }]) : [];
    return { items: [...first, ...items], cursor: page.cursor };
  }

  async #create(zoneName) {
    const { results: [result] } = await call('ZoneService/ModifyRecordZones',
      { databaseId: databaseID(), zonesToSave: [{ zoneId: { zoneName } }] });
    if (result.error) throw new Error(result.error.message);
    notify(`The zone ${zoneName} exists.`);
    await this.#grid.reload();
  }

  async #delete(zone) {
    const title = zoneText(zone.zoneId);
    if (!await confirm(`Delete the zone ${title}`, h('p', {}, 'All its records are deleted with it. This cannot be undone.'), 'Delete')) return;
    const { results: [result] } = await call('ZoneService/ModifyRecordZones', { databaseId: databaseID(), zoneIdsToDelete: [zone.zoneId] });
    if (result.error) throw new Error(result.error.message);
    notify(`The zone ${title} is deleted.`);
    await this.#grid.reload();
  }

  /** The change feed of a zone, from the beginning, each record once. */
  #changes(zone) {
    return open(`Changes in ${zoneText(zone.zoneId)}`, () => grid({
      label: 'Changes', emptyText: 'Nothing was ever saved.',
      nameOf: (change) => change.name,
      columns: [
        { title: 'Record name', cell: (change) => change.name },
        { title: 'Type', cell: (change) => change.type },
        { title: 'Change', cell: (change) => change.what },
        { title: 'When', cell: (change) => time(change.when) },
      ],
      load: async (cursor) => {
        const { zones: [page] } = await call('RecordService/FetchRecordZoneChanges',
          { databaseId: databaseID(), zones: [{ zoneId: zone.zoneId, changeToken: cursor, desiredKeys: { keys: [] } }], limit: 100 });
        if (page.error) throw new Error(page.error.message);
        return {
          items: [
            ...page.changedRecords.map((record) => ({ name: record.recordId.recordName, type: record.recordType, what: 'saved', when: record.modified?.timestamp })),
            ...page.deletedRecords.map((record) => ({ name: record.recordId.recordName, type: record.recordType, what: 'deleted' })),
          ],
          cursor: page.moreComing ? page.changeToken : undefined,
        };
      },
    }), { wide: true });
  }
}

export const zonesScreen = define('tidings-zones', ZonesScreen);
