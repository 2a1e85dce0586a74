/**
 * Tests three controllers on a highly available PostgreSQL: `npm run try:failover`. Three servers under Patroni, with etcd, HAProxy and
 * PgBouncer; one controller connects to a list of hosts, one through HAProxy, one through PgBouncer. While they write, the leader is
 * switched over, killed, and stopped, and standbys fall behind. Compares what the controllers have acknowledged with what all of them see.
 * Prints measurements; exits with 1 if an acknowledged write is missing, or a controller does not go on within ten seconds. Needs
 * Debian's packages postgresql, patroni, etcd-server, haproxy and pgbouncer, and takes some five minutes.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, startCluster } from './try-databases/cluster.ts';
import { startController } from './try-databases/controllers.ts';
import { steps } from './try-databases/fail-overs.ts';
import { startWriters } from './try-databases/writers.ts';
import { createProcesses } from './try-routers/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'try-failover-'));
const processes = createProcesses(folder);
let cluster: Cluster | undefined;
const end = () => {
  for (const node of cluster?.nodes ?? []) node.signal('SIGKILL');
  processes.end();
  if (!process.exitCode) rmSync(folder, { recursive: true, force: true });
};
process.once('SIGINT', () => process.exit(1)).once('exit', end);
try {
  writeFileSync(join(folder, 'secret.key'), randomBytes(32).toString('base64'), { mode: 0o600 });
  cluster = await startCluster(folder, processes);
  await cluster.settled();
  const controllers = [];
  for (const [way, storage] of Object.entries(cluster.ways)) controllers.push(await startController(folder, processes, way, { storage }));
  const writers = startWriters(controllers);
  for (const [name, step] of Object.entries(steps)) {
    const measured = await step({ folder, processes, cluster, controllers, writers });
    console.log(`✔ ${name}${measured ? `: ${measured}` : ''}`);
  }
  await writers.end();
  for (const controller of controllers) assert.equal(controller.process.exitCode, null, `${controller.name} has ended`);
} catch (error) {
  console.error(error, `\nthe logs are in ${folder}`);
  process.exitCode = 1;
}
process.exit();
