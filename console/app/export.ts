/** Entities as a file: CSV for spreadsheets, JSON for programs. */
import { isObject } from './json-schema.ts';

/** Entities in one file; a filter selects fewer. */
export const MAX_EXPORT = 10_000;

export const MEDIA_TYPES = { csv: 'text/csv;charset=utf-8', json: 'application/json' } as const;

export type Format = keyof typeof MEDIA_TYPES;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Where spreadsheets may see the beginning of a formula. Where the decimal sign is a comma, they divide files at semicolons, and see quotes
 * as a part of the text: then a cell begins behind each semicolon and each end of a line.
 */
const FORMULA = /(^|[;\t\r\n])(?=[ "]*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g;

/** A value as the text of a cell: references by name, lists with semicolons, other parts as JSON. */
const cellText = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellText).join('; ');
  if (typeof value !== 'object') return String(value);
  const { id, name } = value as { readonly id?: unknown; readonly name?: unknown }; // a reference has both
  return typeof id === 'string' && typeof name === 'string' ? name : JSON.stringify(value);
};

const cell = (value: unknown): string => {
  const text = cellText(value);
  const harmless = typeof value === 'number' ? text : text.replaceAll(FORMULA, "$1'");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};

/** Whoever has one of these can enroll, or prove a certificate authority, in place of its owner. A file goes further than its reader knows. */
const CREDENTIALS: ReadonlySet<string> = new Set(['token', 'jwt', 'enrollmentJwt', 'enrollmentToken', 'verificationToken']);

/** The outstanding enrollments of an identity, by method, without their tokens. */
const enrollmentsIn = (enrollment: unknown): object =>
  Object.fromEntries(Object.entries(Object(enrollment)).map(([method, each]) => [method, isObject(each) ? exportedOf(each) : each]));

/** The exported fields of an entity: neither links nor credentials. */
const exportedOf = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      name === '_links' || CREDENTIALS.has(name) ? [] : [[name, name === 'enrollment' ? enrollmentsIn(value) : value] as const],
    ),
  );

/** RFC 4180, with a heading of the names of the fields. */
const csvOf = (entities: readonly Fields[]): string => {
  const columns = [...new Set(entities.flatMap(Object.keys))];
  const rows = entities.map((entity) => columns.map((column) => entity[column]));
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
};

export const textOfFile = (format: Format, entities: readonly Fields[]): string => {
  const exported = entities.map(exportedOf);
  return format === 'csv' ? csvOf(exported) : `${JSON.stringify(exported, null, 2)}\n`;
};
