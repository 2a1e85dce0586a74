import { isEqual, toBytes } from './password-hasher.ts';
import { fromBase64, toBase64 } from './phc.ts';
import type { PasswordHasher } from './platform.ts';
import { webRandom } from './web.ts';

const ROUNDS = 10;
const FORMAT = /^\$test\$i=([1-9][0-9]{0,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

/**
 * For tests only: a `PasswordHasher` with the contract of the real ones but none of their strength, about a thousand times as fast.
 * The real hashers cannot read its hashes (`$test$i=10$<salt>$<tag>`, PBKDF2 with SHA-256 and ten rounds), and it cannot read theirs.
 *
 * ```ts
 * const platform = webPlatform({ passwords: fastPasswordHasher() });
 * ```
 * @param rounds Default 10, at most 999; hashes made with fewer than this are outdated.
 */
export const fastPasswordHasher = (rounds = ROUNDS): PasswordHasher => ({
  hash: async (password) => {
    const salt = webRandom.bytes(16);
    return `$test$i=${rounds}$${toBase64(salt)}$${toBase64(await derive(password, salt, rounds))}`;
  },
  verify: async (password, hash) => {
    const parsed = parse(hash);
    return parsed !== undefined && isEqual(await derive(password, parsed.salt, parsed.rounds), parsed.tag);
  },
  isOutdated: (hash) => (parse(hash)?.rounds ?? 0) < rounds,
});

const parse = (hash: string) => {
  const [, rounds, salt, tag] = FORMAT.exec(hash) ?? [];
  const bytes = { salt: fromBase64(salt ?? ''), tag: fromBase64(tag ?? '') };
  return rounds === undefined || !bytes.salt || !bytes.tag ? undefined : { rounds: Number(rounds), salt: bytes.salt, tag: bytes.tag };
};

const derive = async (password: string, salt: Uint8Array, iterations: number): Promise<Uint8Array> => {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(toBytes(password)), 'PBKDF2', false, ['deriveBits']);
  return new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt: new Uint8Array(salt), iterations }, key, 256),
  );
};
