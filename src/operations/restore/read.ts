import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import * as z from 'zod';
import { JSON_LIMITS, type JsonLimits } from '../../call/json.ts';
import { timestamp } from '../../contract/api/kit/index.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { parseJson } from '../../http/body.ts';
import { FORMAT, type SnapshotHead } from '../../store/storage/snapshot/write.ts';
import { linesOf, refusedAt } from './lines.ts';

type Values = Readonly<Record<string, unknown>>;

/** A row of a snapshot, not yet validated. */
export interface RowLine {
  readonly number: number;
  readonly kind: string;
  readonly row: Values;
}

/** The end of a snapshot. */
export interface EndLine {
  readonly number: number;
  readonly rows: number;
}

/** Maximum revision of a snapshot. No network reaches it, and as many revisions again remain before numbers lose precision. */
const MAX_REVISION = 2 ** 52;

/** A change record holds an entity twice, and many requests may have contributed to an entity. */
const LINE_LIMITS: JsonLimits = { name: 'it', depth: JSON_LIMITS.depth + 8, values: 1_000_000, keys: 1_000_000 };

/**
 * Reads a snapshot and checks its form: the first line must be a header, and the last one a footer. The caller validates the content of the
 * rows.
 * @throws SnapshotRefused with the line number
 */
export async function* readSnapshot(parts: AsyncIterable<string | Uint8Array>): AsyncGenerator<SnapshotHead | RowLine | EndLine> {
  const digest = sha256.create();
  let last = 0;
  let end: EndLine | undefined;
  for await (const { number, bytes } of linesOf(parts)) {
    last = number;
    if (end) throw refusedAt(number, 'content follows after the end of the snapshot');
    const value = objectIn(bytes, number);
    if (number === 1) yield headOf(value);
    else if ('sha256' in value) {
      end = { number, rows: number - 2 };
      if (value.rows !== end.rows || value.sha256 !== bytesToHex(digest.digest()))
        throw refusedAt(number, 'lines are missing or were changed');
      yield end;
      continue;
    } else yield rowOf(value, number);
    digest.update(bytes).update(NEWLINE);
  }
  if (!end) throw refusedAt(last + 1, 'the snapshot is truncated');
}

const NEWLINE = Uint8Array.of(0x0a);

const head = z.object({
  snapshot: z.literal('overlay-controller'),
  format: z.literal(FORMAT),
  id: z.string(),
  takenAt: timestamp,
  software: z.string(),
  revision: z.int().min(0).max(MAX_REVISION),
});

const headOf = (value: Values): SnapshotHead => {
  if (value.snapshot !== 'overlay-controller') throw refusedAt(1, 'this is not the header of a snapshot');
  if (value.format !== FORMAT)
    throw refusedAt(
      1,
      `it has format ${JSON.stringify(value.format)}, and this version reads ${FORMAT}: use the version that took it, or a newer one`,
    );
  const { data, error } = head.safeParse(value);
  if (data) return data;
  throw refusedAt(1, `it has no valid ${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`);
};

const rowOf = ({ kind, row, ...more }: Values, number: number): RowLine => {
  if (typeof kind !== 'string' || !isObject(row) || Object.keys(more).length > 0) throw refusedAt(number, 'this is not a row of a kind');
  return { number, kind, row };
};

const objectIn = (line: Uint8Array, number: number): Values => {
  let value: unknown;
  try {
    value = parseJson(line, LINE_LIMITS);
  } catch (error) {
    throw error instanceof ApiError ? refusedAt(number, error.message) : error;
  }
  if (isObject(value)) return value;
  throw refusedAt(number, 'it is not a JSON object');
};

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);
