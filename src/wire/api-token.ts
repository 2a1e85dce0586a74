/**
 * The text of an API token: a prefix by which scanners find leaked tokens, the id of the token, a secret, and a checksum, so that scanners have no false
 * alarms and mistyped tokens cost no query. `oct_` stands for "overlay controller token".
 */
import { BASE_62 } from './base62.ts';
import { crc32 } from './crc32.ts';

const PREFIX = 'oct_';
/** Characters of the id and of the secret, about 131 random bits each. */
const PART = 22;
/** Enough for 32 bits in base 62. */
const CHECKSUM = 6;
const FORM = new RegExp(`^${PREFIX}([0-9A-Za-z]{${PART}})[0-9A-Za-z]{${PART + CHECKSUM}}$`);
const BEARER = new RegExp(`^bearer +(${PREFIX}.*)$`, 'i');

/** True if a text claims to be an API token. */
export const isApiToken = (text: string): boolean => text.startsWith(PREFIX);

/** The API token in a header `Authorization` that contains nothing else (RFC 6750, 2.1). */
export const bearerApiToken = (authorization: string | undefined): string | undefined => BEARER.exec(authorization ?? '')?.[1]?.trimEnd();

/** @param id, secret 22 characters of base 62 each */
export const apiTokenOf = (id: string, secret: string): string => {
  const text = `${PREFIX}${id}${secret}`;
  return `${text}${checksumOf(text)}`;
};

/** The id in an API token; undefined for any other text, and for a wrong checksum. */
export const idInApiToken = (text: string): string | undefined => {
  const [, id] = FORM.exec(text) ?? [];
  return id !== undefined && checksumOf(text.slice(0, -CHECKSUM)) === text.slice(-CHECKSUM) ? id : undefined;
};

/** The CRC-32 of the text in base 62, padded with zeros. */
const checksumOf = (text: string): string => {
  let digits = '';
  for (let rest = crc32(new TextEncoder().encode(text)); digits.length < CHECKSUM; rest = Math.floor(rest / 62))
    digits = BASE_62[rest % 62] + digits;
  return digits;
};
