import { decodeUnpaddedBase64, encodeUnpaddedBase64 } from './base64.ts';
import { isEqual, toBytes } from './password-hasher.ts';
import type { PasswordHasher } from './platform.ts';
import { webRandom } from './web.ts';

const ROUNDS = 10;
const FORMAT = /^\$test\$i=([1-9][0-9]{0,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

/**
 * A `PasswordHasher` for tests only: it has the same contract as the real hashers, but is weak, and about a thousand times as fast.
 * The real hashers cannot verify its hashes (`$test$i=10$<salt>$<tag>`, PBKDF2 with SHA-256 and ten rounds), and vice versa.
 *
 * ```ts
 * const platform = webPlatform({ passwords: fastPasswordHasher() });
 * ```
 * @param rounds number of rounds, at most 999. Hashes with fewer rounds are outdated. Default: 10
 */
export const fastPasswordHasher = (rounds = ROUNDS): PasswordHasher => ({
  hash: async (password) => {
    const salt = webRandom.bytes(16);
    return `$test$i=${rounds}$${encodeUnpaddedBase64(salt)}$${encodeUnpaddedBase64(await derive(password, salt, rounds))}`;
  },
  verify: async (password, hash) => {
    const parsed = parse(hash);
    return parsed !== undefined && isEqual(await derive(password, parsed.salt, parsed.rounds), parsed.tag);
  },
  isOutdated: (hash) => (parse(hash)?.rounds ?? 0) < rounds,
});

const parse = (hash: string) => {
  const [, rounds, salt, tag] = FORMAT.exec(hash) ?? [];
  const bytes = { salt: decodeUnpaddedBase64(salt ?? ''), tag: decodeUnpaddedBase64(tag ?? '') };
  return rounds === undefined || !bytes.salt || !bytes.tag ? undefined : { rounds: Number(rounds), salt: bytes.salt, tag: bytes.tag };
};

const derive = async (password: string, salt: Uint8Array, iterations: number): Promise<Uint8Array> => {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(toBytes(password)), 'PBKDF2', false, ['deriveBits']);
  return new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt: new Uint8Array(salt), iterations }, key, 256),
  );
};
