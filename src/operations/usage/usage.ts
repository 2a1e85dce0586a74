import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { plannedBy } from '../../call/resources/filtered.ts';
import { pageInMemory } from '../../call/resources/in-memory.ts';
import { planList } from '../../call/resources/lists.ts';
import { symbolsOfList } from '../../call/resources/symbols.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { SPANS, usage, usageGroup, usageSum } from '../../contract/api/usage.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { added, addedAmounts } from '../../fabric/journal/usage-sums.ts';
import { and, equals, fieldSymbols, idAfter, stringField, symbolsOf } from '../../query/index.ts';
import { createTimeSlice, inBatches, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { exported } from './exported.ts';
import { visibleBetween, visibleRouters, withoutHiddenRouters } from './visible.ts';

type Operations = (typeof usage)['operations'];
type Asked = Omit<DecodedOf<Operations['list']>, 'limit' | 'offset'>;
type Shown = OutputOf<Operations['list']>['data'][number];

/** Number of sums that are read, and of groups that are exported, at once. */
const CHUNK = 500;
/** Maximum number of sums that are added up for one answer. */
const MAX_SUMS = 200_000;

const symbols = symbolsOf('usage', {
  ...fieldSymbols({ begin: 'date', identityId: 'string', identityName: 'string', serviceId: 'string', serviceName: 'string' }),
  ...fieldSymbols({ routerId: 'string', circuits: 'number', bytesSent: 'number', bytesReceived: 'number', bytes: 'number' }),
});

/** A group with the fields that sort it. */
interface Group {
  readonly begin: string | null;
  readonly identityId: string | null;
  readonly identityName: string | null;
  readonly serviceId: string | null;
  readonly serviceName: string | null;
  readonly routerId: string | null;
  readonly routerName: string | null;
  circuits: number;
  bytesSent: number;
  bytesReceived: number;
  bytes: number;
  readonly [field: string]: unknown;
}

/** Adds up the sums that match, by group. */
const groupsOf = async (entities: Entities, call: Call, { by = ['day'], filter, from, to }: Asked): Promise<readonly Group[]> => {
  const spans = SPANS.filter((span) => by.includes(span));
  const [span = 'day'] = spans;
  if (spans.length > 1) throw invalidField('by', `by must have one of ${SPANS.join(', ')} at most, got ${spans.join(' and ')}`, by);
  const plan = planList(symbolsOfList(usageSum, call), { filter });
  const within = and(equals(stringField('span'), span), await visibleBetween(entities, call, { from, to }));
  const asked = { ...plan, where: await withoutHiddenRouters(entities, plan.where, call) };
  const where = await plannedBy(entities, usageSum, { filter }, asked, call, { within });
  const groups = new Map<string, Group>();
  const yieldIfDue = createTimeSlice(CHUNK);
  const isBy = (name: (typeof by)[number]) => by.includes(name);
  for (let last: string | undefined, read = 0; ; ) {
    const sort = [{ field: stringField('id'), descending: false }];
    const rows = await entities.list(usageSum, { where: and(where, idAfter(last)), sort, limit: CHUNK });
    const routers = isBy('router')
      ? await visibleRouters(
          entities,
          rows.map(({ routerId }) => routerId),
          call,
        )
      : new Map<string, string>();
    for (const row of rows) {
      const begin = spans.length > 0 ? row.begin : null;
      const identityId = isBy('identity') ? row.identityId : null;
      const serviceId = isBy('service') ? row.serviceId : null;
      const routerId = routers.has(row.routerId) ? row.routerId : null;
      const key = JSON.stringify([begin, identityId, serviceId, routerId]);
      const group = groups.get(key) ?? {
        ...{ begin, identityId, serviceId, routerId },
        identityName: isBy('identity') ? row.identityName : null,
        serviceName: isBy('service') ? row.serviceName : null,
        routerName: routers.get(row.routerId) ?? null,
        ...{ circuits: 0, bytesSent: 0, bytesReceived: 0, bytes: 0 },
      };
      Object.assign(group, addedAmounts(group, row));
      group.bytes = added(group.bytesSent, group.bytesReceived);
      groups.set(key, group);
    }
    read += rows.length;
    last = rows.at(-1)?.id;
    if (rows.length < CHUNK) return [...groups.values()];
    if (read >= MAX_SUMS)
      throw invalidField('from', `there are more than ${MAX_SUMS} sums by ${span}: ask for less time, or a longer span`, from);
    await yieldIfDue(rows.length);
    call.signal.throwIfAborted();
  }
};

const named = (id: string | null, name: string | null) => (id === null ? null : { id, name: name ?? '' });

const shownGroup = (group: Group): Shown => ({
  begin: group.begin,
  identity: named(group.identityId, group.identityName),
  service: named(group.serviceId, group.serviceName),
  router: named(group.routerId, group.routerName),
  circuits: group.circuits,
  bytesSent: group.bytesSent,
  bytesReceived: group.bytesReceived,
});

const pageOfGroups = async (
  call: Call,
  { limit, offset, ...asked }: DecodedOf<Operations['list']>,
): Promise<OutputOf<Operations['list']>> => {
  const groups = await call.read((entities) => groupsOf(entities, call, asked));
  const { data, ...page } = pageInMemory(call, symbols, { sort: asked.sort ?? 'begin desc, bytes desc', limit, offset }, groups);
  return { ...page, filterableFields: symbolsOfList(usageSum, call).names, data: data.map(shownGroup) };
};

async function* inChunks(items: readonly Shown[]): AsyncGenerator<readonly Shown[], void, undefined> {
  for (const chunk of inBatches(items, () => 1, CHUNK)) {
    yield chunk;
    await yieldToEventLoop();
  }
}

export const usageEntries = implement(usage, {
  list: pageOfGroups,
  export: async (call, { format, ...asked }) => {
    const { data } = await pageOfGroups(call, { ...asked, limit: -1 });
    return exported(format, Object.keys(usageGroup.shape), inChunks(data));
  },
});
