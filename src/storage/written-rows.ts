/** Maximum number of rows tracked individually; if more were written, all count as written. */
const MOST = 1000;

/** Which rows were written. */
export class WrittenRows {
  readonly #keys = new Set<string>();
  #areAll = false;

  /** Whether nothing was written. */
  get isEmpty(): boolean {
    return this.#keys.size === 0 && !this.#areAll;
  }

  /** Whether a row was written, or may have been. */
  has(kind: string, id: string): boolean {
    return this.#areAll || (this.#keys.size > 0 && this.#keys.has(keyOf(kind, id)));
  }

  /** Records that a row is written. */
  add(kind: string, id: string): void {
    if (this.#keys.size < MOST) this.#keys.add(keyOf(kind, id));
    else this.addAll();
  }

  /** Records that it is unknown which rows are written. */
  addAll(): void {
    this.#areAll = true;
  }
}

const keyOf = (kind: string, id: string): string => `${kind} ${id}`;
