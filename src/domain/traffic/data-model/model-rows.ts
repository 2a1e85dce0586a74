import type { ChangedRow } from '../../../changes/events.ts';
import { createIndexedMap } from '../../../platform/groups.ts';
import type { Side } from '../../policy/roles/membership.ts';
import { AttributedEntities } from './attributed.ts';
import { type ModelKind, modelKinds } from './documents.ts';
import { type PolicySide, sides } from './members.ts';

/** The kinds whose rows are held: those that routers are told of, and what else their documents say. */
export const heldKinds = [...modelKinds, 'serviceConfig'] as const;
export type HeldKind = ModelKind | 'serviceConfig';

export const isHeldKind = (kind: string): kind is HeldKind => heldKinds.some((held) => held === kind);

/** The rows of one state, by kind and id. */
export interface HeldRows {
  get<K extends HeldKind>(kind: K, id: string): ChangedRow<K> | undefined;
  of<K extends HeldKind>(kind: K): Iterable<ChangedRow<K>>;
  put<K extends HeldKind>(kind: K, row: ChangedRow<K>): void;
  change<K extends HeldKind>(kind: K, step: { readonly before: ChangedRow<K> | null; readonly after: ChangedRow<K> | null }): void;
  /** Ids of the entities that a side of a policy selects. */
  selectedBy(kind: PolicySide['kind'], side: Side): ReadonlySet<string>;
  /** Of an identity. */
  serviceConfigsOf(identityId: string): readonly ChangedRow<'serviceConfig'>[];
}

export const createHeldRows = (): HeldRows => {
  type Rows = { readonly [K in HeldKind]: Map<string, ChangedRow<K>> };
  const rows = Object.fromEntries(heldKinds.map((kind) => [kind, new Map()])) as unknown as Rows; // a map for each kind
  const attributed = new Map<string, AttributedEntities>(sides.map(({ kind }) => [kind, new AttributedEntities()]));
  const serviceConfigs = createIndexedMap<ChangedRow<'serviceConfig'>>(({ identityId }) => [identityId]);

  const set = <K extends HeldKind>(kind: K, row: ChangedRow<K>): void => {
    rows[kind].set(row.id, row);
    if ('roleAttributes' in row) attributed.get(kind)?.put(row);
    if (isServiceConfig(row, kind)) serviceConfigs.set(row);
  };
  const remove = <K extends HeldKind>(kind: K, row: ChangedRow<K>): void => {
    rows[kind].delete(row.id);
    attributed.get(kind)?.remove(row.id);
    if (kind === 'serviceConfig') serviceConfigs.delete(row.id);
  };
  return {
    get: (kind, id) => rows[kind].get(id),
    of: (kind) => rows[kind].values(),
    selectedBy: (kind, side) => attributed.get(kind)?.selectedBy(side) ?? new Set(),
    put: set,
    change: (kind, { before, after }) => {
      if (after) set(kind, after);
      else if (before) remove(kind, before);
    },
    serviceConfigsOf: serviceConfigs.of,
  };
};

const isServiceConfig = (_row: ChangedRow<HeldKind>, kind: HeldKind): _row is ChangedRow<'serviceConfig'> => kind === 'serviceConfig';
