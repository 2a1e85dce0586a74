import type { access } from '../../../api/explain.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import { followLog } from '../../../changelog/follow.ts';
import { recordsIn } from '../../../entities/change-records.ts';
import type { Entities } from '../../../entities/entities.ts';
import { pastStateAt } from '../../../entities/past-state.ts';
import { invalidField } from '../../../errors/index.ts';
import { growingNetChanges, type NetChanges } from '../../policy/access/net-changes.ts';
import { gatherAccess } from '../../policy/access/report.ts';

type Operation = typeof access.operations.compare;

/** Maximum number of entities that may have changed between two states, because what they were is kept in memory. */
const MAX_COMPARED = 200_000;
/** Number of changes that are read at a time. A change may take two megabytes. */
const BATCH = 100;

/** Who gained and who lost what between two revisions. */
export const compare = async (call: Call, { from, to, ...page }: DecodedOf<Operation>): Promise<OutputOf<Operation>> => {
  const gathered = await call.read(async (entities) => {
    if (from === undefined) throw invalidField('from', 'from must be the revision of the earlier state', '');
    const newest = await entities.revision();
    const later = to ?? newest;
    if (from > later) throw invalidField('from', `from must be at most ${later}, the revision of the later state, got ${from}`, from);
    // Also refuses a revision that the log does not reach back to.
    await pastStateAt(from)(entities, call.now());
    const state = later === newest ? entities : await (await pastStateAt(later)(entities, call.now())).see(entities);
    const changes = await changesBetween(entities, from, later);
    return { report: await gatherAccess(state, call, { changes }), from, to: later };
  });
  const { report, ...revisions } = gathered;
  return { ...(await report(page)), ...revisions };
};

const changesBetween = async (entities: Entities, from: number, to: number): Promise<NetChanges> => {
  const net = growingNetChanges();
  for await (const { changes } of followLog(recordsIn(entities), from, { batch: BATCH })) {
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
