// The examples of docs/javascript.md, run as one program, one after the other.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Servers } from './servers.mjs';

const page = readFileSync(new URL('../../../docs/javascript.md', import.meta.url), 'utf8');

let servers;
before(async () => {
  servers = await Servers.start();
});
after(() => servers.stop());

/** What a page has that Node.js has not. */
const browser = `
const stored = new Map();
globalThis.localStorage = { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value), removeItem: (key) => stored.delete(key) };
globalThis.document = { body: { append: (...texts) => console.log(...texts) } };
`;

test('the examples run', async () => {
  const blocks = [...page.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code]) => code);
  assert.ok(blocks.length > 5);
  const client = new URL('../../../Sources/TidingsGateway/Web/tidings.js', import.meta.url);
  const program = blocks.join('\n')
    .replaceAll('https://tidings.example.org/tidings.js', client.href)
    .replaceAll('https://tidings.example.org', servers.baseURL);
  const file = join(servers.folder, 'examples.mjs');
  writeFileSync(file, browser + program);
  const run = spawn(process.execPath, [file]);
  let [output, errors] = ['', ''];
  run.stdout.on('data', (bytes) => (output += bytes));
  run.stderr.on('data', (bytes) => (errors += bytes));
  const [code] = await once(run, 'close');
  assert.equal(code, 0, errors);
  const [, expected] = /^The examples print:\n\n```\n([^]*?)^```$/m.exec(page);
  assert.equal(output, expected);
});

test('its tables name what there is', () => {
  const types = readFileSync(new URL('../../../Sources/TidingsGateway/Web/tidings.d.ts', import.meta.url), 'utf8');
  for (const [, call] of page.matchAll(/^\| `(?:\w+\.)*(\w+)\(/gm)) assert.match(types, new RegExp(`\\b${call}[<(]`), call);
});
