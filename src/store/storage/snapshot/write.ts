/**
 * A snapshot is text with one JSON object per line (NDJSON): a head, then the rows of one kind after another, then an end with the number
 * of rows and the SHA-256 of all previous lines. It contains the rows of one namespace, independently of how a store represents them.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { idAfter } from '../../../query/index.ts';
import { inBatches } from '../../../runtime/concurrency/event-loop.ts';
import type { Row, Transaction } from '../port.ts';

export const FORMAT = 1;

export interface SnapshotHead {
  readonly snapshot: 'overlay-controller';
  /** Increased when older versions can no longer read the format. */
  readonly format: number;
  readonly id: string;
  /** Time of the snapshot, as ISO text. */
  readonly takenAt: string;
  /** Name and version of the software that took it. */
  readonly software: string;
  /** The last revision that it contains; 0 if none. */
  readonly revision: number;
}

export interface SnapshotLine {
  readonly kind: string;
  readonly row: Row;
}

export interface SnapshotEnd {
  readonly rows: number;
  readonly sha256: string;
}

/** Maximum number of rows in memory at a time. */
const PAGE_ROWS = 100;
/** Approximate number of characters per part. The consumer yields to the event loop between parts. */
const PART_LENGTH = 262_144;

/**
 * Generates a snapshot in parts of several lines.
 * @param tx a read transaction. Concurrent writes are not included
 */
export async function* snapshotOf(tx: Transaction, kinds: readonly string[], head: SnapshotHead): AsyncGenerator<string> {
  const digest = sha256.create();
  const hashed = (lines: string) => {
    digest.update(utf8ToBytes(lines));
    return lines;
  };
  let rows = 0;
  yield hashed(lineOf(head));
  for (const kind of kinds) {
    for await (const page of pagesOf(tx, kind)) {
      rows += page.length;
      for (const lines of inBatches(linesOf(kind, page), (line) => line.length, PART_LENGTH)) yield hashed(lines.join(''));
    }
  }
  yield lineOf({ rows, sha256: bytesToHex(digest.digest()) });
}

async function* pagesOf(tx: Transaction, kind: string): AsyncGenerator<readonly Row[]> {
  for (let after: string | undefined; ; ) {
    const page = await tx.list(kind, { where: idAfter(after), limit: PAGE_ROWS });
    const last = page.at(-1);
    if (last) yield page;
    if (last === undefined || page.length < PAGE_ROWS) return;
    after = last.id;
  }
}

function* linesOf(kind: string, page: readonly Row[]): Generator<string> {
  for (const row of page) yield lineOf({ kind, row });
}

const lineOf = (line: SnapshotHead | SnapshotLine | SnapshotEnd): string => `${JSON.stringify(line)}\n`;
