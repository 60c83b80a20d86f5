// The metrics of the node that was called: rates, latencies, queues and sizes as charts, and the latest slow calls.

import { call } from '/dashboard/server.js';
import { View, button, define, field, fill, h, note, select, show } from '/dashboard/element.js';
import { bytes, number, seconds, short, time } from '/dashboard/format.js';
import { lines } from '/dashboard/chart.js';
import { fixedGrid } from '/dashboard/grid.js';
import { Samples } from '/dashboard/samples.js';

const handled = 'tidings_rpc_handling_seconds';
const rates = [
  ['tidings_rpc_calls_total', 'Calls'], ['tidings_rpc_calls_failed_total', 'Failed calls'], ['tidings_commits_total', 'Commits'],
  ['tidings_records_saved_total', 'Records saved'], ['tidings_records_deleted_total', 'Records deleted'], ['tidings_events_total', 'Notifications stored'],
  ['tidings_pushes_total', 'Pushes'], ['tidings_work_leases_total', 'Notifications leased'], ['tidings_quota_refusals_total', 'Refused by a quota'],
  ['tidings_rpc_calls_forwarded_total', 'Calls forwarded to the leader'], ['tidings_turns_long_total', 'Turns over 10 ms'],
];
const latencies = [
  [handled, 'Calls'], ['tidings_commit_seconds', 'Commits'], ['tidings_fsync_seconds', 'Disk syncs'],
  ['tidings_push_delay_seconds', 'From commit to push'], ['tidings_maintenance_seconds', 'Maintenance'],
];
const sizes = [
  ['tidings_database_bytes', 'Database', bytes], ['tidings_log_bytes', 'Log of the database (WAL)', bytes], ['tidings_free_bytes', 'Free space in the database', bytes],
  ['process_resident_memory_bytes', 'Memory', bytes], ['process_open_fds', 'File descriptors', number], ['tidings_channels', 'Channels', number],
  ['tidings_work_pending', 'Notifications that wait for a group', number], ['tidings_work_leased', 'Leased notifications', number],
  ['tidings_pages_damaged_total', 'Damaged pages', number], ['tidings_checkpoints_failed_total', 'Failed checkpoints', number],
];
const stored = [
  ['records', 'Records', number], ['tombstones', 'Tombstones', number], ['zones', 'Zones', number], ['subscriptions', 'Subscriptions', number],
  ['events', 'Stored notifications', number], ['assets', 'Assets', number], ['assetBytes', 'Bytes of assets', bytes], ['users', 'Users', number],
];

/** Chart and newest value of one metric; nothing if the node does not have it. */
function card(title, values, text, series = [{ values }]) {
  const newest = values.at(-1);
  if (values.length > 0 && values.every((value) => value === undefined)) return undefined;
  const shown = newest === undefined ? '–' : text(newest);
  return h('section.card', { 'aria-label': title }, h('h3', {}, title), h('div.value', {}, shown), lines(series, `${title}, newest ${shown}`));
}

class MetricsScreen extends View {
  #samples = new Samples();
  #server = h('div');
  #rates = h('div.cards');
  #latencies = h('div.cards');
  #methods = h('tbody');
  #queues = h('div.cards');
  #sizes = h('div.cards');
  #slow = h('div');
  #stored = h('div');
  #timer;

