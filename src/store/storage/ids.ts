import { BASE_62 } from '../../contract/wire/base62.ts';
import type { Random } from '../../runtime/platform/platform.ts';

const LENGTH = 22;

/** Generates an id of 22 characters of `0-9A-Za-z`, about 131 random bits. It is safe in URLs, filters and file names. */
export const newId = (random: Random): string => {
  let id = '';
  while (id.length < LENGTH) {
    for (const byte of random.bytes(LENGTH + 4)) {
      // 248 is the largest multiple of 62 up to 256. Accepting larger bytes would favour the first characters.
      if (byte < 248 && id.length < LENGTH) id += BASE_62[byte % 62];
    }
  }
  return id;
};
