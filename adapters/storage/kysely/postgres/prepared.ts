/**
 * Names of prepared statements. The server keeps a prepared statement until its connection ends, and clients' filters keep producing
 * statements of new forms. So only frequent statements get a name, up to a maximum number.
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

/** Maximum number of prepared statements. */
const MAX_NAMES = 400;
/** Maximum length of a prepared statement, in UTF-16 units. */
const MAX_LENGTH = 5000;
/** Number of uses after which a statement is prepared. */
const MIN_USES = 3;

/** One instance per process, because stores may share a pool, and a name must always stand for the same statement on a connection. */
const statementNames = new StatementNames();

/** Decides whether the connections of a pool prepare statements. */
export class Preparation {
  #isOver = false;

  nameFor(sql: string): string | undefined {
    return this.#isOver ? undefined : statementNames.nameFor(sql);
  }

  /** Stops preparing statements. Call it if a session has lost a prepared statement, or has one of another session. */
  end(): void {
    this.#isOver = true;
  }
}

/** True if a session lacks a prepared statement, or has one of another session. Happens only if a pooler shares sessions. */
export const hasLostName = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && NAME_LOST.has(String(error.code));

/** `invalid_sql_statement_name` and `duplicate_prepared_statement`: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const NAME_LOST = new Set(['26000', '42P05']);
