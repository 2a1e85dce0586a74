/**
 * The hash chain of the change log. Each record has the SHA-256 of its own content, and that of the record before it, so that nobody can change, remove or
 * insert a record without changing the hashes of all later ones.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Row } from '../storage/port.ts';

/** What a record says about the log: it is hashed with the content of the record. */
export interface ChainLink {
  readonly endsAt: unknown;
  readonly oldest: unknown;
  readonly oldestBeginsAt: unknown;
  /** Undefined in records of earlier releases. */
  readonly others?: unknown;
  readonly reserve?: unknown;
  /** The hash of the record before; null for the first record of a log. */
  readonly previousHash: unknown;
}

const utf8 = new TextEncoder();

/** The fields of a record that are hashed, without those that number it and those of its link. */
export type RecordContent = Readonly<Record<string, unknown>> & Pick<Row, 'createdAt' | 'updatedAt'>;

/**
 * The content of a record in UTF-8. The fields that every row has come first, because a store may keep them beside the document; it keeps the order of all
 * others.
 */
export const contentBytes = ({ createdAt, updatedAt, ...fields }: RecordContent): Uint8Array =>
  utf8.encode(JSON.stringify([createdAt, updatedAt, fields]));

/** SHA-256 of a record, in hex. @param content `contentBytes` of the record without its link */
export const chainHash = (content: Uint8Array, { previousHash, endsAt, oldest, oldestBeginsAt, ...since }: ChainLink): string =>
  bytesToHex(
    sha256
      .create()
      .update(content)
      .update(utf8.encode(JSON.stringify([previousHash, endsAt, oldest, oldestBeginsAt, ...kept(since)])))
      .digest(),
  );

const kept = ({ others, reserve = null }: Pick<ChainLink, 'others' | 'reserve'>): readonly unknown[] =>
  others === undefined ? [] : [others, reserve];

const parted = (row: Row) => {
  const { id: _id, version: _version, hash: _hash, endsAt, oldest, oldestBeginsAt, others, reserve, previousHash, ...fields } = row;
  return { fields, link: { endsAt, oldest, oldestBeginsAt, others, reserve, previousHash } };
};

/** The hash of a record as its content requires it. */
export const hashOfRecord = (row: Row): string => {
  const { fields, link } = parted(row);
  return chainHash(contentBytes(fields), link);
};

/** Bytes of a record, as the extent of the log counts them. */
export const contentSize = (row: Row): number => contentBytes(parted(row).fields).length;

/** The hash to which the next record refers: the one of the record or, if an earlier release wrote it without one, the one that it would have. */
export const hashAfter = (row: Row): string => (typeof row.hash === 'string' ? row.hash : hashOfRecord(row));

/** A hash over the hashes of records, in order. @param before that of the records before; empty for none */
export const foldHash = (before: string, row: Row): string => bytesToHex(sha256(utf8.encode(`${before} ${hashAfter(row)}`)));
