// Small charts.

import { h } from '/dashboard/element.js';

const [width, height] = [100, 30];

/** The points of a line; where a value is missing, the line is interrupted. */
function paths(values, max) {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const parts = [[]];
  values.forEach((value, index) => {
    if (value === undefined) parts.push([]);
    else parts.at(-1).push(`${(index * step).toFixed(2)},${(height - 1 - (value / max) * (height - 2)).toFixed(2)}`);
  });
  return parts.filter((points) => points.length > 0).map((points) => points.join(' '));
}

/**
 * Lines of values on a common scale from 0, from the oldest to the newest.
 *
 * @param {{values: (number | undefined)[]}[]} series At least one; values of at least 0, `undefined`: there is none.
 * @param {string} label What it shows, for screen readers.
 */
export function lines(series, label) {
  const max = Math.max(1e-9, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  return h('svg.chart', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
    h('line', { x1: 0, y1: height - 1, x2: width, y2: height - 1 }),
    series.map(({ values }, index) => paths(values, max).map((points) => h(`polyline.series-${index + 1}`, { points }))));
}
