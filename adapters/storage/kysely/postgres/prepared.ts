/** Prepared statements: which statements get a name, and whether the connection keeps it. */

/**
 * Names of prepared statements. The server keeps a prepared statement until its connection ends, and clients' filters keep producing statements of new forms.
 * So only frequent statements get a name, up to a maximum number.
 */
class StatementNames {
  readonly #prefix = `overlay_${crypto.randomUUID().slice(0, 8)}_`;
  readonly #names = new Map<string, string>();
  #uses = new Map<string, number>();

  /** @returns the name of a statement; undefined if the statement should not be prepared */
  nameFor(sql: string): string | undefined {
    const name = this.#names.get(sql);
    if (name !== undefined || sql.length > MAX_LENGTH || this.#names.size === MAX_NAMES) return name;
    const times = (this.#uses.get(sql) ?? 0) + 1;
    if (times === MIN_USES) {
      this.#uses.delete(sql);
      this.#names.set(sql, `${this.#prefix}${this.#names.size}`);
    } else {
      if (this.#uses.size === MAX_NAMES) this.#uses = new Map();
      this.#uses.set(sql, times);
    }
    return this.#names.get(sql);
  }
}

const MAX_NAMES = 400;
const MAX_LENGTH = 5000;
const MIN_USES = 3;

/** One instance per process, because stores may share a pool, and a name must always stand for the same statement on a connection. */
const statementNames = new StatementNames();

/** Whether the connections of a pool prepare statements. */
export class Preparation {
  #isOver = false;

  nameFor(sql: string): string | undefined {
    return this.#isOver ? undefined : statementNames.nameFor(sql);
  }

  /** From now on, no statement has a name: a session has lost one, or has one that is not its own. */
  end(): void {
    this.#isOver = true;
  }
}

/** True if the session of a connection lacks a prepared statement, or has that of another. Happens only where a pooler shares sessions. */
export const hasLostName = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && NAME_LOST.has(String(error.code));

/** `invalid_sql_statement_name` and `duplicate_prepared_statement`: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const NAME_LOST = new Set(['26000', '42P05']);
