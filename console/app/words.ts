/** Human-readable names and values. */
import type { EntityReference } from '../../client/index.ts';
import { language } from './language.ts';
import { texts } from './texts.ts';

/** `roleAttributes` as `Role attributes`. */
export const labelOf = (field: string): string => {
  const label = Object.hasOwn(texts.fields, field) ? texts.fields[field] : undefined;
  if (label !== undefined) return label;
  const words = field
    .replace(/^(is|has)(?=[A-Z])/, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/\b(id|api|mfa|jwt|url|totp|ca|ip|mac|os|pem)\b/g, (word) => word.toUpperCase());
  return capitalised(words);
};

/** The name of a kind, as a label. */
export const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
export const isDate = (value: unknown): value is string =>
  typeof value === 'string' && DATE.test(value) && !Number.isNaN(Date.parse(value));

const full = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

export const fullDate = (date: string): string => full.format(new Date(date));

/** `3 hours ago`, `in 2 days`. */
export const relativeDate = (date: string, now = Date.now()): string => {
  const seconds = Math.round((Date.parse(date) - now) / 1000);
  for (const [unit, size] of UNITS) if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  return relative.format(Math.abs(seconds) < 10 ? 0 : seconds, 'second');
};

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** `1.5 MB`: units of 1000. */
export const bytesText = (bytes: number): string => {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), BYTE_UNITS.length - 1);
  const options = { style: 'unit', unit: BYTE_UNITS[power] ?? 'byte', unitDisplay: power === 0 ? 'long' : 'short' } as const;
  return new Intl.NumberFormat(language, { ...options, maximumSignificantDigits: 3 }).format(bytes / 1000 ** power);
};

/** `1.5 MB/s`; a dash if it is not known. */
export const rateText = (bytes: number | null | undefined): string => (bytes == null ? '–' : `${bytesText(bytes)}/s`);

/** The display name of a reference to an entity. */
export const nameOf = ({ name, id }: EntityReference): string => name ?? id;

/** A value as one line of text. An object is JSON, whatever fields it has. */
export const textOf = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};
