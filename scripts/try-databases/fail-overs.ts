import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Processes } from '../try-routers/processes.ts';
import { until } from '../try-routers/until.ts';
import type { Cluster, DatabaseNode } from './cluster.ts';
import { type Controller, startController } from './controllers.ts';
import type { Writers } from './writers.ts';

export interface Trial {
  readonly folder: string;
  readonly processes: Processes;
  readonly cluster: Cluster;
  readonly controllers: readonly Controller[];
  readonly writers: Writers;
}

/** How long a controller may take to write again once there is a new leader. ms */
const LIMIT_MS = 10_000;

/** What the controllers do when the leader changes. @param change what happens to it */
const changeOfLeader = async (
  { cluster, controllers, writers }: Trial,
  change: (leader: DatabaseNode) => Promise<void> | void,
): Promise<string> => {
  await cluster.settled();
  const leader = await cluster.leader();
  const [began, refused] = [Date.now(), writers.refused];
  await change(leader);
  return afterChange({ cluster, controllers, writers }, leader, began, refused);
};

/** @param began when the leader was lost @param refusedBefore the number of refused writes at that time */
const afterChange = async (
  { cluster, controllers, writers }: Pick<Trial, 'cluster' | 'controllers' | 'writers'>,
  former: DatabaseNode,
  began: number,
  refusedBefore: number,
): Promise<string> => {
  await cluster.leader(former);
  const led = Date.now();
  const first = await writers.firstSince(led);
  const times = [...first].map(([name, ms]) => `${name} ${seconds(ms)}`).join(', ');
  assert.ok(
    [...first.values()].every((ms) => ms <= LIMIT_MS),
    `writes go on too late: ${times}`,
  );
  const refused = writers.refused - refusedBefore;
  const compared = await writers.check(controllers);
  return `a new leader after ${seconds(led - began)}, writes ${times} later; ${refused} refused, nothing of ${compared} identities lost`;
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export const steps: Readonly<Record<string, (trial: Trial) => Promise<string | undefined>>> = {
  'three controllers write, over a list of hosts, HAProxy and PgBouncer': async ({ writers, controllers }) => {
    const began = Date.now();
    await pause(5000);
    const perSecond = writers.acknowledged.length / ((Date.now() - began) / 1000);
    await writers.check(controllers);
    assert.equal(writers.refused, 0);
    return `${perSecond.toFixed(0)} writes a second`;
  },

  'the leader is switched over': (trial) => changeOfLeader(trial, (leader) => trial.cluster.switchOver(leader)),

  'the leader is killed, with its agent': async (trial) => {
    const { cluster } = trial;
    const former = await cluster.leader();
    const measured = await changeOfLeader(trial, (leader) => leader.signal('SIGKILL'));
    former.start();
    await cluster.settled();
    return measured;
  },

  // A watchdog ends a server that hangs: without one, the agent of Patroni 3.0 may take the lead back when it wakes up, and what the new
  // leader has acknowledged is lost.
  'the leader hangs, until a watchdog ends it': async (trial) => {
    const { cluster } = trial;
    const former = await cluster.leader();
    const measured = await changeOfLeader(trial, (leader) => leader.signal('SIGSTOP'));
    former.signal('SIGKILL');
    former.start();
    await cluster.settled();
    return measured;
  },

  'the synchronous standby hangs, and then the leader is killed': async (trial) => {
    const { cluster, writers } = trial;
    await cluster.settled();
    const [former, silent] = [await cluster.leader(), await cluster.inRole('sync_standby')];
    const began = Date.now();
    silent.signal('SIGSTOP');
    await until('the other standby is synchronous', async () => (await cluster.inRole('sync_standby')) !== silent);
    await writers.firstSince(Date.now());
    const waited = writers.slowestSince(began);
    former.signal('SIGKILL');
    const measured = await afterChange(trial, former, Date.now(), writers.refused);
    for (const node of [silent, former]) {
      node.signal('SIGKILL');
      node.start();
    }
    await cluster.settled();
    return `writes waited ${seconds(waited)} for the standby; ${measured}`;
  },

  'a standby lags behind when the leader is killed': async (trial) => {
    const { cluster } = trial;
    const [former, late] = [await cluster.leader(), await cluster.inRole('replica')];
    late.signalReplication('walreceiver', 'SIGSTOP');
    await pause(3000);
    former.signal('SIGKILL');
    const measured = await afterChange(trial, former, Date.now(), trial.writers.refused);
    late.signalReplication('walreceiver', 'SIGCONT');
    former.start();
    await cluster.settled();
    return measured;
  },

  'without synchronous replication, what the standbys lack when the leader is killed is lost, and no controller shows it any more': async (
    trial,
  ) => {
    const { cluster, writers, controllers } = trial;
    await cluster.configure({ synchronous_mode: false });
    await until('no standby is synchronous', async () => (await cluster.members()).every(({ role }) => role !== 'sync_standby'));
    await cluster.settled(false);
    const former = await cluster.leader();
    former.signalReplication('walsender', 'SIGSTOP');
    await pause(2000);
    former.signal('SIGKILL');
    await cluster.leader(former);
    await writers.firstSince(Date.now());
    const fresh = await startController(trial.folder, trial.processes, 'fresh', { storage: cluster.ways.hosts });
    const lost = await writers.lost(fresh);
    await writers.check([fresh, ...controllers]);
    return `${lost} identities were not what was acknowledged, after the standbys had received nothing for 2 s`;
  },
};
