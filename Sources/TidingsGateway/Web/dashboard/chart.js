// Small charts.

import { h } from '/dashboard/element.js';

/**
 * A line of values, from the oldest to the newest.
 *
 * @param {number[]} values At least 0.
 * @param {string} label What it shows, for screen readers.
 */
export function line(values, label) {
  const [width, height] = [100, 30];
  const max = Math.max(1e-9, ...values);
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const points = values.map((value, index) =>
    `${(index * step).toFixed(2)},${(height - 1 - (value / max) * (height - 2)).toFixed(2)}`).join(' ');
  return h('svg.chart', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
    h('line', { x1: 0, y1: height - 1, x2: width, y2: height - 1 }), h('polyline', { points }));
}
