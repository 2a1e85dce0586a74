import type { Selectable, Side } from '../../access/roles/membership.ts';
import { readSelectors } from '../../contract/api/kit/index.ts';
import type { ChangedRow } from '../../contract/changes/events.ts';
import { createIndexedMap } from '../../runtime/platform/groups.ts';
import { type ModelKind, modelKinds } from './documents.ts';

/** The kinds whose rows are cached: the kinds of the model, and others that its documents depend on. */
export const cachedKinds = [...modelKinds, 'serviceConfig'] as const;
export type CachedKind = ModelKind | 'serviceConfig';

export const isCachedKind = (kind: string): kind is CachedKind => cachedKinds.some((cached) => cached === kind);

/** The sides of a service policy. Routers get posture checks first: a policy must not grant access before its checks are known. */
export const sides = [
  { kind: 'postureCheck', roles: 'postureCheckRoles' },
  { kind: 'service', roles: 'serviceRoles' },
  { kind: 'identity', roles: 'identityRoles' },
] as const;

export type PolicySide = (typeof sides)[number];

/** A change of one row. */
export interface RowChange<K extends CachedKind> {
  readonly before: ChangedRow<K> | null;
  readonly after: ChangedRow<K> | null;
}

/** The cached rows, by kind and id. */
export interface ModelRows {
  get<K extends CachedKind>(kind: K, id: string): ChangedRow<K> | undefined;
  all<K extends CachedKind>(kind: K): Iterable<ChangedRow<K>>;
  put<K extends CachedKind>(kind: K, row: ChangedRow<K>): void;
  apply<K extends CachedKind>(kind: K, change: RowChange<K>): void;
  /** Ids of the entities that a side of a policy selects, each once, and undefined for each that was only examined. */
  selectedBy(kind: PolicySide['kind'], side: Side): Iterable<string | undefined>;
  /** The identities that are disabled, or were until some time. */
  disabledIdentities(): Iterable<ChangedRow<'identity'>>;
  serviceConfigsOf(identityId: string): readonly ChangedRow<'serviceConfig'>[];
}

export const createModelRows = (): ModelRows => {
  type Rows = { readonly [K in CachedKind]: Map<string, ChangedRow<K>> };
  const rows = Object.fromEntries(cachedKinds.map((kind) => [kind, new Map()])) as unknown as Rows; // has a map for each kind
  const byAttribute = new Map(sides.map(({ kind }) => [kind as CachedKind, createIndexedMap<Selectable>((row) => row.roleAttributes)]));
  const serviceConfigs = createIndexedMap<ChangedRow<'serviceConfig'>>(({ identityId }) => [identityId]);
  const disabledIds = new Set<string>();

  const put = <K extends CachedKind>(kind: K, row: ChangedRow<K>): void => {
    rows[kind].set(row.id, row);
    if ('roleAttributes' in row) byAttribute.get(kind)?.set({ id: row.id, roleAttributes: row.roleAttributes });
    if (isServiceConfig(row, kind)) serviceConfigs.set(row);
    if (kind !== 'identity' || !('disabledUntil' in row)) return;
    if (row.disabledAt === null) disabledIds.delete(row.id);
    else disabledIds.add(row.id);
  };
  return {
    get: (kind, id) => rows[kind].get(id),
    all: (kind) => rows[kind].values(),
    put,
    apply: (kind, { before, after }) => {
      if (after) return put(kind, after);
      if (!before) return;
      rows[kind].delete(before.id);
      byAttribute.get(kind)?.delete(before.id);
      if (kind === 'serviceConfig') serviceConfigs.delete(before.id);
      if (kind === 'identity') disabledIds.delete(before.id);
    },
    selectedBy: (kind, side) => selectedIn(byAttribute.get(kind), side),
    disabledIdentities: () => [...disabledIds].flatMap((id) => rows.identity.get(id) ?? []),
    serviceConfigsOf: serviceConfigs.of,
  };
};

const isServiceConfig = (_row: ChangedRow<CachedKind>, kind: CachedKind): _row is ChangedRow<'serviceConfig'> => kind === 'serviceConfig';

type AttributeIndex = ReturnType<typeof createIndexedMap<Selectable>>;

/** Finds the selected entities in an attribute index, without a full scan. Must agree with `selects`. */
function* selectedIn(index: AttributeIndex | undefined, { semantic, roles }: Side): Generator<string | undefined, void> {
  if (!index) return;
  const { everything, ids, attributes } = readSelectors(roles);
  if (everything) {
    for (const { id } of index.all()) yield id;
    return;
  }
  const found = new Set<string>();
  const once = (id: string): string | undefined => {
    const isNew = !found.has(id);
    found.add(id);
    return isNew ? id : undefined;
  };
  for (const id of ids) yield index.get(id) ? once(id) : undefined;
  const [rarest, ...others] = attributes.toSorted((a, b) => index.size(a) - index.size(b));
  if (semantic === 'AllOf' && rarest !== undefined)
    for (const { id, roleAttributes } of index.of(rarest))
      yield others.every((attribute) => roleAttributes.includes(attribute)) ? once(id) : undefined;
  if (semantic === 'AnyOf') for (const attribute of attributes) for (const { id } of index.of(attribute)) yield once(id);
}
