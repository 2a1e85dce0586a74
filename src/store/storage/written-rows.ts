/** Maximum number of rows tracked individually. If more are written, all rows count as written. */
const MAX_TRACKED = 1000;

/** Tracks which rows were written. */
export class WrittenRows {
  readonly #keys = new Set<string>();
  #isAll = false;

  /** True if nothing was written. */
  get isEmpty(): boolean {
    return this.#keys.size === 0 && !this.#isAll;
  }

  /** True if a row was written, or may have been. */
  has(kind: string, id: string): boolean {
    return this.#isAll || (this.#keys.size > 0 && this.#keys.has(keyOf(kind, id)));
  }

  /** Records that a row was written. */
  add(kind: string, id: string): void {
    if (this.#keys.size < MAX_TRACKED) this.#keys.add(keyOf(kind, id));
    else this.addAll();
  }

  /** Records that any row may have been written. */
  addAll(): void {
    this.#isAll = true;
  }
}

const keyOf = (kind: string, id: string): string => `${kind} ${id}`;
