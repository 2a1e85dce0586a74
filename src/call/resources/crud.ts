import type { attributeEdits, upsert } from '../../contract/api/edits.ts';
import type { CrudOperations } from '../../contract/api/kit/crud.ts';
import type { Fields } from '../../contract/api/kit/field.ts';
import type { DecodedOf, Group, Operations, OutputOf, Page } from '../../contract/api/kit/operation.ts';
import type { DetailOf, Kind, Resource, RowOf } from '../../contract/api/kit/resource.ts';
import type { SerializedJson } from '../../contract/api/surfaces/json-parts.ts';
import { explained } from '../../contract/errors/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Query, Row } from '../../store/storage/port.ts';
import { behaviourOf, type WriteVerb } from '../behaviour.ts';
import type { Call } from '../call.ts';
import type { Handler } from '../entry.ts';
import { attributeEditHandlers } from './attribute-edits.ts';
import { type ListOptions, plannedBy } from './filtered.ts';
import { selfLink } from './links.ts';
import { type ListInput, pageOf, planList } from './lists.ts';
import { givesAnything, mergeBody, refuseChangeOfFixed, rowFields } from './merge.ts';
import { presentRows } from './present.ts';
import { checkReferences } from './references.ts';
import { removeEntity } from './removal.ts';
import { canCacheDetails, serializedDetail, serializedDetails } from './serialized-details.ts';
import { symbolsOfList } from './symbols.ts';
import { upsertHandler } from './upsert.ts';

/** The standard operations, and those that are made of them. */
type EntityOperations<F extends Fields> = CrudOperations<F> & ReturnType<typeof upsert> & ReturnType<typeof attributeEdits>;

export type CrudHandlers<F extends Fields> = {
  readonly [V in keyof EntityOperations<F>]: Handler<DecodedOf<EntityOperations<F>[V]>, OutputOf<EntityOperations<F>[V]>>;
};

type Body = Readonly<Record<string, unknown>>;

/** Handlers for the standard operations that a group has. They are generic; anything specific to a kind is in its behaviour. */
export const crudHandlers = <F extends Fields, O extends Operations>(
  group: Group<string, O>,
  kind: Resource<string, F>,
): Pick<CrudHandlers<F>, keyof CrudHandlers<F> & keyof O> => {
  const resource: Kind = kind;
  const write = async (call: Call, verb: WriteVerb, body: Body, id: string | undefined): Promise<Row> => {
    const behaviour = behaviourOf(call, resource);
    const prepared: Body = (await behaviour?.prepare?.(call, verb, body, id)) ?? {};
    return call.write(async (entities) => {
      const before = id === undefined ? undefined : await entities.require(resource, id);
      if (before?.isSystem) throw explained('ENTITY_CAN_NOT_BE_UPDATED', SYSTEM);
      if (before) refuseChangeOfFixed(resource, before, body);
      const fields = { ...(before === undefined ? rowFields(resource, body) : mergeBody(resource, verb, before, body)), ...prepared };
      const intended = { ...before, ...fields } as Row;
      await checkReferences(entities, resource, intended, before);
      const checked = await behaviour?.check?.(entities, intended, before, call);
      const changes = { ...fields, ...checked };
      const after = before === undefined ? await entities.insert(resource, changes) : await entities.update(resource, before, changes);
      await behaviour?.write?.(entities, after, before, call, body);
      return after;
    });
  };
  const handlers = {
    list: (call: Call, input: ListInput) => call.read((entities) => serializedRows(entities, kind, input, call)),
    get: (call: Call, { id }: { id: string }) =>
      call.read(async (entities) => serializedDetail(entities, resource, await entities.require(resource, id), call)),
    create: async (call: Call, { body }: { body: Body }) => {
      const row = await write(call, 'create', body, undefined);
      return { _links: selfLink(resource, row.id), id: row.id };
    },
    replace: async (call: Call, { id, body }: { id: string; body: Body }) => {
      await write(call, 'replace', body, id);
      return {};
    },
    patch: async (call: Call, { id, body }: { id: string; body: Body }) => {
      // A body without fields changes nothing and leaves no change record, but the entity must exist.
      if (givesAnything(resource, body)) await write(call, 'patch', body, id);
      else await call.read(async (entities) => refuseChangeOfFixed(resource, await entities.require(resource, id), body));
      return {};
    },
    delete: async (call: Call, { id }: { id: string }) => {
      await call.write((entities) => deleteRow(entities, resource, id, call));
      return {};
    },
  };
  const composed = { upsert: upsertHandler(group, resource), ...attributeEditHandlers(group, resource) };
  const declared = Object.entries({ ...handlers, ...composed }).filter(([verb]) => verb in group.operations);
  // The field table determines the types of rows and bodies.
  return Object.fromEntries(declared) as Pick<CrudHandlers<F>, keyof CrudHandlers<F> & keyof O>;
};

