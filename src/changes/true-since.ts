import type { CachedState } from './cached-state.ts';
import type { TablePart } from './table-part.ts';

/** What is true from the last change of some parts of tables to the next one. A class, so that what is kept can be frozen while this moves on. */
export class TrueSince {
  /** The last change of these parts. */
  readonly since: number;
  /** The latest revision at which it was found to be true. */
  #trueAt: number;

  constructor(since: number, trueAt: number) {
    this.since = since;
    this.#trueAt = trueAt;
  }

  /** @param parts which these are, told only if something has changed */
  isTrue({ revision, changedAt }: CachedState, parts: () => readonly TablePart[]): boolean {
    if (this.#trueAt === revision) return true;
    if (!parts().every((part) => changedAt(part) <= this.since)) return false;
    this.#trueAt = revision;
    return true;
  }
}

/** The last change of some parts of tables. */
export const lastChange = ({ changedAt }: CachedState, parts: readonly TablePart[]): number =>
  Math.max(0, ...parts.map((part) => changedAt(part)));
