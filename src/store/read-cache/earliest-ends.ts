import { kinds } from '../../contract/api/index.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { dateField, not } from '../../query/index.ts';
import type { Row, Transaction } from '../storage/port.ts';

/**
 * The snapshot of a transaction contains a grant that has ended but is still in effect. Take it out of effect, then run the transaction
 * again.
 */
export class GrantHasEnded extends Error {
  override readonly name = 'GrantHasEnded';
}

const FIELDS = ['grantsEndAt', 'unannouncedEndAt'] as const;
const allKinds: readonly Kind[] = Object.values(kinds);
/** The kinds whose entities can have grants with an end. */
export const endingKinds = allKinds.filter(({ fields }) => fields.grantsEndAt);
const endingByName: ReadonlyMap<string, Kind> = new Map(endingKinds.map((kind) => [kind.kind, kind]));

/** The earliest time in each of `FIELDS` in all rows. ms since 1970 */
type Ends = { readonly [F in (typeof FIELDS)[number]]: number };
const NONE: Ends = { grantsEndAt: Infinity, unannouncedEndAt: Infinity };
const UNKNOWN: Ends = { grantsEndAt: -Infinity, unannouncedEndAt: -Infinity };

const earlier = (a: Ends, b: Ends): Ends => ({
  grantsEndAt: Math.min(a.grantsEndAt, b.grantsEndAt),
  unannouncedEndAt: Math.min(a.unannouncedEndAt, b.unannouncedEndAt),
});

/**
 * Tracks when the next grant ends, by following the change log together with the read cache. The times are lower bounds: a grant that was
 * extended or removed may still be included. Until they have been read, every transaction is refused.
 */
export class EarliestEnds {
  #bounds = UNKNOWN;
  /** Bounds for the changes since `read` began. */
  #sinceRead = NONE;
  /** The revision at which the bounds were read. Earlier snapshots may contain grants that have since been taken out of effect. */
  #readAt = -1;
  /** Number of calls of `forget`. A read that began before one is discarded. */
  #resets = 0;
  #onEarlier: () => void = () => undefined;

  get bounds(): Ends {
    return this.#bounds;
  }

  /** Calls `listener` when a bound becomes earlier. */
  onEarlier(listener: () => void): void {
    this.#onEarlier = listener;
  }

  /** Applies a change: `entity` is the kind, and `after` is null if the entity was deleted. */
  apply({ entity, after }: { readonly entity: string; readonly after: object | null }): void {
    const kind = endingByName.get(entity);
    // `unannouncedEndAt` is only set together with `grantsEndAt`.
    if (!kind || !after || typeof endIn(kind, 'grantsEndAt', after) !== 'string') return;
    const ends = boundsOf(FIELDS.map((field) => [field, endIn(kind, field, after)]));
    this.#sinceRead = earlier(this.#sinceRead, ends);
    const bounds = earlier(this.#bounds, ends);
    if (FIELDS.every((field) => bounds[field] === this.#bounds[field])) return;
    this.#bounds = bounds;
    this.#onEarlier();
  }

  /** Call when changes were missed. */
  forget(): void {
    this.#bounds = UNKNOWN;
    this.#resets++;
  }

  /**
   * Reads the bounds in the snapshot of a transaction that sees only committed changes. One call at a time.
   * @param revision the revision of the snapshot
   */
  async read(tx: Transaction, revision: number): Promise<void> {
    const resets = this.#resets;
    this.#sinceRead = NONE;
    const found = await tx.readAll(
      WANTED.map(({ kind, field }) => {
        const time = dateField(field);
        const query = { where: not({ op: 'isNull', field: time }), sort: [{ field: time, descending: false }], limit: 1 } as const;
        return { read: 'list', kind, query } as const;
      }),
    );
    if (resets !== this.#resets) return;
    const ends = WANTED.map(({ field }, i) => boundsOf([[field, (found[i]?.[0] as Row | undefined)?.[field]]])); // answers of lists
    this.#bounds = ends.reduce(earlier, this.#sinceRead);
    this.#readAt = revision;
  }

  /** @throws GrantHasEnded unless every grant in a snapshot with this revision is still valid */
  assertValid(revision: number, now: number): void {
    if (revision < this.#readAt || this.#bounds.grantsEndAt <= now) throw new GrantHasEnded();
  }
}

const endIn = ({ fields }: Kind, field: keyof Ends, row: object): unknown => fields[field]?.derivedFrom?.({ ...row });

const WANTED = endingKinds.flatMap(({ kind }) => FIELDS.map((field) => ({ kind, field })));

const boundsOf = (times: readonly (readonly [field: keyof Ends, time: unknown])[]): Ends => ({
  ...NONE,
  ...Object.fromEntries(times.flatMap(([field, time]) => (typeof time === 'string' ? [[field, Date.parse(time)]] : []))),
});
