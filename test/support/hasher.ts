import type { PasswordHasher } from '../../src/runtime/platform/platform.ts';
import { fastPasswordHasher } from '../../src/runtime/platform/testing.ts';

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

/** A hasher whose comparisons wait until they are let go on, so that a test decides when a login ends. */
export const heldHasher = () => {
  const hasher = countingHasher();
  const waiting: (() => void)[] = [];
  let isHeld = false;
  return {
    ...hasher,
    verify: async (password: string, hash: string) => {
      if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
      return hasher.verify(password, hash);
    },
    /** From now on comparisons wait. */
    hold: () => {
      isHeld = true;
    },
    /** How many comparisons wait. */
    held: () => waiting.length,
    /** Lets those go on that wait, and all that come. */
    release: () => {
      isHeld = false;
      for (const go of waiting.splice(0)) go();
    },
    /** Lets the one go on that waits longest. */
    releaseOne: () => waiting.shift()?.(),
  };
};
