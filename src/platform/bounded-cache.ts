import { LRUCache } from 'lru-cache';

/**
 * A cache of the least recently used entries. Its memory grows with its entries: the option `max` of `LRUCache` would allocate all places at once, for each
 * controller of a process.
 * @param entries at most
 */
export const boundedCache = <K extends {}, V extends {}>(entries: number): LRUCache<K, V> =>
  new LRUCache({ maxSize: entries, sizeCalculation: () => 1 });

/**
 * The same kind of cache, keyed by text. Texts longer than `characters` are not cached.
 * @param entries at most, for which texts of less than average length count as one of that
 * @param characters of all texts together
 */
export const boundedTextCache = <V extends {}>({ entries, characters }: { entries: number; characters: number }): LRUCache<string, V> => {
  const average = Math.ceil(characters / entries);
  return new LRUCache({ maxSize: characters, sizeCalculation: (_, text) => Math.max(text.length, average) });
};
