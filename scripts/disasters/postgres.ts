/** Two controllers write while their PostgreSQL server is killed, paused, or no longer answers over the network. */
import { setTimeout as pause } from 'node:timers/promises';
import { silentProxy } from '../../test/support/silent-proxy.ts';
import { findBinaries, type PostgresServer, startPostgres } from '../postgres.ts';
import { startWriters } from '../try-databases/writers.ts';
import { type Disaster, outcomeOf } from './trial.ts';

interface Database {
  readonly server: PostgresServer;
  readonly network: Awaited<ReturnType<typeof silentProxy>>;
}

/**
 * A disaster that happens to a database again and again.
 * @param occurrences what the outcome counts, such as `kills of PostgreSQL`
 * @param happen lasts from the beginning of the disaster until the database can be used again
 */
const recurring = (occurrences: string, happen: (database: Database) => Promise<void>): Disaster => ({
  missing: () => (findBinaries() ? undefined : 'postgresql not installed'),
  async rehearse({ durationMs, start }) {
    await using server = await startPostgres();
    const url = new URL(server.url);
    await using network = await silentProxy(Number(url.port));
    url.port = String(network.port);
    const controllers = [await start('one', { storage: url.href }), await start('two', { storage: url.href })];
    const writers = startWriters(controllers);
    let count = 0;
    for (const end = Date.now() + durationMs; Date.now() < end; count++) {
      await writers.firstSince(Date.now());
      await pause(Math.random() * 1000);
      await happen({ server, network });
    }
    await writers.firstSince(Date.now());
    return await outcomeOf(`${count} ${occurrences}`, writers, controllers);
  },
});

/** Waits for as long as a person or a supervisor might need to repair something. */
const awhile = () => pause(500 + Math.random() * 3000);

export const postgresKilled = recurring('kills of PostgreSQL', async ({ server }) => {
  server.signal('SIGKILL');
  await awhile();
  server.start();
});

export const postgresPaused = recurring('times PostgreSQL was paused', async ({ server }) => {
  server.signal('SIGSTOP');
  await awhile();
  server.signal('SIGCONT');
});

export const postgresSilent = recurring('times the network to PostgreSQL was silent', async ({ network }) => {
  network.fallSilent();
  await awhile();
  network.recover();
});
