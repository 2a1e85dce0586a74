/** The uncommitted effects of the writers that share a commit. */
import { type Uncommitted, WrittenRows } from '../../../src/adapter-kit.ts';

/**
 * The revisions that a commit allocates, and the rows that it writes. Its transaction holds the writer lock, so no other commit allocates
 * revisions: they are counted in memory, and only the last one is written, right before the commit.
 */
export class OpenCommit extends WrittenRows implements Uncommitted {
  readonly since: number;
  #revision: number;
  #isForgotten = false;

  /** @param since the last revision allocated by earlier commits */
  constructor(since: number) {
    super();
    this.since = since;
    this.#revision = since;
  }

  get revision(): number {
    return this.#revision;
  }

  /** The revision to write before the commit, if any. */
  get revisionToWrite(): number | undefined {
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

  /** Call when the namespace, including its revision, has been erased. */
  forget(): void {
    this.#isForgotten = true;
    this.addAll();
  }
}
