import type { OverriddenTests } from '../api/changes.ts';
import type { KindName } from '../api/kind-names.ts';
import { kinds } from '../api/kinds.ts';
import type { Attribution } from '../api/kit/attribution.ts';
import type { Resource } from '../api/kit/resource.ts';
import type { ChangedRows } from './rows.ts';

/** The kinds whose changes are recorded: all except the change record itself and the bookkeeping of controllers. */
export type ChangedKind = Exclude<
  KindName,
  | 'authRequest'
  | 'builtInRow'
  | 'change'
  | 'cursor'
  | 'endCount'
  | 'failedServiceRequest'
  | 'idempotencyKey'
  | 'journalEntry'
  | 'lease'
  | 'maintenanceTask'
  | 'sessionReview'
  | 'tenant'
  | 'usageSum'
>;

const allKinds: readonly Pick<Resource, 'kind' | 'unrecorded' | 'logOnly'>[] = Object.values(kinds);
const recorded = new Set(allKinds.filter(({ kind, unrecorded }) => !unrecorded && kind !== kinds.change.kind).map(({ kind }) => kind));

/** The kinds whose changes are recorded. */
export const changedKinds: readonly string[] = [...recorded];

const logOnly = new Set(allKinds.filter((each) => each.logOnly).map(({ kind }) => kind));

/** True for kinds that exist only in the change log, such as security events. */
export const isLogOnly = (kind: string): boolean => logOnly.has(kind);

export const isChangedKind = (kind: string): kind is ChangedKind => recorded.has(kind);

/** Fields that all changes have. */
interface ChangeOf<K extends ChangedKind> extends Attribution {
  /** Increases by one with every change of the network. */
  readonly revision: number;
  /** The kind of the entity: `identity`, `apiSession`, ... */
  readonly entity: K;
  readonly entityId: string;
  readonly onBehalfOf: string | null;
  readonly reason: string | null;
  /**
   * The policy tests that the transaction broke and its author overrode; omitted if there are none, and in the hook `inTransaction`.
   */
  readonly overriddenTests?: OverriddenTests;
  /** When the change was made: ISO 8601, UTC. */
  readonly at: string;
}

/** An entity in events: the stored fields of its kind, without hidden ones (hashes, secrets). */
export type ChangedRow<K extends ChangedKind> = ChangedRows[K];

export interface CreateChange<K extends ChangedKind> extends ChangeOf<K> {
  readonly action: 'create';
  readonly before: null;
  readonly after: ChangedRow<K>;
}

export interface UpdateChange<K extends ChangedKind> extends ChangeOf<K> {
  readonly action: 'update';
  readonly before: ChangedRow<K>;
  readonly after: ChangedRow<K>;
}

export interface DeleteChange<K extends ChangedKind> extends ChangeOf<K> {
  readonly action: 'delete';
  readonly before: ChangedRow<K>;
  readonly after: null;
}

/**
 * A committed write of one entity, for example `Change<'identity'>` for an identity. It is a union discriminated by `entity` and `action`,
 * which determine the types of `before` and `after`.
 */
export type Change<K extends ChangedKind = ChangedKind> = { readonly [E in K]: CreateChange<E> | UpdateChange<E> | DeleteChange<E> }[K];

/** An entity at the revision of a snapshot, for followers of the change log. */
export type EntityState<K extends ChangedKind = ChangedKind> = {
  readonly [E in K]: {
    readonly action: 'exists';
    /** The revision of the snapshot. */
    readonly revision: number;
    readonly entity: E;
    readonly entityId: string;
    readonly after: ChangedRow<E>;
  };
}[K];

/** The end of a snapshot: the changes after its revision follow. */
export interface StateEnd {
  readonly action: 'complete';
  /** The revision of the snapshot. */
  readonly revision: number;
}

// A single mapped type: with an intersection, the compiler would expand every kind for a listener to one kind.
/**
 * Names of events: `change` for all changes, or `identity`, `apiSession`, ... for those of one kind. Events are emitted after the commit,
 * in order of revision.
 */
export type ChangeEvents = { readonly [K in ChangedKind | 'change']: [change: Change<K extends ChangedKind ? K : ChangedKind>] };

/** The id of a change record: the revision, padded so that ids sort in the order of revisions. */
export const changeId = (revision: number): string => String(revision).padStart(16, '0');
