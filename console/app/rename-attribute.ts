/** A role attribute under another name: on the entities that have it, and in what names it, such as the selectors of policies. */
import { type BatchedOperation, filter as filterText, versionOf } from '../../client/index.ts';
import { MAX_BULK } from './bulk.ts';
import { type Entity, groupOfCollection, type KindView, sections } from './kinds.ts';
import { literal } from './literal.ts';
import { readMatching } from './matching.ts';
import { filterableFields } from './related.ts';
import { type FormField, formsOf, referenceOf } from './schema.ts';
import type { Session } from './session.ts';

/** A field that names role attributes of a group. `selector`: with the sign `#`; `keys`: by the names of a map; `scopes`: in scopes of permissions. */
interface Use {
  readonly field: string;
  readonly as: 'attribute' | 'selector' | 'keys' | 'scopes';
}

/** The fields of a kind that name the role attributes of a group. */
const usesIn = (session: Session, kind: KindView, group: string): readonly Use[] =>
  formsOf(session, kind.group, 'patch')
    .flatMap(({ fields }) => fields)
    .flatMap(({ name }): readonly Use[] => {
      if (name === 'scopedPermissions') return [{ field: name, as: 'scopes' }];
      const refersTo = referenceOf(session, kind.group, name);
      if (!refersTo || refersTo.by === 'id' || groupOfCollection(refersTo.collection) !== group) return [];
      return [{ field: name, as: refersTo.in ?? refersTo.by }];
    })
    .filter((use, at, all) => all.findIndex(({ field }) => field === use.field) === at);

const namedIn = ({ as }: Use, attribute: string): string => (as === 'selector' ? `#${attribute}` : attribute);

/** The value of a field with the new name; undefined if it does not have the old one. */
const renamedValue = (use: Use, value: unknown, group: string, from: string, to: string): unknown => {
  if (use.as === 'scopes') return renamedScopes(value, group, from, to);
  const [old, next] = [namedIn(use, from), namedIn(use, to)];
  if (use.as === 'keys') {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, old)) return undefined;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key === old ? next : key, each]));
  }
  return Array.isArray(value) && value.includes(old) ? renamedIn(value, old, next) : undefined;
};

const renamedIn = (value: readonly unknown[], old: string, next: string): readonly unknown[] => [
  ...new Set(value.map((each) => (each === old ? next : each))),
];

/** The groups whose role attributes scopes of permissions name, by the kind in the permission. An enrollment is in the scope of its identity. */
const SCOPED: Readonly<Record<string, string>> = {
  identity: 'identities',
  enrollment: 'identities',
  service: 'services',
  router: 'edgeRouters',
  'posture-check': 'postureChecks',
};

/** Scoped permissions with the new name; undefined if none of those for the group has the old one. */
const renamedScopes = (value: unknown, group: string, from: string, to: string): unknown => {
  let isChanged = false;
  const scopes = Object.entries(Object(value)).map(([permission, scope]) => {
    const lists = Object.entries(Object(scope)).map(([name, list]) => {
      if (SCOPED[permission.split('.', 1)[0] ?? ''] !== group || !Array.isArray(list) || !list.includes(from)) return [name, list] as const;
      isChanged = true;
      return [name, renamedIn(list, from, to)] as const;
    });
    return [permission, Object.fromEntries(lists)] as const;
  });
  return isChanged ? Object.fromEntries(scopes) : undefined;
};

/** The fields with fixed values that tell variants apart, such as the type of a posture check: a change names them. */
const discriminatorsOf = (fields: readonly FormField[], entity: Entity): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    fields.flatMap(({ name, constant }) => (constant !== undefined && constant === entity[name] ? [[name, constant] as const] : [])),
  );

/** The filter for the entities that may name an attribute; undefined if only reading all of them tells. */
const filterOf = async ({ group }: KindView, uses: readonly Use[], attribute: string): Promise<string | undefined> => {
  const known = await filterableFields(group);
  const conditions = uses
    .filter(({ field }) => known.includes(field))
    .map((use) => (use.as === 'scopes' ? `not isEmpty(${use.field})` : `anyOf(${use.field}) ${filterText`= ${namedIn(use, attribute)}`}`));
  return conditions.length > 0 ? conditions.join(' or ') : undefined;
};

/** Only the version that was read is changed: the body has whole lists, and would take back what somebody else has changed in them since. */
const operationOf = ({ group }: KindView, entity: Entity, body: object): BatchedOperation => {
  const version = versionOf(entity);
  return {
    operation: `${group}.patch`,
    input: { id: entity.id, body: literal(body) },
    ...(version === undefined ? {} : { ifVersion: version }),
  };
};

/** The changes of a rename in the entities of one kind. */
export interface RenamedKind {
  readonly kind: KindView;
  readonly entities: readonly Entity[];
  readonly operations: readonly BatchedOperation[];
  /** True if there are more than could be read. */
  readonly isPartial: boolean;
}

export interface Rename {
  readonly kinds: readonly RenamedKind[];
  readonly count: number;
  /** True if more entities name it than one transaction can change. */
  readonly isTooLarge: boolean;
  /** True if the session may change all of them. */
  readonly mayChange: boolean;
}

const renameIn = async (
  session: Session,
  kind: KindView,
  group: string,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<RenamedKind> => {
  const uses = usesIn(session, kind, group);
  if (uses.length === 0) return { kind, entities: [], operations: [], isPartial: false };
  const filter = await filterOf(kind, uses, from);
  // One more than a transaction can change: then there are too many.
  const found = await readMatching(kind, { filter, sort: 'id asc' }, MAX_BULK + 1, undefined, signal);
  const fields = formsOf(session, kind.group, 'patch').flatMap((form) => form.fields);
  const changed = found.flatMap((entity) => {
    const values = uses.flatMap((use) => {
      const value = renamedValue(use, entity[use.field], group, from, to);
      return value === undefined ? [] : [[use.field, value] as const];
    });
    return values.length > 0 ? [{ entity, body: { ...discriminatorsOf(fields, entity), ...Object.fromEntries(values) } }] : [];
  });
  return {
    kind,
    entities: changed.map(({ entity }) => entity),
    operations: changed.map(({ entity, body }) => operationOf(kind, entity, body)),
    isPartial: found.length > MAX_BULK,
  };
};

/** The operations that rename a role attribute of a group everywhere. */
export const readRename = async (session: Session, group: string, from: string, to: string, signal: AbortSignal): Promise<Rename> => {
  const listed = sections.flatMap(({ kinds }) => kinds).filter((kind) => session.may(kind.group, 'list'));
  const all = await Promise.all(listed.map((kind) => renameIn(session, kind, group, from, to, signal)));
  const kinds = all.filter(({ entities, isPartial }) => entities.length > 0 || isPartial);
  const count = kinds.reduce((sum, { entities }) => sum + entities.length, 0);
  const mayChange = kinds.every(({ kind, entities }) => entities.every((entity) => session.mayOn(kind.group, 'patch', entity)));
  return { kinds, count, isTooLarge: count > MAX_BULK || kinds.some(({ isPartial }) => isPartial), mayChange };
};
