/** The effects of the writers of a commit so far. */
import { type Uncommitted, WrittenRows } from '../../../src/adapter-kit.ts';

/**
 * The revisions that a commit draws, and the rows that it writes. Its transaction holds the writers' lock, so no other commit draws revisions: they are
 * counted here, and the last one is written before the commit.
 */
export class OpenCommit extends WrittenRows implements Uncommitted {
  readonly since: number;
  #revision: number;
  #isForgotten = false;

  /** @param since the last revision that was drawn before */
  constructor(since: number) {
    super();
    this.since = since;
    this.#revision = since;
  }

  get revision(): number {
    return this.#revision;
  }

  /** The revision to be written before the commit, if any. */
  get drawn(): number | undefined {
    return this.#isForgotten || this.#revision === this.since ? undefined : this.#revision;
  }

  nextRevision(atLeast: number): number {
    this.#revision = Math.max(this.#revision + 1, atLeast);
    return this.#revision;
  }

  /** Reverts to the state before work that was rolled back. */
  returnTo(revision: number): void {
    this.#revision = revision;
  }

  /** The namespace is erased, and its revision with it. */
  forget(): void {
    this.#isForgotten = true;
    this.addAll();
  }
}
