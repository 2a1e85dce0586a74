/** Databases of a third engine. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { kyselyStorage } from '../../../adapters/storage/kysely/index.ts';
import type { StorageUnderTest } from '../../conformance/storage.suite.ts';
import { ownDialect, ownEngine } from './own-engine.ts';
import { migrationsThrough } from './support.ts';

/** Every adapter has a connection of its own, as if it were in another process. */
export const own: StorageUnderTest = {
  name: "an engine of one's own",
  async open(schema) {
    const folder = await mkdtemp(join(tmpdir(), 'overlay-'));
    const dialect = () => ownDialect(join(folder, 'own.db'));
    const host = new Kysely<unknown>({ dialect: dialect() });
    const options = { engine: ownEngine, migrate: true, migrations: migrationsThrough(schema) };
    return {
      adapter: (namespace = 'default') => kyselyStorage({ ...options, dialect: dialect(), namespace }),
      hostTransaction: (work) => host.transaction().execute(work),
      tamper: async (statement) => void (await sql.raw(statement).execute(host)),
      async [Symbol.asyncDispose]() {
        await host.destroy();
        await rm(folder, { recursive: true });
      },
    };
  },
};
