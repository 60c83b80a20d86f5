// The types are those of the client.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as client from '../../../Sources/TidingsGateway/Web/tidings.js';

const web = new URL('../../../Sources/TidingsGateway/Web/', import.meta.url);
const types = readFileSync(new URL('tidings.d.ts', web), 'utf8');
const internal = { Tidings: ['upload'], Database: ['call'] };

test('an example has the right types, and wrong uses are errors', (context) => {
  const example = new URL('types.ts', import.meta.url).pathname;
  const options = ['--noEmit', '--strict', '--target', 'es2020', '--lib', 'es2020,dom', '--moduleResolution', 'node'];
  const run = spawnSync('tsc', [...options, example], { encoding: 'utf8' });
  if (run.error?.code === 'ENOENT') return context.skip('tsc is not installed: run tools/install-dependencies --tests');
  assert.equal(run.status, 0, run.stdout);
});

test('all that the client exports has types', () => {
  const declared = [...types.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
  const exported = Object.entries(client).filter(([name]) => name !== 'default').map(([name]) => name);
  assert.deepEqual(exported.filter((name) => !declared.includes(name)), []);
  assert.equal(client.default, client.Tidings);
  // The others are made by the client alone.
  const hidden = declared.filter((name) => !exported.includes(name));
  assert.deepEqual(hidden, []);
});

test('all members of classes have types', () => {
  for (const [name, value] of Object.entries(client)) {
    if (name === 'default' || !value.prototype || !/^class/.test(String(value))) continue;
    const body = new RegExp(`^export class ${name} [^]*?^}`, 'm').exec(types)[0];
    const declared = new Set([...body.matchAll(/^ {2}(?:readonly |get )?(\w+)\??[:<(]/gm)].map(([, member]) => member));
    const members = Object.getOwnPropertyNames(value.prototype).filter((member) => member !== 'constructor');
    const missing = members.filter((member) => !declared.has(member) && !internal[name]?.includes(member));
    assert.deepEqual(missing, [], name);
  }
  const tidings = new client.Tidings({ baseURL: 'http://localhost', apiToken: 'a' });
  const body = /^export class Tidings [^]*?^}/m.exec(types)[0];
  for (const member of Object.keys(tidings)) assert.match(body, new RegExp(`\\b${member}\\??:`), member);
});

test('the client works with a strict content security policy', () => {
  const text = readFileSync(new URL('tidings.js', web), 'utf8');
  assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.|\beval\b|new Function|import\(|^import /m);
});
