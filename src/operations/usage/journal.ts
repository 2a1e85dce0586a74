import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { plannedBy } from '../../call/resources/filtered.ts';
import { visibleIds } from '../../call/resources/granted.ts';
import { type ListInput, pageOf, planList } from '../../call/resources/lists.ts';
import { symbolsOfList } from '../../call/resources/symbols.ts';
import { journal, journalEntry, shownJournalEntry } from '../../contract/api/journal.ts';
import { servicePolicy } from '../../contract/api/kinds.ts';
import type { DecodedOf, OutputOf, RowOf } from '../../contract/api/kit/index.ts';
import { and, idAfter, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { exported } from './exported.ts';
import { type Between, visibleBetween, visibleRouters, withoutHiddenRouters } from './visible.ts';

type Operations = (typeof journal)['operations'];
type Shown = OutputOf<Operations['list']>['data'][number];

/** Number of entries that an export reads at once. */
const CHUNK = 500;

const listJournal = (call: Call, input: DecodedOf<Operations['list']>): Promise<OutputOf<Operations['list']>> =>
  call.read(async (entities) => {
    const plan = planned(call, input);
    const where = await matching(entities, call, input);
    const limit = plan.limit === Infinity ? {} : { limit: plan.limit };
    const rows = await entities.list(journalEntry, { where, sort: plan.sort, offset: plan.offset, ...limit });
    const total = await entities.count(journalEntry, where);
    return pageOf(await shownEntries(entities, rows, call), plan, total, symbolsOfList(journalEntry, call));
  });

/** The plan of a list, which is newest first. */
const planned = (call: Call, input: ListInput) => {
  const plan = planList(symbolsOfList(journalEntry, call), input);
  return plan.sort.length > 0 ? plan : { ...plan, sort: [{ field: stringField('id'), descending: true }] };
};

const matching = async (entities: Entities, call: Call, input: ListInput & Between) => {
  const plan = planList(symbolsOfList(journalEntry, call), input);
  const where = await withoutHiddenRouters(entities, plan.where, call);
  return plannedBy(entities, journalEntry, input, { ...plan, where }, call, { within: await visibleBetween(entities, call, input) });
};

const shownEntries = async (entities: Entities, rows: readonly RowOf<typeof journalEntry>[], call: Call): Promise<readonly Shown[]> => {
  const routers = await visibleRouters(
    entities,
    rows.flatMap((row) => row.routers),
    call,
  );
  const policyIds = rows.flatMap(({ policies }) => policies.map(({ id }) => id));
  const policies = await visibleIds(entities, servicePolicy, [...new Set(policyIds)], call);
  return rows.map((row) => ({
    id: row.id,
    outcome: row.outcome,
    begin: row.begin,
    end: row.end,
    circuitId: row.circuitId,
    identity: { id: row.identityId, name: row.identityName },
    service: { id: row.serviceId, name: row.serviceName },
    policies: row.policies.filter(({ id }) => policies.has(id)),
    routers: row.routers.flatMap((id) => (routers.has(id) ? { id, name: routers.get(id) ?? '' } : [])),
    bytesSent: row.bytesSent,
    bytesReceived: row.bytesReceived,
    dials: row.dials,
    cause: row.cause,
    reason: row.reason,
    controllerId: row.controllerId,
  }));
};

const exportJournal = async (
  call: Call,
  { format, ...input }: DecodedOf<Operations['export']>,
): Promise<OutputOf<Operations['export']>> => {
  // Refuses an invalid filter before the answer begins.
  await call.read((entities) => matching(entities, call, input));
  return exported(format, Object.keys(shownJournalEntry.shape), chunksOf(call, input));
};

async function* chunksOf(call: Call, input: ListInput & Between): AsyncGenerator<readonly Shown[], void, undefined> {
  for (let last: string | undefined; ; ) {
    const chunk = await call.readReauthorized(async (entities) => {
      const where = and(await matching(entities, call, input), idAfter(last));
      const rows = await entities.list(journalEntry, { where, sort: [{ field: stringField('id'), descending: false }], limit: CHUNK });
      return shownEntries(entities, rows, call);
    });
    if (chunk.length > 0) yield chunk;
    last = chunk.at(-1)?.id;
    if (chunk.length < CHUNK) return;
  }
}

export const journalEntries = implement(journal, { list: listJournal, export: exportJournal });
