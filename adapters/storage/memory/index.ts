export { MemoryHostTransaction } from './database.ts';
export { type MemoryDatabase, memoryDatabase, type MemoryStorage, type MemoryStorageOptions, memoryStorage } from './store.ts';
