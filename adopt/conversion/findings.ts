import { copyText } from '../../src/runtime/platform/copy-text.ts';
import { LOSSES, type LossName } from './losses.ts';
import type { AdoptedKind, AdoptionReport, FormerAdministrator, Losing, Loss } from './report.ts';

const MAX_LISTED = 1000;
const MAX_ADMINISTRATORS = 100;
const MAX_UNADDRESSABLE = 20;

/** Truncates a text, which in a forged database may be megabytes long, and copies it, so that the original is not kept in memory. */
const truncated = (text: string, maxLength = 1000): string =>
  text.length > maxLength ? `${copyText(text, maxLength)}...` : copyText(text);

/** An entity that does not keep everything. Its name is looked up only if the report lists it. */
type Affected = Omit<Losing, 'name'> & { readonly name: () => string };

/** Collects the results for each entity during an adoption, as parts of its report. */
export class Findings {
  readonly #kinds = new Map<string, { read: number; adopted: number; changed: Record<string, number>; leftOut: Record<string, number> }>();
  readonly #losses = new Map<LossName, { count: number; entities: Losing[] }>();
  readonly #administrators: FormerAdministrator[] = [];
  #administratorCount = 0;
  readonly #unaddressable: string[] = [];
  #unaddressableCount = 0;
  #enrollmentsUntil: number | undefined;
  hasNumericTags = false;

  read(kind: string): void {
    this.#of(kind).read++;
  }

  adopted(kind: string): void {
    this.#of(kind).adopted++;
  }

  changed(kind: string, change: string): void {
    const { changed } = this.#of(kind);
    changed[change] = (changed[change] ?? 0) + 1;
  }

  leftOut(kind: string, reason: string, count = 1): void {
    const { leftOut } = this.#of(kind);
    leftOut[reason] = (leftOut[reason] ?? 0) + count;
  }

  /** Counts the entities of a kind that is not adopted. */
  ignored(kind: string, count: number, reason: string): void {
    if (count === 0) return;
    this.#of(kind).read += count;
    this.leftOut(kind, reason, count);
  }

  lost(loss: LossName, { kind, id, name, detail }: Affected): void {
    const losses = this.#losses.get(loss) ?? { count: 0, entities: [] };
    this.#losses.set(loss, losses);
    losses.count++;
    if (losses.entities.length < MAX_LISTED)
      losses.entities.push({ kind, id: truncated(id), name: truncated(name()), detail: truncated(detail) });
  }

  administrator({ id, name, isDefaultAdmin }: FormerAdministrator): void {
    this.#administratorCount++;
    if (this.#administrators.length < MAX_ADMINISTRATORS)
      this.#administrators.push({ id: truncated(id), name: truncated(name), isDefaultAdmin });
  }

  get administrators(): Pick<AdoptionReport, 'administratorCount' | 'administrators'> {
    return { administratorCount: this.#administratorCount, administrators: this.#administrators };
  }

  unaddressable(kind: string, id: string, name: () => string): void {
    if (++this.#unaddressableCount > MAX_UNADDRESSABLE) return;
    this.#unaddressable.push(
      `${kind} ${JSON.stringify(truncated(name(), 100))} has the id ${JSON.stringify(truncated(id, 100))}, which no request can name`,
    );
  }

  /** The reasons why the network cannot be adopted, even if all losses are allowed. */
  get refusals(): readonly string[] {
    const more = this.#unaddressableCount - this.#unaddressable.length;
    return more > 0 ? [...this.#unaddressable, `${more} more entities have such an id`] : this.#unaddressable;
  }

  outstanding(until: Date): void {
    this.#enrollmentsUntil = Math.max(this.#enrollmentsUntil ?? 0, until.getTime());
  }

  get enrollmentsUntil(): Date | undefined {
    return this.#enrollmentsUntil === undefined ? undefined : new Date(this.#enrollmentsUntil);
  }

  kinds(): readonly AdoptedKind[] {
    return [...this.#kinds].map(([kind, counts]) => ({ kind, ...counts }));
  }

  losses(allowed: ReadonlySet<LossName>): readonly Loss[] {
    return [...this.#losses].map(([name, loss]) => ({ name, about: LOSSES[name], isAllowed: allowed.has(name), ...loss }));
  }

  #of(kind: string) {
    let counts = this.#kinds.get(kind);
    if (!counts) this.#kinds.set(kind, (counts = { read: 0, adopted: 0, changed: {}, leftOut: {} }));
    return counts;
  }
}
