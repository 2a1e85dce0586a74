/**
 * Records of circuits in the store: by them, a controller that was killed and started again knows the circuits that its routers still carry, and ends them with
 * their right. A record is a row beside the leases, `circuit/CONTROLLER/ID`, which is volatile, and in no change log.
 */
import * as z from 'zod';
import { timestamp } from '../../../api/kit/entity.ts';
import { lease } from '../../../api/leases.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../changes/entities.ts';
import { yieldToEventLoop } from '../../../concurrency/event-loop.ts';
import type { Job } from '../../../jobs/background.ts';
import { leasesBelow } from '../../../jobs/lease.ts';
import { and, not, stringField } from '../../../query/index.ts';
import { rowsById } from '../../../resources/rows-by-id.ts';
import { knownControllerIds } from '../routers/controller-addresses.ts';
import { forRouters } from '../routers/fabric.ts';
import type { UnboundCircuit } from './circuit-table.ts';

/** Records that are written or read at once. */
export const RECORDS_AT_ONCE = 500;

const PREFIX = 'circuit/';
const prefixOf = (controllerId: string): string => `${PREFIX}${encodeURIComponent(controllerId)}/`;

const text = z.string().max(255);
const recordedCircuit = z.object({
  createdAt: timestamp,
  clientId: text,
  serviceId: text,
  sessionId: text,
  isStored: z.boolean(),
  apiSessionId: text,
  ingress: text,
  egress: text,
  terminatorId: text,
  path: z.array(text).min(1),
  links: z.array(text),
  attempts: z.int(),
  tags: z.record(text, text).transform((tags) => new Map(Object.entries(tags))),
});

/** Circuits to be recorded, by id; `undefined` where a record is to be removed. */
export type RecordedCircuits = readonly (readonly [id: string, circuit: UnboundCircuit | undefined])[];

type Place = Pick<Core, 'background' | 'controllerId'>;

export const writeRecords = async (entities: Entities, { controllerId }: Place, circuits: RecordedCircuits): Promise<void> => {
  const named = circuits.map(([id, circuit]) => ({ id: `${prefixOf(controllerId)}${id}`, circuit }));
  const rows = await rowsById(
    entities,
    lease,
    named.map(({ id }) => id),
  );
  for (const { id, circuit } of named) {
    const row = rows.get(id);
    const told = circuit && { ...circuit, tags: Object.fromEntries(circuit.tags) };
    if (!told && row) await entities.remove(lease, row);
    else if (told && row) await entities.update(lease, row, { told });
    else if (told) await entities.insert(lease, { id, holder: controllerId, until: null, told });
  }
};

const idField = stringField('id');

/** In parts, so that others have a turn in between. A record that no controller would have written is left out. */
export const readRecords = async (place: Place): Promise<readonly UnboundCircuit[]> => {
  const all: UnboundCircuit[] = [];
  const prefix = prefixOf(place.controllerId);
  for (let last = prefix; ; ) {
    const where = and(leasesBelow(prefix), { op: 'compare', field: idField, is: '>', value: last });
    const query = { where, sort: [{ field: idField, descending: false }], limit: RECORDS_AT_ONCE };
    const rows = await forRouters(place, (job) => job.read((entities) => entities.list(lease, query)));
    for (const { id, told } of rows) {
      const { data } = recordedCircuit.safeParse(told);
      if (data) all.push({ id: id.slice(prefix.length), ...data });
    }
    last = rows.at(-1)?.id ?? last;
    if (rows.length < RECORDS_AT_ONCE) return all;
    await yieldToEventLoop();
  }
};

/** Removes what controllers have left that were renamed or are gone for good. */
export const removeRecordsOfOthers = async (place: Place): Promise<void> => {
  const known = await forRouters(place, (job) => job.read(knownControllerIds));
  const kept = [place.controllerId, ...known].map((id) => not(leasesBelow(prefixOf(id))));
  const query = { where: and(leasesBelow(PREFIX), ...kept), limit: RECORDS_AT_ONCE };
  const remove = async (entities: Entities) => {
    const rows = await entities.list(lease, query);
    for (const row of rows) await entities.remove(lease, row);
  };
  const step = async (job: Job) => {
    const isLeft = await job.read(async (entities) => (await entities.count(lease, query.where)) > 0);
    if (isLeft) await job.write(remove);
    return isLeft;
  };
  while (await forRouters(place, step)) await yieldToEventLoop();
};
