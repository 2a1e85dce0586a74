import type { Store } from '../../../src/store/storage/port.ts';
import { questions } from '../../conformance/storage/questions.ts';
import { sets } from '../../conformance/storage/sets.ts';
import { writes } from '../../conformance/storage/writes.ts';
import type { Sentences, StorageUnderTest, TestDatabase } from '../../conformance/storage.suite.ts';

/** The host decides whether a transaction is one to write in. */
const { 'reading is no time to write': _, ...writing } = writes;

/** What a store is asked that has no transactions of its own. */
export const anywhere: Sentences = { ...writing, ...sets, ...questions };

/** A store that does everything in transactions of the host. */
const joinedTo = (store: Store, { hostTransaction }: TestDatabase): Store => ({
  async transaction(_mode, work) {
    const results: Awaited<ReturnType<typeof work>>[] = [];
    await hostTransaction(async (host) => void results.push(await work(store.join(host))));
    return results[0] as (typeof results)[0]; // a transaction that was committed has done its work
  },
  join: (host) => store.join(host),
  close: () => store.close(),
});

/** The same databases, whose stores do everything in transactions of the host. */
export const inHostTransactions = ({ open, ...tested }: StorageUnderTest): StorageUnderTest => ({
  ...tested,
  name: `${tested.name}: all that a store does`,
  async open(schema) {
    const database = await open(schema);
    const adapter: TestDatabase['adapter'] = (namespace) => ({
      open: async (kinds) => joinedTo(await database.adapter(namespace).open(kinds), database),
    });
    return { ...database, adapter, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  },
});
