/**
 * Records of circuits in the store, so that a restarted controller still ends the circuits of its routers when their authorization lapses.
 * A record is a lease, `circuit/CONTROLLER/ID`: volatile, and not in the change log.
 */
import * as z from 'zod';
import type { Core } from '../../call/core.ts';
import { rowsReferredBy } from '../../call/resources/references.ts';
import { timestamp } from '../../contract/api/kit/index.ts';
import { lease } from '../../contract/api/leases.ts';
import { and, not, stringField } from '../../query/index.ts';
import { inBatches, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import { pause } from '../../runtime/platform/clock.ts';
import { createRepeatedLog } from '../../runtime/platform/repeated-log.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Job } from '../../store/jobs/background.ts';
import { leasesBelow } from '../../store/jobs/lease.ts';
import { knownControllerIds } from '../registry/controller-addresses.ts';
import { forRouters } from '../registry/fabric.ts';

/** Delay before a record is written. A circuit that ends earlier is never written. ms */
const DELAY = 250;
/** Maximum number of records per controller. */
const MAX_RECORDS = 50_000;
/** Number of records per transaction. */
const BATCH = 500;

const text = z.string().max(255);
const recordedCircuit = z.object({
  /** ISO text. */
  createdAt: timestamp,
  /** Id of the identity that dialed. */
  clientId: text,
  serviceId: text,
  sessionId: text,
  isStored: z.boolean(),
  apiSessionId: text,
  /** Addresses of its two ends. */
  ingress: text,
  egress: text,
  terminatorId: text,
  /** The instance of the service that was dialed. Records of earlier releases have none. */
  instanceId: text.default(''),
  /** Ids of the policies that allowed it. Records of earlier releases have none. */
  grantedBy: z.array(text).readonly().default([]),
  /** Ids of its routers, the ingress first. */
  path: z.array(text).min(1).readonly(),
  /** Ids of the links between them. */
  links: z.array(text).readonly(),
  /** Number of attempted routes, including reroutes. */
  attempts: z.int(),
  /** Tags that routers add when they report its traffic. */
  tags: z.record(text, text).transform((tags): ReadonlyMap<string, string> => new Map(Object.entries(tags))),
});

/** A circuit as recorded. */
export interface RecordedCircuit extends Readonly<z.output<typeof recordedCircuit>> {
  readonly id: string;
}

/** The circuit records of a controller. */
export interface CircuitRecords {
  /** Records a new circuit, or its new path. */
  put(circuit: RecordedCircuit): void;
  remove(id: string): void;
  /** Reads the records that earlier processes of this controller left. */
  read(): Promise<readonly RecordedCircuit[]>;
}

/** Circuits to record, by id; undefined for records to remove. */
type Updates = readonly (readonly [id: string, circuit: RecordedCircuit | undefined])[];

type Dependencies = Pick<Core, 'platform' | 'background' | 'controllerId'>;

export const createCircuitRecords = (core: Dependencies): CircuitRecords => {
  const { platform } = core;
  const log = createRepeatedLog(platform);
  const warn = (error: unknown) =>
    log('warn', 'circuits could not be recorded; those without a record end when this controller restarts', { error: String(error) });
  const pending = new Map<string, RecordedCircuit | undefined>();
  const recorded = new Set<string>();
  let job: Job | undefined;
  let writing: Promise<void> | undefined;

  const write = async (run: Job['write']): Promise<void> => {
    const [batch = []] = inBatches(pending, () => 1, BATCH);
    for (const [id, circuit] of batch) if (circuit) recorded.add(id);
    await run((entities) => writeRecords(entities, core, batch));
    for (const [id, circuit] of batch) {
      if (pending.get(id) === circuit) pending.delete(id);
      if (!circuit && !pending.has(id)) recorded.delete(id);
    }
  };
  const writeDelayed = async (currentJob: Job): Promise<void> => {
    await pause(platform.clock, DELAY, currentJob.signal);
    if (!currentJob.signal.aborted) await write(currentJob.write).catch(warn);
    writing = undefined;
    if (pending.size > 0) start();
  };
  const start = (): void => {
    if (job && !job.signal.aborted) writing ??= writeDelayed(job);
  };
  forRouters(core, async (currentJob) => {
    job = currentJob;
    await new Promise((close) => currentJob.signal.addEventListener('abort', close));
    await writing;
    while (pending.size > 0) await write(currentJob.conclude);
  }).catch(warn);
  return {
    put: (circuit) => {
      if (recorded.size >= MAX_RECORDS && !recorded.has(circuit.id)) return warn(`there are more than ${MAX_RECORDS}`);
      pending.set(circuit.id, circuit);
      start();
    },
    remove: (id) => {
      if (recorded.has(id)) pending.set(id, undefined);
      else pending.delete(id);
      start();
    },
    read: async () => {
      await removeForeignRecords(core);
      const circuits = await readRecords(core);
      for (const { id } of circuits) recorded.add(id);
      return circuits;
    },
  };
};

const PREFIX = 'circuit/';
const prefixOf = (controllerId: string): string => `${PREFIX}${encodeURIComponent(controllerId)}/`;
const idField = stringField('id');

const writeRecords = async (entities: Entities, { controllerId }: Dependencies, updates: Updates): Promise<void> => {
  const rowUpdates = updates.map(([id, circuit]) => ({ id: `${prefixOf(controllerId)}${id}`, circuit }));
  const rows = await rowsReferredBy(entities, lease, rowUpdates, ({ id }) => id);
  for (const { id, circuit } of rowUpdates) {
    const row = rows.get(id);
    if (!circuit) {
      if (row) await entities.remove(lease, row);
      continue;
    }
    const { id: _, tags, ...fields } = circuit;
    const content = { ...fields, tags: Object.fromEntries(tags) };
    if (row) await entities.update(lease, row, { told: content });
    else await entities.insert(lease, { id, holder: controllerId, until: null, told: content });
  }
};

/** Reads in batches. Invalid records are skipped. */
const readRecords = async (core: Dependencies): Promise<readonly RecordedCircuit[]> => {
  const all: RecordedCircuit[] = [];
  const prefix = prefixOf(core.controllerId);
  for (let last = prefix; ; ) {
    const where = and(leasesBelow(prefix), { op: 'compare', field: idField, is: '>', value: last });
    const query = { where, sort: [{ field: idField, descending: false }], limit: BATCH };
    const rows = await forRouters(core, (job) => job.read((entities) => entities.list(lease, query)));
    for (const { id, told } of rows) {
      const { data } = recordedCircuit.safeParse(told);
      if (data) all.push({ id: id.slice(prefix.length), ...data });
    }
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH) return all;
    await yieldToEventLoop();
  }
};

/** Removes the records of controllers that were renamed, or permanently removed. */
const removeForeignRecords = async (core: Dependencies): Promise<void> => {
  const knownIds = await forRouters(core, (job) => job.read(knownControllerIds));
  const ofOthers = [core.controllerId, ...knownIds].map((id) => not(leasesBelow(prefixOf(id))));
  const query = { where: and(leasesBelow(PREFIX), ...ofOthers), limit: BATCH };
  const remove = async (entities: Entities) => {
    const rows = await entities.list(lease, query);
    for (const row of rows) await entities.remove(lease, row);
  };
  const removeBatch = async (job: Job) => {
    const hasMore = await job.read(async (entities) => (await entities.count(lease, query.where)) > 0);
    if (hasMore) await job.write(remove);
    return hasMore;
  };
  while (await forRouters(core, removeBatch)) await yieldToEventLoop();
};
