import { BASE_62 } from '../platform/base62.ts';
import type { Random } from '../platform/platform.ts';

const LENGTH = 10;

/**
 * Creates request ids: ten characters of `0-9A-Za-z`. Random bytes are fetched in bulk, because ten of them cost as much as a thousand. The ids only
 * have to be unique, so the slight bias from the remainder does not matter.
 */
export const requestIds = (random: Random): (() => string) => {
  let pool = new Uint8Array(0);
  let at = 0;
  return () => {
    if (at + LENGTH > pool.length) {
      pool = new Uint8Array(random.bytes(LENGTH * 100));
      at = 0;
    }
    let id = '';
    for (const end = at + LENGTH; at < end; at++) id += BASE_62[(pool[at] ?? 0) % BASE_62.length];
    return id;
  };
};
