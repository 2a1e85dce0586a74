import type { HttpOutput } from '../../contract/api/surfaces/http-output.ts';
import { csvLine } from '../../contract/wire/csv.ts';
import { CSV_TYPE, LINES_TYPE } from '../../contract/wire/media-types.ts';

type Item = Readonly<Record<string, unknown>>;

/**
 * Items as a file: one JSON object per line, or CSV with ids and names in columns of their own.
 * @param properties those of an item, in the order of the columns
 */
export const exported = (
  format: 'lines' | 'csv' | undefined,
  properties: readonly string[],
  chunks: AsyncIterable<readonly Item[]>,
): HttpOutput =>
  format === 'csv' ? { contentType: CSV_TYPE, body: csvOf(properties, chunks) } : { contentType: LINES_TYPE, body: linesOf(chunks) };

async function* linesOf(chunks: AsyncIterable<readonly Item[]>): AsyncGenerator<string, void, undefined> {
  for await (const items of chunks) yield items.map((item) => `${JSON.stringify(item)}\n`).join('');
}

async function* csvOf(properties: readonly string[], chunks: AsyncIterable<readonly Item[]>): AsyncGenerator<string, void, undefined> {
  yield csvLine(properties.flatMap((name) => (REFERENCES.has(name) ? [`${name}Id`, name] : [name])));
  for await (const items of chunks) yield items.map((item) => csvLine(properties.flatMap((name) => cellsOf(name, item[name])))).join('');
}

/** The cells of a property: of a reference, its id and its name. */
const cellsOf = (name: string, value: unknown): readonly unknown[] => {
  if (!REFERENCES.has(name)) return [value];
  const { id = null } = (value ?? {}) as { readonly id?: string }; // a named entity, or null
  return [id, value];
};

const REFERENCES: ReadonlySet<string> = new Set(['identity', 'service', 'router']);
