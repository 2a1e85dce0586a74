/**
 * The format of API tokens: a prefix by which scanners find leaked tokens, the id of the token, a secret, and a checksum. The checksum
 * prevents false positives of scanners, and queries for mistyped tokens. `oct_` stands for "overlay controller token".
 */
import { BASE_62 } from './base62.ts';
import { crc32 } from './crc32.ts';

const PREFIX = 'oct_';
/** Length of the id and of the secret, in characters: about 131 random bits each. */
const PART_LENGTH = 22;
/** Length of the checksum, in characters: enough for 32 bits in base 62. */
const CHECKSUM_LENGTH = 6;
const FORMAT = new RegExp(`^${PREFIX}([0-9A-Za-z]{${PART_LENGTH}})[0-9A-Za-z]{${PART_LENGTH + CHECKSUM_LENGTH}}$`);
const BEARER = new RegExp(`^bearer +(${PREFIX}.*)$`, 'i');

/** True if a text has the prefix of an API token. */
export const isApiToken = (text: string): boolean => text.startsWith(PREFIX);

/** The API token in a header `Authorization: Bearer` (RFC 6750, 2.1); undefined if the header is missing or contains anything else. */
export const bearerApiToken = (authorization: string | undefined): string | undefined => BEARER.exec(authorization ?? '')?.[1]?.trimEnd();

/**
 * Builds an API token.
 * @param id, secret 22 characters of base 62 each
 */
export const apiTokenOf = (id: string, secret: string): string => {
  const text = `${PREFIX}${id}${secret}`;
  return `${text}${checksumOf(text)}`;
};

/** The id in an API token; undefined for any other text, and for a wrong checksum. */
export const idInApiToken = (text: string): string | undefined => {
  const [, id] = FORMAT.exec(text) ?? [];
  return id !== undefined && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH) ? id : undefined;
};

/** The CRC-32 of the text in base 62, padded with zeros. */
const checksumOf = (text: string): string => {
  let digits = '';
  let quotient = crc32(new TextEncoder().encode(text));
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE_62[quotient % 62] + digits;
    quotient = Math.floor(quotient / 62);
  }
  return digits;
};
