import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { SnapshotRefused } from '../errors.ts';
import { FORMAT, type SnapshotEnd, type SnapshotHead, type SnapshotLine } from './write.ts';

/** Characters. No row is near as long: bodies of requests are much shorter. */
const LONGEST_LINE = 2 ** 26;

/**
 * Reads the lines of a snapshot and checks each: the first must be a head, and only the last completes it.
 * @throws SnapshotRefused with the number of the line
 */
export async function* readSnapshot(parts: AsyncIterable<string | Uint8Array>): AsyncGenerator<SnapshotHead | SnapshotLine> {
  const digest = sha256.create();
  let number = 0;
  let end: SnapshotEnd | undefined;
  for await (const line of linesOf(parts)) {
    number++;
    if (end) throw refused(number, 'there is more after its end');
    const value = objectIn(line, number);
    if (number === 1) yield head(value);
    else if ('sha256' in value) {
      const expected = { rows: number - 2, sha256: bytesToHex(digest.digest()) };
      if (value.rows !== expected.rows || value.sha256 !== expected.sha256) throw refused(number, 'lines are missing or were changed');
      end = expected;
      continue;
    } else yield row(value, number);
    digest.update(utf8ToBytes(`${line}\n`));
  }
  if (!end) throw refused(number, 'it ends too soon');
}

const head = (value: Readonly<Record<string, unknown>>): SnapshotHead => {
  if (value.snapshot !== 'overlay-controller') throw refused(1, 'that is not how a snapshot begins');
  if (value.format !== FORMAT)
    throw refused(
      1,
      `it has format ${JSON.stringify(value.format)}, and this version reads ${FORMAT}: use the version that took it, or a newer one`,
    );
  if (!isRevision(value.revision)) throw refused(1, 'it does not tell its revision');
  return value as unknown as SnapshotHead; // the other fields are for people
};

const row = ({ kind, row }: Readonly<Record<string, unknown>>, number: number): SnapshotLine => {
  const isRow =
    isObject(row) &&
    typeof row.id === 'string' &&
    isRevision(row.version) &&
    typeof row.createdAt === 'string' &&
    typeof row.updatedAt === 'string';
  if (typeof kind !== 'string' || !isRow) throw refused(number, 'that is no row of a kind');
  return { kind, row } as SnapshotLine; // just checked
};

const objectIn = (line: string, number: number): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw refused(number, 'that is no JSON object');
};

async function* linesOf(parts: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest = '';
  for await (const part of parts) {
    const lines = (rest + (typeof part === 'string' ? part : decoder.decode(part, { stream: true }))).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw new SnapshotRefused('the snapshot has a line that is too long');
    yield* lines;
  }
  if (rest + decoder.decode() !== '') throw new SnapshotRefused('the snapshot ends in the middle of a line');
}

const refused = (line: number, what: string): SnapshotRefused => new SnapshotRefused(`the snapshot cannot be read, line ${line}: ${what}`);
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isRevision = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