const SYSTEM = 'the controller keeps it for another entity: change or delete that one';

/** Deletes an entity and its dependents, if the behaviour of its kind allows it. */
export const deleteRow = async (entities: Entities, kind: Kind, id: string, call: Call): Promise<void> => {
  const behaviour = behaviourOf(call, kind);
  const row = await entities.require(kind, id);
  if (row.isSystem) throw explained('ENTITY_CAN_NOT_BE_DELETED', SYSTEM);
  await behaviour?.guard?.(entities, row, call);
  await behaviour?.remove?.(entities, row, call);
  await removeEntity(entities, kind, row);
};

/** A page of a kind. */
export const listRows = async <R extends Kind>(
  entities: Entities,
  kind: R,
  input: ListInput,
  call: Call,
  options: ListOptions = {},
): Promise<Page<DetailOf<R>>> => {
  const page = await pageOfRows(entities, kind, input, call, options);
  // Built from the kind's own field table.
  return { ...page, data: (await presentRows(entities, kind, page.data, call, options.presenter)) as readonly DetailOf<R>[] };
};

/** A page of a kind, with details as JSON text if they can be cached. */
export const serializedRows = async <R extends Kind>(
  entities: Entities,
  kind: R,
  input: ListInput,
  call: Call,
  options: Pick<ListOptions, 'within'> = {},
): Promise<Page<DetailOf<R> | SerializedJson>> => {
  if (!canCacheDetails(kind, call)) return listRows(entities, kind, input, call, options);
  const read = async (query: Query) =>
    query.limit === undefined
      ? presentRows(entities, kind, await entities.list(kind, query), call)
      : serializedDetails(entities, kind, query, call);
  // Built from the kind's own field table.
  return (await pageBy(read, entities, kind, input, call, options)) as Page<DetailOf<R> | SerializedJson>;
};

/** The rows of a page, for lists that show them in another form. */
export const pageOfRows = <R extends Kind>(
  entities: Entities,
  kind: R,
  input: ListInput,
  call: Call,
  options: ListOptions = {},
): Promise<Page<RowOf<R>>> => pageBy((query) => entities.list(kind, query), entities, kind, input, call, options);

/** @param read returns the items that a query finds, in its order */
const pageBy = async <T>(
  read: (query: Query) => Promise<readonly T[]>,
  entities: Entities,
  kind: Kind,
  input: ListInput,
  call: Call,
  selection: ListOptions,
): Promise<Page<T>> => {
  const symbols = symbolsOfList(kind, call);
  const plan = planList(symbols, input);
  const where = await plannedBy(entities, kind, input, plan, call, selection);
  const limit = plan.limit === Infinity ? {} : { limit: plan.limit };
  const found = await read({ where, sort: plan.sort, offset: plan.offset, ...limit });
  // A page that is not full determines the total, unless it is empty because its offset is beyond the last entity.
  const isLast = found.length < plan.limit && (found.length > 0 || plan.offset === 0);
  const total = isLast ? plan.offset + found.length : await entities.count(kind, where);
  return pageOf(found, plan, total, symbols);
};
