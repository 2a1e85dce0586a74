import type { Call } from '../../call/call.ts';
import type { Core } from '../../call/core.ts';
import { implement } from '../../call/implement.ts';
import { crudHandlers, pageOfRows } from '../../call/resources/crud.ts';
import { relatedWithin } from '../../call/resources/related.ts';
import { circuits } from '../../contract/api/circuits.ts';
import { fabricRouters, fabricServices, fabricTerminators } from '../../contract/api/fabric.ts';
import { inspections } from '../../contract/api/inspections.ts';
import { router, service, terminator } from '../../contract/api/kinds.ts';
import type { Kind, ListQuery, RowOf } from '../../contract/api/kit/index.ts';
import { routerLinks } from '../../contract/api/links.ts';
import { terminators } from '../../contract/api/terminators.ts';
import { notFound } from '../../contract/errors/index.ts';
import { equals, stringField } from '../../query/index.ts';
import { runInspection } from './inspections.ts';
import { liveCircuits, liveHandlers, liveLinks, requireLive } from './live-entities.ts';
import { fabricRouterOf, fabricServiceOf, fabricTerminatorOf } from './stored-entities.ts';
import { routerWriteHandlers, serviceWriteHandlers } from './writes.ts';

type Id = { readonly id: string };

/** Handlers that read the rows of a kind. `show` presents one row. */
const rowHandlers = <R extends Kind, T>(kind: R, show: (row: RowOf<R>, core: Core) => T) => ({
  list: (call: Call, query: ListQuery) =>
    call.read(async (entities) => {
      const page = await pageOfRows(entities, kind, query, call);
      return { ...page, data: page.data.map((row) => show(row, call.core)) };
    }),
  get: (call: Call, { id }: Id) => call.read(async (entities) => show(await entities.require(kind, id), call.core)),
});

/** Lists the terminators that reference an entity. */
const terminatorsBy = (parent: Kind, field: 'serviceId' | 'routerId') => ({
  listTerminators: (call: Call, { id, ...query }: ListQuery & Id) =>
    call.read(async (entities) => {
      const within = await relatedWithin(entities, parent, id, call, () => equals(stringField(field), id));
      const page = await pageOfRows(entities, terminator, query, call, { within });
      return { ...page, data: page.data.map(fabricTerminatorOf) };
    }),
});

/** Terminators are the same entities on both APIs. */
const terminatorHandlers = crudHandlers(terminators, terminator);

export const fabricEntries = [
  ...implement(fabricRouters, { ...rowHandlers(router, fabricRouterOf), ...terminatorsBy(router, 'routerId'), ...routerWriteHandlers }),
  ...implement(fabricServices, {
    ...rowHandlers(service, fabricServiceOf),
    ...terminatorsBy(service, 'serviceId'),
    ...serviceWriteHandlers,
  }),
  ...implement(fabricTerminators, {
    ...terminatorHandlers,
    ...rowHandlers(terminator, fabricTerminatorOf),
    create: (call, { body: { instanceId, instanceSecret, ...body } }) =>
      terminatorHandlers.create(call, { body: { ...body, identity: instanceId, identitySecret: instanceSecret } }),
  }),
  ...implement(routerLinks, {
    ...liveHandlers(liveLinks),
    patch: async (call, { id, body: { staticCost, down } }) => {
      await requireLive(liveLinks, id, call);
      const settings = { ...(staticCost === undefined ? {} : { staticCost }), ...(down === undefined ? {} : { isDown: down }) };
      if (!call.core.traffic.changeLink(id, settings)) throw notFound('link', id);
      return {};
    },
  }),
  ...implement(circuits, liveHandlers(liveCircuits)),
  ...implement(inspections, { run: runInspection }),
];
