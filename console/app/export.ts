/** Entities as a file: CSV for spreadsheets, JSON for programs. */
import { csvLine } from '../../src/contract/wire/csv.ts';
import { withoutCredentials } from './credentials.ts';

/** Entities in one file; a filter selects fewer. */
export const MAX_EXPORT = 10_000;

export const MEDIA_TYPES = { csv: 'text/csv;charset=utf-8', json: 'application/json' } as const;

export type Format = keyof typeof MEDIA_TYPES;

type Fields = Readonly<Record<string, unknown>>;

/** RFC 4180, with a heading of the names of the fields. */
const csvOf = (entities: readonly Fields[]): string => {
  const columns = [...new Set(entities.flatMap(Object.keys))];
  const rows = entities.map((entity) => columns.map((column) => entity[column]));
  return [columns, ...rows].map(csvLine).join('');
};

export const textOfFile = (format: Format, entities: readonly Fields[]): string => {
  const exported = entities.map(withoutCredentials);
  return format === 'csv' ? csvOf(exported) : `${JSON.stringify(exported, null, 2)}\n`;
};
