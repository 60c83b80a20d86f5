// Counters of the server as rates, and counts and sizes of what is stored.

import { call } from '/dashboard/server.js';
import { View, define, field, fill, h, select } from '/dashboard/element.js';
import { bytes, duration, number, short, time } from '/dashboard/format.js';
import { line } from '/dashboard/chart.js';

/** Values of the charts. */
const samplesMax = 120;

const rates = [
  ['calls', 'Calls'], ['callsFailed', 'Failed calls'], ['commits', 'Transactions'], ['recordsSaved', 'Records saved'],
  ['recordsDeleted', 'Records deleted'], ['events', 'Events stored'], ['pushes', 'Pushes'], ['pushesCoalesced', 'Events pushed together'],
  ['pushesPruned', 'Pushes pruned'], ['longTurns', 'Turns over 10 ms'],
];
const levels = [['logBytes', 'Log of the store', bytes], ['freeBytes', 'Free pages', bytes], ['pagesDamaged', 'Damaged pages', number], ['checkpointsFailed', 'Failed checkpoints', number]];
const stored = [
  ['records', 'Records', number], ['tombstones', 'Tombstones', number], ['zones', 'Zones', number], ['subscriptions', 'Subscriptions', number],
  ['channels', 'Channels', number], ['events', 'Stored events', number], ['databaseBytes', 'Database', bytes],
  ['logBytes', 'Log', bytes], ['assets', 'Assets', number], ['assetBytes', 'Bytes of assets', bytes], ['users', 'Users', number],
];

class MetricsScreen extends View {
  #samples = [];
  #server = h('div');
  #rates = h('div.cards');
  #stored = h('div.cards');
  #timer;

  render() {
    const interval = select([['2000', '2 seconds'], ['10000', '10 seconds'], ['60000', 'minute']], '2000', { onchange: () => this.#start(Number(interval.value)) });
    fill(this, h('div.bar', {}, field('A value every', interval)), this.#server, h('h2', {}, 'Rates'), this.#rates, h('h2', {}, 'Stored'), this.#stored);
    this.atEnd(() => clearInterval(this.#timer));
    return this.#start(2_000);
  }

  #start(milliseconds) {
    clearInterval(this.#timer);
    this.#samples = [];
    this.#timer = setInterval(() => document.hidden || this.#sample(), milliseconds);
    return this.#sample();
  }

  async #sample() {
    try {
      const info = await call('ServerService/FetchServerInfo');
      const now = performance.now();
      // Counters start again with the process.
      if (this.#samples.at(-1)?.info.started !== info.started) this.#samples = [];
      this.#samples.push({ at: now, info });
      this.#samples.splice(0, this.#samples.length - samplesMax - 1);
      this.#showRates(info);
      if (this.#samples.length % 5 === 1) this.#showStored(await call('AdminService/FetchStatistics'));
    } catch (error) {
      clearInterval(this.#timer);
      fill(this.#server, h('p.message.error', { role: 'alert' }, error.message));
    }
  }

  #showRates(info) {
    fill(this.#server, h('p', {}, `Version ${info.version}, started ${time(info.started)}, longest turn ${duration(Number(info.counters.longestTurnMicroseconds) / 1_000)}`
      + (info.nodeName ? `, node ${info.nodeName}` : '')));
    fill(this.#rates,
      rates.map(([name, title]) => {
        const values = this.#samples.slice(1).map((sample, index) => {
          const before = this.#samples[index];
          return Math.max(0, Number(sample.info.counters[name]) - Number(before.info.counters[name])) / ((sample.at - before.at) / 1_000);
        });
        const newest = values.at(-1) ?? 0;
        return h('section.card', { 'aria-label': title }, h('h3', {}, title), h('div.value', {}, `${short(newest)}/s`),
          line(values, `${title} per second, newest ${short(newest)}`), h('small', {}, `${number(info.counters[name])} since the start`));
      }),
      levels.map(([name, title, show]) => h('section.card', { 'aria-label': title }, h('h3', {}, title), h('div.value', {}, show(info.counters[name])),
        line(this.#samples.map((sample) => Number(sample.info.counters[name])), `${title}, newest ${show(info.counters[name])}`))));
  }

  #showStored(statistics) {
    fill(this.#stored, stored.map(([name, title, show]) => h('section.card', { 'aria-label': title }, h('h3', {}, title), h('div.value', {}, show(statistics[name])))));
  }
}

export const metricsScreen = define('tidings-metrics', MetricsScreen);
