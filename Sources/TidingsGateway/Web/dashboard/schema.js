// The schema: text and indexes, what a text would change, applying and deploying it.

import { call, hasRole } from '/dashboard/server.js';
import { View, button, define, field, fill, h, note, notify, show } from '/dashboard/element.js';
import { fixedGrid } from '/dashboard/grid.js';
import { words } from '/dashboard/format.js';
import { confirm } from '/dashboard/dialog.js';
import { environment, chosen } from '/dashboard/location.js';

/**
 * The record types of a schema's text, with their fields and the fields' types.
 *
 * @returns {Map<string, Map<string, string>>}
 */
export function recordTypes(text) {
  const types = new Map();
  let fields;
  for (const line of text.split('\n')) {
    const type = line.match(/^\s*RECORD TYPE (\w+) \(/);
    if (type) {
      fields = new Map();
      types.set(type[1], fields);
      continue;
    }
    const entry = line.match(/^\s+"?(\w+)"?\s+(?:ENCRYPTED )?(LIST<\w+>|\w+)/);
    if (/^\s*\)/.test(line)) fields = undefined;
    else if (fields && entry && entry[1] !== 'GRANT' && !entry[1].startsWith('___')) fields.set(entry[1], entry[2]);
  }
  return types;
}

export const fetchSchema = () =>
  call('SchemaService/FetchSchema', { container: chosen.container, environment: environment() });

const changeKind = (change) => words(change.kind, 'SCHEMA_CHANGE_KIND_');

/** The differences between two schemas. */
function differences(changes) {
  if (changes.length === 0) return note('Nothing would change.');
  return h('div', {}, changes.map((change) => h('div.card', {},
    h('strong', {}, `${changeKind(change)}: ${change.subject}`),
    change.before && h('pre.removed', {}, change.before),
    change.after && h('pre.added', {}, change.after))));
}

class SchemaScreen extends View {
  #text = h('textarea', { rows: 16, spellcheck: false });
  #indexes = h('div');
  #changes = h('div', { 'aria-live': 'polite' });

  render() {
    const isDevelopment = chosen.environment === 'DEVELOPMENT';
    const container = chosen.container;
    const mayChange = hasRole('admin', 'developer', `${container}/developer`);
    this.#text.readOnly = !isDevelopment;
    fill(this,
      field('Schema text', this.#text, isDevelopment
        ? 'What is applied becomes the schema of development.' : 'Production changes by deploying development only.'),
      h('div.bar', {}, button('Reload', () => this.#load()),
        isDevelopment && button('Show changes', () => this.#apply(true)),
        isDevelopment && button('Apply', () => this.#applyAsked(), { className: 'primary', disabled: !mayChange }),
        button('Compare with production', () => this.#deploy(true)),
        button('Deploy to production', () => this.#deployAsked(), { disabled: !mayChange })),
      this.#changes, h('h2', {}, 'Indexes'), this.#indexes);
    return this.#load();
  }

  #load() {
    return show(this.#indexes, fetchSchema, (schema) => {
      this.#text.value = schema.text;
      return fixedGrid('Indexes', [
        { title: 'Type', cell: (index) => index.recordType },
        { title: 'Field', cell: (index) => index.fieldName },
        { title: 'Finds', cell: (index) => [index.ordered && 'values', index.searchable && 'words'].filter(Boolean).join(', ') },
        { title: 'State', cell: (index) => words(index.state, 'INDEX_STATE_') },
      ], schema.indexes, { emptyText: 'No index is declared.' });
    });
  }

  async #apply(isDryRun) {
    const { changes } = await call('SchemaService/ApplySchema',
      { container: chosen.container, text: this.#text.value, dryRun: isDryRun });
    fill(this.#changes, h('h2', {}, isDryRun ? 'What would change' : 'What has changed'), differences(changes));
    return changes;
  }

  async #applyAsked() {
    const changes = await this.#apply(true);
    if (changes.length === 0) return;
    if (!await confirm('Apply the schema', differences(changes), 'Apply')) return;
    await this.#apply(false);
    await this.#load();
    notify('The schema is applied.');
  }

  async #deploy(isDryRun) {
    const { changes } = await call('SchemaService/DeploySchema', { container: chosen.container, dryRun: isDryRun });
    fill(this.#changes, h('h2', {}, isDryRun ? 'What production would get' : 'What production has got'), differences(changes));
    return changes;
  }

  async #deployAsked() {
    const changes = await this.#deploy(true);
    if (changes.length === 0) return;
    if (!await confirm('Deploy to production', differences(changes), 'Deploy')) return;
    await this.#deploy(false);
    notify('The schema is deployed.');
  }
}

export const schemaScreen = define('tidings-schema', SchemaScreen);
