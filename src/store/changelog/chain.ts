/**
 * The hash chain of the change log. Each record contains the SHA-256 of its own content and that of the previous record, so that changing,
 * removing or inserting a record changes the hashes of all later records.
 */
import { sha256Hex } from '../../crypto/sha256.ts';
import type { Row } from '../storage/port.ts';

/** The fields of a record that link it to the log. They are hashed with its content. */
export interface ChainLink {
  readonly endsAt: unknown;
  readonly oldest: unknown;
  readonly oldestBeginsAt: unknown;
  /** Undefined in records of earlier releases. */
  readonly others?: unknown;
  readonly reserve?: unknown;
  /** The hash of the previous record; null for the first record of a log. */
  readonly previousHash: unknown;
}

const utf8 = new TextEncoder();

/** The fields of a record that are hashed, without those of its link: neither id nor version. */
export type RecordContent = Readonly<Record<string, unknown>> & Pick<Row, 'createdAt' | 'updatedAt'>;

/**
 * Serializes the content of a record as UTF-8. The fields that every row has come first, because a store may keep them separately from the
 * document, in which the order of all other fields is preserved.
 */
export const contentBytes = ({ createdAt, updatedAt, ...fields }: RecordContent): Uint8Array =>
  utf8.encode(JSON.stringify([createdAt, updatedAt, fields]));

/**
 * SHA-256 of a record, in hex.
 * @param content `contentBytes` of the record without its link
 */
export const chainHash = (content: Uint8Array, { previousHash, endsAt, oldest, oldestBeginsAt, ...added }: ChainLink): string =>
  sha256Hex(concat(content, utf8.encode(JSON.stringify([previousHash, endsAt, oldest, oldestBeginsAt, ...laterFields(added)]))));

const concat = (first: Uint8Array, second: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
};

/** The fields that earlier releases did not hash. */
const laterFields = ({ others, reserve = null }: Pick<ChainLink, 'others' | 'reserve'>): readonly unknown[] =>
  others === undefined ? [] : [others, reserve];

const splitLink = (row: Row) => {
  const { id: _id, version: _version, hash: _hash, endsAt, oldest, oldestBeginsAt, others, reserve, previousHash, ...fields } = row;
  return { fields, link: { endsAt, oldest, oldestBeginsAt, others, reserve, previousHash } };
};

/** Computes the hash of a record from its content. */
export const hashOfRecord = (row: Row): string => {
  const { fields, link } = splitLink(row);
  return chainHash(contentBytes(fields), link);
};

/** The size of a record in bytes, as counted in the extent of the log. */
export const contentSize = (row: Row): number => contentBytes(splitLink(row).fields).length;

/**
 * The hash to which the next record refers: that of the record or, if an earlier release wrote the record without a hash, the hash that it
 * would have.
 */
export const hashAfter = (row: Row): string => (typeof row.hash === 'string' ? row.hash : hashOfRecord(row));

/**
 * Adds a record to a hash over the hashes of several records, in order.
 * @param folded the hash of the previous ones; empty for none
 */
export const foldHash = (folded: string, row: Row): string => sha256Hex(`${folded} ${hashAfter(row)}`);
