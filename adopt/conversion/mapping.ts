import { newRow } from '../../src/call/resources/merge.ts';
import type { Kind, RowOf } from '../../src/contract/api/kit/resource.ts';
import type { NewRow } from '../../src/store/entities/entities.ts';
import type { FormerKinds } from './former.ts';
import type { Known } from './known.ts';
import type { LossName } from './losses.ts';

/** An entity to be inserted, in place of a former one. */
export interface Adopted {
  readonly kind: Kind;
  readonly row: NewRow<Kind>;
}

/** Functions for the mapping of one former entity, besides making rows of it. */
export interface Adopting {
  /** The entities that are adopted, to which others may refer. */
  readonly known: Known;
  /** The time of the adoption, ISO text. */
  readonly now: string;
  /** Reports a loss, in a few words. */
  lose(name: LossName, detail: string): void;
  /** Reports a change without loss, in a few words. */
  change(what: string): void;
  /**
   * Seals the text of a field.
   * @param row has the fields to which the seal is bound
   */
  seal(kind: Kind, field: string, row: Readonly<Record<string, unknown>>, text: string): Promise<string>;
  /** A new id. */
  newId(): string;
}

/** Maps the entities of a former kind to entities of this controller. */
export interface Mapping<K extends keyof FormerKinds = keyof FormerKinds> {
  readonly from: K;
  /** @returns the rows, in the order in which they are inserted; the reason why the entity is left out, as text */
  adopt(former: FormerKinds[K], adopting: Adopting): readonly Adopted[] | string | Promise<readonly Adopted[] | string>;
}

/** Declares a mapping, and gives `adopt` the types of its kind. */
export const mapping = <K extends keyof FormerKinds>(from: K, adopt: Mapping<K>['adopt']): Mapping<K> => ({ from, adopt });

/**
 * The row of an entity: the given fields, and defaults for all others.
 * @param given may hold fields that only the controller may set
 */
export const entityOf = <R extends Kind>(kind: R, id: string, tags: unknown, given: Partial<RowOf<R>>): Adopted => ({
  kind,
  row: Object.assign(newRow(kind, given, given), { id, tags }) as NewRow<Kind>, // `newRow` gives every field of the kind
});
