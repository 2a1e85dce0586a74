/**
 * A store in memory.
 * @module overlay-controller/storage/memory
 */
export { MemoryHostTransaction } from './database.ts';
export { type MemoryDatabase, type MemoryStorage, type MemoryStorageOptions, memoryDatabase, memoryStorage } from './store.ts';
