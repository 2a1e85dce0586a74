/**
 * Names of prepared statements. A server keeps each one until the connection ends, so only frequent statements get a name, and only a limited number:
 * the filters of clients produce statements of ever new forms.
 */
class StatementNames {
  readonly #prefix = `overlay_${crypto.randomUUID().slice(0, 8)}_`;
  readonly #names = new Map<string, string>();
  #seen = new Map<string, number>();

  /** @returns undefined for a statement that is not to be prepared */
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

/** One instance for the process: pools may be shared, and on a connection a name must always mean the same statement. */
export const statementNames = new StatementNames();
