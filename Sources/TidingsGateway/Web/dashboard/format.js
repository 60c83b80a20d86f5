// Texts of numbers, times and sizes.

const numbers = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** A number, or the text of a 64-bit one. */
export const number = (value) => {
  const text = String(value ?? 0);
  return /^-?\d+$/.test(text) ? numbers.format(BigInt(text)) : compact.format(Number(text));
};

export const short = (value) => compact.format(value);

const sizes = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

export function bytes(value) {
  let [count, unit] = [Number(value ?? 0), 0];
  while (count >= 1024 && unit + 1 < sizes.length) [count, unit] = [count / 1024, unit + 1];
  return `${compact.format(count)} ${sizes[unit]}`;
}

/** The local time of a text in RFC 3339. */
export function time(text) {
  if (!text) return '';
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  const digits = (value) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${digits(date.getMonth() + 1)}-${digits(date.getDate())} `
    + `${digits(date.getHours())}:${digits(date.getMinutes())}:${digits(date.getSeconds())}`;
}

/** Milliseconds between two texts in RFC 3339. */
export const milliseconds = (from, to) => new Date(to) - new Date(from);

export function duration(milliseconds) {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 120_000) return `${compact.format(milliseconds / 1_000)} s`;
  if (milliseconds < 7_200_000) return `${compact.format(milliseconds / 60_000)} min`;
  return `${compact.format(milliseconds / 3_600_000)} h`;
}

/** A duration of a measurement, from microseconds on. */
export function seconds(value) {
  if (value < 0.001) return `${compact.format(value * 1e6)} µs`;
  return value < 1 ? `${compact.format(value * 1e3)} ms` : duration(value * 1e3);
}

/** The words of an enum's value without those of its type: `read only` of `PARTICIPANT_PERMISSION_READ_ONLY`. */
export const words = (value, prefix = '') =>
  String(value ?? '').replace(prefix, '').toLowerCase().replaceAll('_', ' ');

/** One and many. */
export const counted = (count, noun) => `${number(count)} ${noun}${Number(count) === 1 ? '' : 's'}`;
