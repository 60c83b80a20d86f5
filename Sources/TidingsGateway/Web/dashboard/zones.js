// The zones of the database: create, delete, look at their records and changes.

import { call } from '/dashboard/server.js';
import { View, button, define, field, fill, h, notify } from '/dashboard/element.js';
import { confirm, open } from '/dashboard/dialog.js';
import { number, time } from '/dashboard/format.js';
import { grid } from '/dashboard/grid.js';
import { databaseID, defaultZone, moveTo, chosen, zoneText } from '/dashboard/location.js';

/** Rows that are added to the page at a time: a database can have 10,000 zones. */
const pageZones = 100;

class ZonesScreen extends View {
  #grid;

  render() {
    const name = h('input', { autocomplete: 'off', spellcheck: false });
    const filter = h('input', { placeholder: 'part of the name', oninput: () => this.#grid.reload() });
    let zones;
    this.#grid = grid({
      label: 'Zones', emptyText: 'No zone matches.', nameOf: (zone) => zoneText(zone.zoneId),
      columns: [
        { title: 'Zone', cell: (zone) => zoneText(zone.zoneId) },
        { title: 'Created', cell: (zone) => time(zone.created) },
        { title: 'Last change', numeric: true, cell: (zone) => number(zone.sequenceNumber) },
      ],
      load: async (cursor) => {
        if (cursor === undefined && !(zones && filter.value)) {
          const answer = await call('ZoneService/FetchRecordZones', { databaseId: databaseID() });
          zones = answer.results.map((result) => result.zone).filter(Boolean);
        }
        const found = zones.filter((zone) => zoneText(zone.zoneId).includes(filter.value));
        const start = cursor ?? 0;
        return { items: found.slice(start, start + pageZones), cursor: start + pageZones < found.length ? start + pageZones : undefined };
      },
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
      h('div.bar', {}, field('Find', filter), button('Reload', () => { zones = undefined; return this.#grid.reload(); })),
      this.#grid);
    this.reload = () => { zones = undefined; return this.#grid.reload(); };
  }

  async #create(zoneName) {
    const { results: [result] } = await call('ZoneService/ModifyRecordZones',
      { databaseId: databaseID(), zonesToSave: [{ zoneId: { zoneName } }] });
    if (result.error) throw new Error(result.error.message);
    notify(`The zone ${zoneName} exists.`);
    await this.reload();
  }

  async #delete(zone) {
    const title = zoneText(zone.zoneId);
    if (!await confirm(`Delete the zone ${title}`, h('p', {}, 'All its records are deleted with it. This cannot be undone.'), 'Delete')) return;
    const { results: [result] } = await call('ZoneService/ModifyRecordZones', { databaseId: databaseID(), zoneIdsToDelete: [zone.zoneId] });
    if (result.error) throw new Error(result.error.message);
    notify(`The zone ${title} is deleted.`);
    await this.reload();
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
