import { BASE_62 } from '../platform/base62.ts';
import type { Random } from '../platform/platform.ts';

const LENGTH = 10;

/**
 * Makes request ids: ten characters of `0-9A-Za-z`. Random bytes are fetched many at a time, because asking for ten of them costs as much as for a thousand.
 * The ids only have to differ, so the slight preference of the first letters by the remainder does no harm.
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
