import { createNetChanges, type NetChanges } from '../../access/report/net-changes.ts';
import { gatherAccess } from '../../access/report/report.ts';
import type { Call } from '../../call/call.ts';
import type { access } from '../../contract/api/explain.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { followLog, recordsPerPage } from '../../store/changelog/follow.ts';
import { recordsIn } from '../../store/entities/change-records.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { pastStateAt } from '../../store/entities/past-state.ts';

type Operation = typeof access.operations.compare;

/** Maximum number of entities that changed between two states, because their former states are kept in memory. */
const MAX_COMPARED = 200_000;
/** Bounds of the changes that are read at a time. A single one may have two megabytes. */
const changesPerPage = recordsPerPage({ first: 10, min: 1, max: 1000, bytes: 4_194_304 });

/** Compares the access of identities at two revisions. */
export const compareAccess = async (call: Call, { from, to, ...page }: DecodedOf<Operation>): Promise<OutputOf<Operation>> => {
  const gathered = await call.read(async (entities) => {
    if (from === undefined) throw invalidField('from', 'from must be the revision of the earlier state', '');
    const newest = await entities.revision();
    const later = to ?? newest;
    if (later > newest) throw invalidField('to', `to must be at most ${newest}, the latest revision, got ${later}`, later);
    if (from > later) throw invalidField('from', `from must be at most ${later}, the revision of the later state, got ${from}`, from);
    // Refuses a revision before the start of the log.
    await pastStateAt(from)(entities, call.now());
    const state = later === newest ? entities : await (await pastStateAt(later)(entities, call.now())).open(entities);
    const changes = await changesBetween(entities, from, later);
    return { report: await gatherAccess(state, call, { changes }, page), from, to: later };
  });
  const { report, ...revisions } = gathered;
  return { ...(await report()), ...revisions };
};

const changesBetween = async (entities: Entities, from: number, to: number): Promise<NetChanges> => {
  const net = createNetChanges();
  for await (const { changes } of followLog(recordsIn(entities), from, { batch: changesPerPage })) {
    for (const change of changes) if (change.revision <= to) net.add(change);
    if (net.size > MAX_COMPARED)
      throw invalidField(
        'from',
        `more than ${MAX_COMPARED} entities changed between ${from} and ${to}: compare states that are closer`,
        from,
      );
    if ((changes.at(-1)?.revision ?? 0) >= to) break;
  }
  return net.changes;
};
