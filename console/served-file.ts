import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { CoreAnswer, CoreRequest } from '../src/index.ts';
import { gzipped, prefersGzip } from './compression.ts';

/** A file of the console, encoded once for all requests. */
export interface ServedFile {
  readonly type: string;
  readonly plain: Representation;
  /** Undefined where the host cannot compress. */
  readonly gzip: Representation | undefined;
}

interface Representation {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/** @param type the media type @param content a text is compressed, bytes are served as they are */
export const createServedFile = async (type: string, content: string | Uint8Array): Promise<ServedFile> => {
  const bytes = Uint8Array.from(typeof content === 'string' ? utf8ToBytes(content) : content);
  const compressed = typeof content === 'string' ? await gzipped(bytes) : undefined;
  return { type, plain: representationOf(bytes), gzip: compressed && representationOf(compressed) };
};

const representationOf = (bytes: Uint8Array): Representation => ({ bytes, etag: `"${bytesToHex(sha256(bytes).slice(0, 12))}"` });

/** Responds with a file, or with 304 if the client has it. */
export const sendFile = (request: CoreRequest, { type, plain, gzip }: ServedFile, common: CoreAnswer['headers']): CoreAnswer => {
  const compressed = prefersGzip(request.header('accept-encoding')) ? gzip : undefined;
  const { bytes, etag } = compressed ?? plain;
  const headers = { ...common, etag, vary: 'accept-encoding' };
  // Proxies that compress a response weaken its entity tag.
  const cachedTags = (request.header('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (cachedTags.includes(etag)) return { status: 304, headers, body: '' };
  const encoding = compressed ? { 'content-encoding': 'gzip' } : {};
  return { status: 200, headers: { ...headers, ...encoding, 'content-type': type }, body: bytes };
};
