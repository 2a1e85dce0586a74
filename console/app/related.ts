/**
 * The lists of entities that are related to an entity: those for which the API has an operation, such as the services of an identity, and
 * those of kinds that refer to it, such as the identities of an auth policy.
 */
import { filter as filterText } from '../../client/index.ts';
import { remoteOperations } from '../../client/operations.ts';
import { type EntityApi, entityApi, groupOfCollection, type KindView, kindOf, sections } from './kinds.ts';
import { formsOf } from './schema.ts';
import { client, type Session } from './session.ts';

export interface RelatedList {
  /** The kind of the related entities. */
  readonly kind: KindView;
  readonly list: EntityApi['list'];
  /** The condition by which the list of their kind shows them; undefined if only the API's operation finds them. */
  readonly filter: string | undefined;
}

/** The kind that an operation lists for one entity of a group; undefined for other operations. */
const listedKind = (path: string, query: readonly string[] = []): KindView | undefined => {
  const [, collection] = /^\/[\w-]+\/\{id\}\/([\w-]+)$/.exec(path) ?? [];
  return collection !== undefined && query.includes('filter') ? kindOf(groupOfCollection(collection)) : undefined;
};

const listsOfOperations = ({ may }: Session, group: string, id: string): readonly RelatedList[] => {
  const lists = (client as unknown as Readonly<Record<string, Readonly<Record<string, EntityApi['list']>>>>)[group] ?? {}; // a function for each verb
  return Object.entries(remoteOperations[group] ?? {}).flatMap(([verb, { path, query }]) => {
    const [kind, list] = [listedKind(path, query), lists[verb]];
    return kind && list && may(group, verb)
      ? [{ kind, list: (input: object, options?: object) => list({ id, ...input }, options), filter: undefined }]
      : [];
  });
};

/** An edge router is a router, too. */
const isOrIncludes = (target: string | undefined, group: string): boolean =>
  target === group || (target === 'transitRouters' && group === 'edgeRouters');

/** The fields of a kind that refer to the entities of a group. */
const fieldsTo = (session: Session, kind: KindView, group: string): readonly string[] => [
  ...Object.entries(kind.searchedBy ?? {}).flatMap(([field, target]) => (isOrIncludes(target, group) ? [field] : [])),
  ...formsOf(session, kind.group, 'create')
    .flatMap(({ fields }) => fields)
    .flatMap(({ name, entry, target }) => (entry === 'reference' && isOrIncludes(target, group) ? [name] : [])),
];

/** The fields that the list of a group can be filtered by, read once. */
const filterable = new Map<string, Promise<readonly string[]>>();
export const filterableFields = (group: string): Promise<readonly string[]> => {
  const reading =
    filterable.get(group) ??
    entityApi(group)
      .list({ limit: 1 })
      .then(({ filterableFields = [] }) => filterableFields);
  filterable.set(group, reading);
  reading.catch(() => filterable.delete(group));
  return reading;
};

/** The list of the entities of a kind that refer to an entity; none if the kind does not, or cannot be filtered by the reference. */
const listOfReferring = async (session: Session, kind: KindView, group: string, id: string): Promise<readonly RelatedList[]> => {
  const fields = session.may(kind.group, 'list') ? fieldsTo(session, kind, group) : [];
  const known = fields.length > 0 ? await filterableFields(kind.group) : [];
  const field = fields.find((name) => known.includes(name));
  if (field === undefined) return [];
  const filter = `${field} ${filterText`= ${id}`}`;
  return [{ kind, list: (input, options) => entityApi(kind.group).list({ ...input, filter }, options), filter }];
};

export interface CountedList extends RelatedList {
  /** Undefined if it could not be read. */
  readonly count: number | undefined;
}

/** The related lists of an entity that the session may read, with the numbers of their entities. */
export const readRelatedLists = async (
  session: Session,
  group: string,
  id: string,
  signal: AbortSignal,
): Promise<readonly CountedList[]> => {
  const byOperation = listsOfOperations(session, group, id);
  const others = sections.flatMap(({ kinds }) => kinds).filter((kind) => !byOperation.some((each) => each.kind === kind));
  const referring = await Promise.all(others.map((kind) => listOfReferring(session, kind, group, id).catch(() => [])));
  return Promise.all(
    [...byOperation, ...referring.flat()].map(async (related) => {
      const page = await related.list({ limit: 1 }, { signal }).catch(() => undefined);
      return { ...related, count: page?.pagination.totalCount };
    }),
  );
};
