// Metrics of a node over time, as FetchMetrics returns them: counters as rates, histograms as the latencies of an interval.

/** Values of the charts. */
const samplesMax = 120;

/** A value in a histogram that so many of its values do not exceed, found within its bucket as by Prometheus' `histogram_quantile`. */
export function quantile({ bounds, counts }, fraction) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const rank = fraction * total;
  let below = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      if (index >= bounds.length) return bounds.at(-1);
      const low = index === 0 ? 0 : bounds[index - 1];
      return low + (bounds[index] - low) * (rank - below) / count;
    }
    below += count;
  }
  return bounds.at(-1);
}

const sum = (a, b) => (a ? { bounds: a.bounds, counts: a.counts.map((count, index) => count + (b.counts[index] ?? 0)) } : b);

/** One answer of FetchMetrics, by name. */
class Sample {
  #families = new Map();

  constructor(answer) {
    this.time = new Date(answer.time).getTime() / 1_000;
    for (const family of answer.families) {
      this.#families.set(family.name, family.metrics.map((metric) => ({
        labels: Object.fromEntries(metric.labels.map(({ name, value }) => [name, value])),
        value: Number(metric.value),
        histogram: metric.histogram && { bounds: metric.histogram.bounds.map(Number), counts: metric.histogram.counts.map(Number) },
      })));
    }
  }

  metrics(name) { return this.#families.get(name) ?? []; }

  /** The sum of a family's values; `undefined`: the node does not have it. */
  value(name, matches = () => true) {
    const found = this.metrics(name).filter(({ labels }) => matches(labels));
    return found.length === 0 ? undefined : found.reduce((total, { value }) => total + value, 0);
  }

  histogram(name, matches = () => true) {
    return this.metrics(name).filter(({ labels }) => matches(labels)).reduce((total, metric) => sum(total, metric.histogram), undefined);
  }
}

/** The latest answers of one process. */
export class Samples {
  #all = [];

  clear() { this.#all = []; }

  add(answer) {
    const sample = new Sample(answer);
    const started = (one) => one?.value('process_start_time_seconds');
    // Counters begin at 0 with each process.
    if (started(this.newest) !== started(sample) || this.node !== answer.nodeName) this.clear();
    this.node = answer.nodeName;
    this.#all.push(sample);
    this.#all.splice(0, this.#all.length - samplesMax - 1);
  }

  get newest() { return this.#all.at(-1); }

  /** A gauge over time. */
  gauge(name, matches) { return this.#all.map((sample) => sample.value(name, matches)); }

  /** A counter over time, per second. */
  rate(name, matches) {
    return this.#intervals((sample, before, seconds) => {
      const [now, then] = [sample.value(name, matches), before.value(name, matches)];
      return now === undefined ? undefined : Math.max(0, now - (then ?? 0)) / seconds;
    });
  }

  /** How many values a histogram got per second. */
  counts(name, matches) {
    return this.#intervals((sample, before, seconds) => (this.#difference(name, sample, before, matches)?.counts.reduce((total, count) => total + count, 0) ?? 0) / seconds);
  }

  /** A quantile of the values of each interval. */
  quantiles(name, fraction, matches) {
    return this.#intervals((sample, before) => {
      const histogram = this.#difference(name, sample, before, matches);
      return histogram && quantile(histogram, fraction);
    });
  }

  #intervals(value) {
    return this.#all.slice(1).map((sample, index) => value(sample, this.#all[index], Math.max(0.001, sample.time - this.#all[index].time)));
  }

  #difference(name, sample, before, matches) {
    const [now, then] = [sample.histogram(name, matches), before.histogram(name, matches)];
    return now && { bounds: now.bounds, counts: now.counts.map((count, index) => Math.max(0, count - (then?.counts[index] ?? 0))) };
  }
}
