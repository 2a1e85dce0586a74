import { kinds } from '../api/index.ts';
import type { Kind } from '../api/kit/resource.ts';
import { dateField, not } from '../query/index.ts';
import type { Row, Transaction } from '../storage/port.ts';

/** The snapshot of a transaction contains a grant that has ended but is still in effect: take it out of effect, then run the transaction again. */
export class GrantHasEnded extends Error {
  override readonly name = 'GrantHasEnded';
}

const FIELDS = ['grantsEndAt', 'unannouncedEndAt'] as const;
const allKinds: readonly Kind[] = Object.values(kinds);
/** The kinds whose entities can have grants with an end. */
export const endingKinds = allKinds.filter(({ fields }) => fields.grantsEndAt);
const endingByName: ReadonlyMap<string, Kind> = new Map(endingKinds.map((kind) => [kind.kind, kind]));

/** The earliest of each field of `FIELDS`, in all rows. ms since 1970 */
type Ends = { readonly [F in (typeof FIELDS)[number]]: number };
const NONE: Ends = { grantsEndAt: Infinity, unannouncedEndAt: Infinity };
const UNKNOWN: Ends = { grantsEndAt: -Infinity, unannouncedEndAt: -Infinity };

const earlier = (a: Ends, b: Ends): Ends => ({
  grantsEndAt: Math.min(a.grantsEndAt, b.grantsEndAt),
  unannouncedEndAt: Math.min(a.unannouncedEndAt, b.unannouncedEndAt),
});

/**
 * Knows when the next grant ends, by following the change log together with the read cache. The times are lower bounds: a grant that was extended or removed
 * may still count. Until they have been read, they are unknown, and every transaction counts as outdated.
 */
export class EarliestEnds {
  #bounds = UNKNOWN;
  /** Bounds for the changes since `read` began. */
  #sinceRead = NONE;
  /** The revision at which the bounds were read. Earlier snapshots may contain grants that have been ended since. */
  #readAt = -1;
  #forgotten = 0;
  #onEarlier: () => void = () => undefined;

  get bounds(): Ends {
    return this.#bounds;
  }

  /** Calls `listener` when a bound becomes earlier. */
  onEarlier(listener: () => void): void {
    this.#onEarlier = listener;
  }

  /** @param changed the kind of an entity that was changed, and what it is since; null if it was deleted */
  apply({ entity, after }: { readonly entity: string; readonly after: object | null }): void {
    const kind = endingByName.get(entity);
    if (!kind || !after) return;
    const ends = boundsOf(FIELDS.map((field) => [field, kind.fields[field]?.derivedFrom?.({ ...after })]));
    this.#sinceRead = earlier(this.#sinceRead, ends);
    const bounds = earlier(this.#bounds, ends);
    if (FIELDS.every((field) => bounds[field] === this.#bounds[field])) return;
    this.#bounds = bounds;
    this.#onEarlier();
  }

  /** Call when changes were missed. */
  forget(): void {
    this.#bounds = UNKNOWN;
    this.#forgotten++;
  }

  /** Reads the bounds in the snapshot of a transaction that sees only committed changes. One call at a time. @param revision that of the snapshot */
  async read(tx: Transaction, revision: number): Promise<void> {
    const forgotten = this.#forgotten;
    this.#sinceRead = NONE;
    const found = await tx.readAll(
      WANTED.map(({ kind, field }) => {
        const time = dateField(field);
        const query = { where: not({ op: 'isNull', field: time }), sort: [{ field: time, descending: false }], limit: 1 } as const;
        return { read: 'list', kind, query } as const;
      }),
    );
    if (forgotten !== this.#forgotten) return;
    const ends = WANTED.map(({ field }, i) => boundsOf([[field, (found[i]?.[0] as Row | undefined)?.[field]]])); // answers of lists
    this.#bounds = ends.reduce(earlier, this.#sinceRead);
    this.#readAt = revision;
  }

  /** @throws GrantHasEnded unless every grant in a snapshot with this revision is still valid */
  assertValid(revision: number, now: number): void {
    if (revision < this.#readAt || this.#bounds.grantsEndAt <= now) throw new GrantHasEnded();
  }
}

const WANTED = endingKinds.flatMap(({ kind }) => FIELDS.map((field) => ({ kind, field })));

const boundsOf = (times: readonly (readonly [field: keyof Ends, time: unknown])[]): Ends => ({
  ...NONE,
  ...Object.fromEntries(times.flatMap(([field, time]) => (typeof time === 'string' ? [[field, Date.parse(time)]] : []))),
});
