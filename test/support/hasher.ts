import type { PasswordHasher } from '../../src/platform/platform.ts';
import { fastPasswordHasher } from '../../src/platform/testing.ts';

/** A hasher that counts the work that it was given. */
export const countingHasher = (): PasswordHasher & { readonly counts: { hashed: number; verified: number } } => {
  const hasher = fastPasswordHasher();
  const counts = { hashed: 0, verified: 0 };
  return {
    counts,
    hash: (password) => {
      counts.hashed++;
      return hasher.hash(password);
    },
    verify: (password, hash) => {
      counts.verified++;
      return hasher.verify(password, hash);
    },
    isOutdated: hasher.isOutdated,
  };
};
