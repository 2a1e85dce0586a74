import { type MemoryHostTransaction, memoryDatabase, memoryStorage } from '../../adapters/storage/memory/index.ts';
import { filterSuite } from './filter.suite.ts';
import { pastSuite } from './past.suite.ts';
import { repairing } from './storage/verifying.ts';
import { type StorageUnderTest, storageSuite } from './storage.suite.ts';

const memory: StorageUnderTest = {
  name: 'memory',
  skip: Object.keys(repairing).map((test) => ({
    test,
    reason: 'a table is one value with its indexes: nobody can change one and not the other',
  })),
  async open() {
    const database = memoryDatabase();
    return {
      adapter: (namespace) => memoryStorage({ database, ...(namespace === undefined ? {} : { namespace }) }),
      async hostTransaction(work) {
        const host: MemoryHostTransaction = await database.begin();
        try {
          await work(host);
          host.commit();
        } catch (error) {
          host.rollback();
          throw error;
        }
      },
      async [Symbol.asyncDispose]() {},
    };
  },
};

storageSuite(memory);
pastSuite(memory);
filterSuite(memory);
