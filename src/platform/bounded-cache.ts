import { LRUCache } from 'lru-cache';

/**
 * A cache of the least recently used entries. Its memory grows with its entries: the option `max` of `LRUCache` would allocate all places at once, for each
 * controller of a process.
 * @param entries at most
 */
export const boundedCache = <K extends {}, V extends {}>(entries: number): LRUCache<K, V> =>
  new LRUCache({ maxSize: entries, sizeCalculation: () => 1 });
