import type { CertificateEnd } from '../pki/certificate-ends.ts';
import { keptText } from '../platform/kept-text.ts';
import { LOSSES, type LossName } from './losses.ts';

/** What became of the entities of a former kind. */
export interface AdoptedKind {
  /** The name of the kind in the former database, e.g. `identities`. */
  readonly kind: string;
  /** Entities in the former database. */
  readonly read: number;
  /** Those that are adopted. */
  readonly adopted: number;
  /** How many of these changed, by what changed. */
  readonly changed: Readonly<Record<string, number>>;
  /** How many are left out, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/** An entity that loses something. */
export interface Losing {
  /** The name of its kind in the former database. */
  readonly kind: string;
  readonly id: string;
  /** Its name, or that of the identity or router that it belongs to; its id if it has none. */
  readonly name: string;
  /** What is lost, in a few words. */
  readonly detail: string;
}

/** A loss, with the entities that it concerns. */
export interface Loss {
  readonly name: LossName;
  /** A sentence about it. */
  readonly about: string;
  readonly isAllowed: boolean;
  /** How many things are lost. */
  readonly count: number;
  /** At most a thousand of them. */
  readonly entities: readonly Losing[];
}

/** An identity that may do everything. */
export interface FormerAdministrator {
  readonly id: string;
  readonly name: string;
  /** True for the first one, which the former controller made itself. */
  readonly isDefaultAdmin: boolean;
}

/** The result of an adoption, or of its plan. */
export interface AdoptionReport {
  /** False for a plan, which writes nothing. */
  readonly isAdopted: boolean;
  /** The schema version of the former database. */
  readonly schemaVersion: number;
  readonly kinds: readonly AdoptedKind[];
  /** Number of identities that are administrators. */
  readonly administratorCount: number;
  /** The first hundred of them. */
  readonly administrators: readonly FormerAdministrator[];
  /** The losses, of which an adoption allows each by name. */
  readonly losses: readonly Loss[];
  /** Why the network cannot be adopted like this: a sentence each. Empty after an adoption. */
  readonly refusals: readonly string[];
  /** When each certificate of the authority ends, earliest first. */
  readonly certificates: readonly CertificateEnd[];
  /** When the last outstanding enrollment expires: until then, the server certificate must not change. Undefined if there is none. */
  readonly enrollmentsUntil: Date | undefined;
  /** True if tags hold numbers: only with the setting `numericTags` can they be written back. */
  readonly hasNumericTags: boolean;
  /** The revision of the network after the adoption; 0 for a plan. */
  readonly revision: number;
}

const MAX_LISTED = 1000;
const MAX_ADMINISTRATORS = 100;
const MAX_UNADDRESSABLE = 20;

/** A forged database may have texts of megabytes, and a short one may be a part of such a text: see `keptText`. */
const short = (text: string, maxCharacters = 1000): string =>
  text.length > maxCharacters ? `${keptText(text, maxCharacters)}...` : keptText(text);
const shortly = (text: string): string => short(text, 100);

/** An entity that loses something. Its name is found only if it is listed. */
type Found = Omit<Losing, 'name'> & { readonly name: () => string };

/** Collects what becomes of each entity. */
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

  changed(kind: string, what: string): void {
    const { changed } = this.#of(kind);
    changed[what] = (changed[what] ?? 0) + 1;
  }

  leftOut(kind: string, why: string, count = 1): void {
    const { leftOut } = this.#of(kind);
    leftOut[why] = (leftOut[why] ?? 0) + count;
  }

  /** Entities of a kind that is not adopted. */
  ignored(kind: string, count: number, why: string): void {
    if (count === 0) return;
    this.#of(kind).read += count;
    this.leftOut(kind, why, count);
  }

  lost(loss: LossName, { kind, id, name, detail }: Found): void {
    const found = this.#losses.get(loss) ?? { count: 0, entities: [] };
    this.#losses.set(loss, found);
    found.count++;
    if (found.entities.length < MAX_LISTED) found.entities.push({ kind, id: short(id), name: short(name()), detail: short(detail) });
  }

  administrator({ id, name, isDefaultAdmin }: FormerAdministrator): void {
    this.#administratorCount++;
    if (this.#administrators.length < MAX_ADMINISTRATORS) this.#administrators.push({ id: short(id), name: short(name), isDefaultAdmin });
  }

  get administrators(): Pick<AdoptionReport, 'administratorCount' | 'administrators'> {
    return { administratorCount: this.#administratorCount, administrators: this.#administrators };
  }

  unaddressable(kind: string, id: string, name: () => string): void {
    if (++this.#unaddressableCount > MAX_UNADDRESSABLE) return;
    this.#unaddressable.push(
      `${kind} ${JSON.stringify(shortly(name()))} has the id ${JSON.stringify(shortly(id))}, which no request can name`,
    );
  }

  /** Why the network cannot be adopted, whatever is allowed. */
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