  render() {
    const interval = select([['2000', '2 seconds'], ['10000', '10 seconds'], ['60000', 'minute'], ['0', 'never']], '2000', { onchange: () => this.#start(Number(interval.value)) });
    const heading = (title) => h('th.numeric', { scope: 'col' }, title);
    fill(this, h('div.bar', {}, field('A value every', interval)), this.#server,
      h('h2', {}, 'Rates'), this.#rates,
      h('h2', {}, 'Latencies'), h('p.note', {}, 'The median of the values of an interval, and p99: 99 % do not exceed it.'), this.#latencies,
      h('h2', {}, 'Calls by method'), h('div.scroll', { tabIndex: 0, role: 'region', 'aria-label': 'Calls by method' },
        h('table', {}, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Method'), heading('Per second'), heading('Median'), heading('p99'),
          heading('Since the start'), heading('Failed'), h('th', { scope: 'col' }, 'Rate'))), this.#methods)),
      h('h2', {}, 'Queues and connections'), this.#queues, h('h2', {}, 'Sizes'), this.#sizes,
      h('h2', {}, 'Latest slow calls'), this.#slow,
      h('h2', {}, 'Stored'), h('div.bar', {}, button('Count what is stored', () => this.#count())),
      h('p.note', {}, 'Reads the whole database, on a thread of its own.'), this.#stored);
    this.atEnd(() => clearInterval(this.#timer));
    return this.#start(2_000);
  }

  #start(milliseconds) {
    clearInterval(this.#timer);
    if (milliseconds === 0) return undefined;
    this.#samples.clear();
    this.#timer = setInterval(() => document.hidden || this.#sample(), milliseconds);
    return this.#sample();
  }

  async #sample() {
    try {
      const answer = await call('AdminService/FetchMetrics');
      if (!this.isConnected) return;
      this.#samples.add(answer);
      this.#showSamples();
      this.#showSlowCalls(answer.slowCalls);
    } catch (error) {
      clearInterval(this.#timer);
      fill(this.#server, h('p.message.error', { role: 'alert' }, error.message));
    }
  }

  #showSamples() {
    const samples = this.#samples;
    const { newest } = samples;
    const [version] = newest.metrics('tidings_build_info');
    fill(this.#server, h('p', {}, [
      samples.node && `Node ${samples.node}, which ${newest.value('tidings_leader') ? 'leads' : 'follows'}`, `version ${version?.labels.version ?? ''}`,
      `started ${time(new Date(newest.value('process_start_time_seconds') * 1_000).toISOString())}`,
      `longest turn ${seconds(newest.value('tidings_turn_longest_seconds') ?? 0)}`].filter(Boolean).join(', ')));
    fill(this.#rates, rates.map(([name, title]) => newest.value(name) !== undefined
      && card(title, samples.rate(name), (value) => `${short(value)}/s`)));
    fill(this.#latencies, latencies.map(([name, title]) => {
      if (!newest.histogram(name)) return undefined;
      const [median, p99] = [samples.quantiles(name, 0.5), samples.quantiles(name, 0.99)];
      const text = (value) => (value === undefined ? '–' : seconds(value));
      const shown = `median ${text(median.at(-1))}, p99 ${text(p99.at(-1))}`;
      return h('section.card', { 'aria-label': title }, h('h3', {}, title), h('div', {}, shown),
        lines([{ values: p99 }, { values: median }], `${title}, ${shown}`));
    }));
    const queues = newest.metrics('tidings_queue_depth').map(({ labels }) => labels.queue);
    fill(this.#queues,
      ['rpc', 'push'].map((endpoint) => card(`Connections, ${endpoint}`, samples.gauge('tidings_connections', (labels) => labels.endpoint === endpoint), number)),
      queues.map((queue) => card(`Queue: ${queue}`, samples.gauge('tidings_queue_depth', (labels) => labels.queue === queue), number)));
    fill(this.#sizes, sizes.map(([name, title, text]) => card(title, samples.gauge(name), text)),
      card('Processor', samples.rate('process_cpu_seconds_total'), (value) => `${short(value * 100)} %`));
    this.#showMethods();
  }

  #showMethods() {
    const samples = this.#samples;
    const methods = new Map();
    for (const { labels, histogram } of samples.newest.metrics(handled)) {
      const key = `${labels.service} ${labels.method}`;
      const count = histogram.counts.reduce((total, one) => total + one, 0);
      const entry = methods.get(key) ?? { labels, count: 0, failed: 0 };
      methods.set(key, { ...entry, count: entry.count + count, failed: entry.failed + (labels.code === 'OK' ? 0 : count) });
    }
    const rows = [...methods.values()].map((entry) => ({
      ...entry, rates: samples.counts(handled, (labels) => labels.service === entry.labels.service && labels.method === entry.labels.method),
    })).sort((a, b) => (b.rates.at(-1) ?? 0) - (a.rates.at(-1) ?? 0) || b.count - a.count);
    fill(this.#methods, rows.map(({ labels, count, failed, rates: values }) => {
      const is = (other) => other.service === labels.service && other.method === labels.method;
      const latency = (fraction) => samples.quantiles(handled, fraction, is).findLast((value) => value !== undefined);
      const text = (value) => (value === undefined ? '–' : seconds(value));
      const title = `${labels.service.split('.').at(-1)}/${labels.method}`;
      return h('tr', {}, h('th', { scope: 'row' }, title), h('td.numeric', {}, short(values.at(-1) ?? 0)), h('td.numeric', {}, text(latency(0.5))),
        h('td.numeric', {}, text(latency(0.99))), h('td.numeric', {}, number(count)), h('td.numeric', {}, number(failed)),
        h('td.spark', {}, lines([{ values }], `Calls of ${title} per second`)));
    }));
  }

  #showSlowCalls(slowCalls) {
    fill(this.#slow, slowCalls.length === 0 ? note('No call was slower than the threshold.') : fixedGrid('Latest slow calls', [
      { title: 'When', cell: (one) => time(one.time) },
      { title: 'Method', cell: (one) => one.method.split('.').at(-1) },
      { title: 'Took', numeric: true, cell: (one) => seconds(Number(one.durationMicroseconds) / 1e6) },
      { title: 'Plan', cell: (one) => one.plan },
      { title: 'Request ID', cell: (one) => one.requestId },
    ], [...slowCalls].reverse().slice(0, 20)));
  }

  #count() {
    return show(this.#stored, () => call('AdminService/FetchStatistics'), (statistics) => h('div.cards', {}, stored.map(([name, title, text]) =>
      h('section.card', { 'aria-label': title }, h('h3', {}, title), h('div.value', {}, text(statistics[name]))))));
  }
}

export const metricsScreen = define('tidings-metrics', MetricsScreen);
