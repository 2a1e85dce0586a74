/** How values and names are written for people. */
import type { EntityReference } from '../../src/client/index.ts';
import { texts } from './texts.ts';

/** `roleAttributes` as `Role attributes`. */
export const labelOf = (field: string): string => {
  const known = texts.fields[field];
  if (known !== undefined) return known;
  const words = field
    .replace(/^(is|has)(?=[A-Z])/, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/\b(id|api|mfa|jwt|url|totp|ca|ip|mac|os|pem)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
export const isDate = (value: unknown): value is string =>
  typeof value === 'string' && DATE.test(value) && !Number.isNaN(Date.parse(value));

const full = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
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
  return Math.abs(seconds) < 10 ? 'now' : relative.format(seconds, 'second');
};

/** What a reference to an entity is called. */
export const nameOf = ({ name, id }: EntityReference): string => name ?? id;

/** A value as one line of text. */
export const textOf = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value !== 'object') return String(value);
  const { name, id } = value as { readonly name?: unknown; readonly id?: unknown }; // a reference to an entity, or some other object
  return typeof name === 'string' ? name : typeof id === 'string' ? id : JSON.stringify(value);
};
