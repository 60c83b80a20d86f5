// A real rpcd and rpcgw in development mode, for the tests of one file.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Tidings } from '../../../Sources/TidingsGateway/Web/tidings.js';

const programs = process.env.TIDINGS_PROGRAMS ?? new URL('../../../.build/release', import.meta.url).pathname;
const running = new Set();

process.on('exit', () => {
  for (const program of running) program.kill('SIGKILL');
});

/** Starts a program, and waits for its first line. */
async function start(name, ...options) {
  const program = spawn(join(programs, name), options, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(program);
  program.once('exit', () => running.delete(program));
  let errors = '';
  program.stderr.on('data', (bytes) => (errors += bytes));
  const lines = createInterface({ input: program.stdout });
  const ended = once(program, 'close').then(([code]) => {
    throw new Error(`${name} ended with ${code}: ${errors}`);
  });
  ended.catch(() => {});
  const [line] = await Promise.race([once(lines, 'line'), ended]);
  return { program, line };
}

async function kill(program, signal) {
  if (!running.has(program)) return;
  const end = once(program, 'exit');
  program.kill(signal);
  await end;
}

/** Both servers. */
export class Servers {
  static async start() {
    const servers = new Servers();
    servers.folder = mkdtempSync(join(tmpdir(), 'tidings-js-'));
    [servers.rpc, servers.push, servers.port] = ['tcp://127.0.0.1:0', 'tcp://127.0.0.1:0', 0];
    await servers.startServer();
    await servers.startGateway();
    return servers;
  }

  /** Keeps the ports of the first time. */
  async startServer() {
    const data = join(this.folder, 'data');
    const { program, line } = await start(
      'rpcd', '--development', '--rpc', this.rpc, '--push', this.push, '--data', data, '--log-level', 'warning',
    );
    this.server = program;
    this.rpc = /rpc=(\S+)/.exec(line)[1];
    this.push = /push=(\S+)/.exec(line)[1];
  }

  async startGateway() {
    const { program, line } = await start('rpcgw', '--listen', `127.0.0.1:${this.port}`, '--rpc', this.rpc);
    this.gateway = program;
    this.baseURL = line.split(' ').at(-1);
    this.port = Number(new URL(this.baseURL).port);
  }

  killServer() {
    return kill(this.server, 'SIGKILL');
  }

  killGateway() {
    return kill(this.gateway, 'SIGKILL');
  }

  async stop() {
    await kill(this.gateway, 'SIGTERM');
    await kill(this.server, 'SIGTERM');
    rmSync(this.folder, { recursive: true });
  }

  /** A client of a user; of nobody with `null`. */
  client(user, options = {}) {
    return new Tidings({
      baseURL: this.baseURL,
      container: 'houses',
      environment: 'development',
      apiToken: 'test',
      webAuthToken: user === null ? undefined : `dev:${user}`,
      ...options,
    });
  }
}

/** A value that changes, for which tests can wait. */
export class Observed {
  #waiting = new Set();

  constructor(value) {
    this.value = value;
  }

  update(change) {
    change(this.value);
    for (const check of this.#waiting) check();
  }

  until(condition) {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition(this.value)) return;
        this.#waiting.delete(check);
        resolve(this.value);
      };
      this.#waiting.add(check);
      check();
    });
  }
}
