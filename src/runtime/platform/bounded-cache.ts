import { LRUCache } from 'lru-cache';

/**
 * An LRU cache whose memory grows with its entries. The option `max` of `LRUCache` would instead allocate all slots in advance, for each
 * controller of a process.
 * @param entries maximum number of entries
 */
export const boundedCache = <K extends {}, V extends {}>(entries: number): LRUCache<K, V> =>
  new LRUCache({ maxSize: entries, sizeCalculation: () => 1 });

/**
 * An LRU cache keyed by text. Texts longer than `characters` are not cached.
 * @param entries maximum number of entries. A text shorter than the average (`characters / entries`) counts as one of average length
 * @param characters maximum total length of the texts
 */
export const boundedTextCache = <V extends {}>({ entries, characters }: { entries: number; characters: number }): LRUCache<string, V> => {
  const average = Math.ceil(characters / entries);
  return new LRUCache({ maxSize: characters, sizeCalculation: (_, text) => Math.max(text.length, average) });
};
