/**
 * Names for statements, by which a server knows that it has planned them. It keeps each for as long as the connection lives, so that only
 * those get one that come often, and so many at most: clients make statements of new shapes by their filters.
 */
class StatementNames {
  readonly #prefix = `overlay_${crypto.randomUUID().slice(0, 8)}_`;
  readonly #names = new Map<string, string>();
  #seen = new Map<string, number>();

  /** @returns undefined for a statement that is not worth a name. */
  of(sql: string): string | undefined {
    const name = this.#names.get(sql);
    if (name !== undefined || sql.length > LONGEST || this.#names.size === MOST) return name;
    const times = (this.#seen.get(sql) ?? 0) + 1;
    if (times === OFTEN) {
      this.#seen.delete(sql);
      this.#names.set(sql, `${this.#prefix}${this.#names.size}`);
    } else {
      if (this.#seen.size === MOST) this.#seen = new Map();
      this.#seen.set(sql, times);
    }
    return this.#names.get(sql);
  }
}

const MOST = 400;
const LONGEST = 5000;
const OFTEN = 3;

/** One for all: pools may be shared, and a name means one statement on a connection. */
export const statementNames = new StatementNames();
