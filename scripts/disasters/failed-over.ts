/** The primary of a highly available PostgreSQL is killed while three controllers write; `npm run try:failover` does more of it. */
import { startCluster } from '../try-databases/cluster.ts';
import { steps } from '../try-databases/fail-overs.ts';
import { startWriters } from '../try-databases/writers.ts';
import { type Disaster, missingPrograms, outcomeOf } from './trial.ts';

const STEPS = ['the leader is switched over', 'the leader is killed, with its agent'] as const;

export const postgresFailedOver: Disaster = {
  missing: () => missingPrograms('patroni', 'etcd', 'haproxy', 'pgbouncer', 'openssl', 'setpriv'),
  async rehearse({ folder, processes, start, after }) {
    const cluster = await startCluster(folder, processes);
    after(() => {
      for (const node of cluster.nodes) node.signal('SIGKILL');
    });
    await cluster.settled();
    const controllers = [];
    for (const [way, storage] of Object.entries(cluster.ways)) controllers.push(await start(way, { storage }));
    const writers = startWriters(controllers);
    for (const name of STEPS) await steps[name]?.({ folder, processes, cluster, controllers, writers });
    return outcomeOf('a switch-over, and a kill of the primary', writers, controllers);
  },
};
