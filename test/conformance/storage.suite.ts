/**
 * What every store must do, as sentences about the storage port. An adapter's test is a call of `storageSuite`; what an
 * engine cannot do stands there as data, with the reason.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StorageAdapter, StorageSchema, Store } from '../../src/store/storage/port.ts';
import { isolation } from './storage/isolation.ts';
import { joining } from './storage/joining.ts';
import { many } from './storage/many.ts';
import { priorities } from './storage/priorities.ts';
import { questions } from './storage/questions.ts';
import { schema } from './storage/sample.ts';
import { sets } from './storage/sets.ts';
import { sharedCommits } from './storage/sharing.ts';
import { repairing, verifying } from './storage/verifying.ts';
import { writes } from './storage/writes.ts';

export interface StorageUnderTest {
  readonly name: string;
  /** Makes a new and empty database with room for these kinds. */
  readonly open: (schema: StorageSchema) => Promise<TestDatabase>;
  readonly skip?: readonly Skip[];
}

export interface Skip {
  readonly test: string;
  readonly reason: string;
}

export interface TestDatabase extends AsyncDisposable {
  /** An adapter that reaches this database; every call gives another one, as in another process. */
  adapter(namespace?: string): StorageAdapter;
  /** Runs `work` in a transaction of the host's own: committed when it resolves, rolled back when it rejects. */
  hostTransaction(work: (host: unknown) => Promise<void>): Promise<void>;
  /** Runs a statement of SQL behind the back of the stores, for those whose tables can be reached. */
  tamper?(statement: string): Promise<void>;
}

/** Sentence to proof. Each proof gets a store of its own that is open and empty. */
export type Sentences = Readonly<Record<string, (store: Store, database: TestDatabase) => Promise<void>>>;

/** What depends on how an adapter comes by its connections; all else is statements, the same on any of them. */
export const ofConnections: Sentences = { ...writes, ...isolation, ...sharedCommits, ...priorities, ...joining };
const all: Sentences = { ...ofConnections, ...questions, ...sets, ...many, ...verifying, ...repairing };

export const storageSuite = ({ name, open, skip = [] }: StorageUnderTest, sentences = all): void => {
  describe(`storage port: ${name}`, () => {
    for (const [sentence, prove] of Object.entries(sentences)) {
      const reason = skip.find((skipped) => skipped.test === sentence)?.reason;
      test(sentence, reason === undefined ? {} : { skip: reason }, async () => {
        await using database = await open(schema);
        const store = await database.adapter().open(schema);
        await prove(store, database);
        await store.close();
      });
    }

    test('every skipped sentence is one of the suite', () => {
      assert.deepEqual(
        skip.filter((skipped) => !(skipped.test in sentences)),
        [],
      );
    });
  });
};
