import type { Kind, RowOf } from '../contract/api/kit/resource.ts';
import type { Predicate } from '../query/index.ts';
import type { Entities } from '../store/entities/entities.ts';
import type { Call } from './call.ts';

export type WriteVerb = 'create' | 'replace' | 'patch';
type Fields<R extends Kind> = Partial<RowOf<R>>;

/** Rules that the field table of a kind cannot express. Each hook is optional; the generic CRUD operations call them at fixed points. */
export interface Behaviour<R extends Kind = Kind> {
  /** Before the transaction, for slow work: hashing, parsing. Returns fields to store in addition to those of the decoded body. */
  prepare?(call: Call, verb: WriteVerb, body: Readonly<Record<string, unknown>>, id: string | undefined): Promise<Fields<R>>;
  /**
   * Inside the transaction, before the write: rules across fields or entities. `before` is undefined on create. May return additional
   * fields to store.
   */
  check?(entities: Entities, after: RowOf<R>, before: RowOf<R> | undefined, call: Call): Promise<Fields<R> | undefined>;
  /** Inside the transaction, after the write: effects on other kinds. `body` has values that the row does not store. */
  write?(
    entities: Entities,
    after: RowOf<R>,
    before: RowOf<R> | undefined,
    call: Call,
    body: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /** Inside the transaction, before a delete: throws if the entity must not be deleted. */
  guard?(entities: Entities, row: RowOf<R>, call: Call): Promise<void>;
  /** Inside the transaction, before a permitted delete: removes dependent entities that do not reference this one. */
  remove?(entities: Entities, row: RowOf<R>, call: Call): Promise<void>;
  /** Translates conditions on values that are not stored into a predicate that the store can evaluate. */
  resolve?(entities: Entities, where: Predicate, call: Call): Promise<Predicate>;
  /**
   * Wire fields that are not stored, for a whole page at once: one object per row. A field that is `undefined` is omitted, even if it is
   * stored.
   */
  present?(entities: Entities, rows: readonly RowOf<R>[], call: Call): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /**
   * Additional wire fields that depend on more than stored entities: on the time, on API sessions or on connected routers. If this is
   * declared, details are cached, so `present` must depend only on the entities that it reads, and must look up an entity by a value of a
   * row separately for each row.
   */
  readonly presentNow?: PresentNow<R>;
}

export interface PresentNow<R extends Kind = Kind> {
  /** The fields of a row that `present` below needs, besides its id. */
  readonly of: readonly (keyof RowOf<R> & string)[];
  present(entities: Entities, rows: readonly RowOf<R>[], call: Call): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** The parts of a behaviour that lists and details need, for any kind. */
export type Presenter = Pick<Behaviour, 'present' | 'presentNow' | 'resolve'>;

export const behaviour = <R extends Kind>(_kind: R, hooks: Behaviour<R>): Behaviour<R> => hooks;

/** The behaviour of a kind, with its row types erased. */
export const behaviourOf = ({ core }: Pick<Call, 'core'>, { kind }: Pick<Kind, 'kind'>): Behaviour | undefined =>
  // Each behaviour is registered under its own kind, so it only gets rows of that kind.
  (core.behaviours as Readonly<Record<string, Behaviour | undefined>>)[kind];
