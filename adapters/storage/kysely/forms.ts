/**
 * The forms of statements: statements without their values. The template strings of a piece of SQL are the same array on every call, so a
 * form is found by identity, without composing or looking up a long text.
 */
import type { SqlEngine } from './engine/index.ts';
import { isSql, type Sql, type Value } from './sql.ts';

/** The text of a form for an engine, and the text around its parameters. */
export interface FormText {
  readonly text: string;
  readonly strings: readonly string[];
}

/**
 * A node of a trie. A step is the strings of a piece, or a placeholder for a value. The strings determine how many parts follow, so no form
 * is a prefix of another.
 */
class Form {
  /** Set when a statement that ends at this node has been rendered. */
  text: FormText | undefined;
  // Most nodes have only one child.
  #step: unknown;
  #child: Form | undefined;
  #otherChildren: Map<unknown, Form> | undefined;

  after(step: unknown): Form | undefined {
    return step === this.#step ? this.#child : this.#otherChildren?.get(step);
  }

  /** Adds a child. */
  add(step: unknown): Form {
    const form = new Form();
    if (this.#child === undefined) [this.#step, this.#child] = [step, form];
    else {
      this.#otherChildren ??= new Map();
      this.#otherChildren.set(step, form);
    }
    return form;
  }
}

const VALUE = Symbol('a value');

/** Maximum number of cached steps. Clients' filters keep creating new forms, so the cache is cleared at this size. */
export const MAX_STEPS = 50_000;

/** Caches the forms of an engine. */
class Forms {
  #first = new Form();
  #steps = 0;

  /** @returns the form of a statement, and its values in order */
  find(statement: Sql): { readonly form: Form; readonly values: readonly Value[] } {
    if (this.#steps > MAX_STEPS) {
      this.#first = new Form();
      this.#steps = 0;
    }
    const values: Value[] = [];
    return { form: this.#walk(statement, this.#first, values), values };
  }

  #walk({ strings, parts }: Sql, from: Form, values: Value[]): Form {
    // A text without parts may be a different array each time, so it is looked up by its string.
    let form = this.#take(from, parts.length === 0 ? strings[0] : strings);
    for (const part of parts) {
      if (isSql(part)) form = this.#walk(part, form, values);
      else {
        values.push(part);
        form = this.#take(form, VALUE);
      }
    }
    return form;
  }

  #take(form: Form, step: unknown): Form {
    const existing = form.after(step);
    if (existing) return existing;
    this.#steps++;
    return form.add(step);
  }
}

const byEngine = new WeakMap<SqlEngine, Forms>();

export const formsOf = (engine: SqlEngine): Forms => {
  const existing = byEngine.get(engine);
  if (existing) return existing;
  const forms = new Forms();
  byEngine.set(engine, forms);
  return forms;
};
