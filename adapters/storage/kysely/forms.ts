/**
 * The forms of statements: statements without their values. The template strings of a piece of SQL are the same array on every call, so a form is found by
 * identity, without composing or looking up a long text.
 */
import type { SqlEngine } from './engine/index.ts';
import { isSql, type Sql, type Value } from './sql.ts';

/** The text of a form for an engine, and the text around its parameters. */
export interface FormText {
  readonly text: string;
  readonly strings: readonly string[];
}

/** A tree: each step is the strings of a piece, or a value in its place. The pieces before it say how many parts follow, so that no form begins another. */
class Form {
  /** Set once a statement that ends here has been rendered. */
  text: FormText | undefined;
  // Most forms are continued in one way only.
  #step: unknown;
  #after: Form | undefined;
  #others: Map<unknown, Form> | undefined;

  after(step: unknown): Form | undefined {
    return step === this.#step ? this.#after : this.#others?.get(step);
  }

  /** Adds a continuation. */
  grow(step: unknown): Form {
    const form = new Form();
    if (this.#after === undefined) [this.#step, this.#after] = [step, form];
    else {
      this.#others ??= new Map();
      this.#others.set(step, form);
    }
    return form;
  }
}

const VALUE = Symbol('a value');

/** Maximum number of cached steps. Clients' filters keep creating new forms; beyond this number, the cache is cleared. */
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
    // A text without parts may be a different array each time.
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
    const known = form.after(step);
    if (known) return known;
    this.#steps++;
    return form.grow(step);
  }
}

const byEngine = new WeakMap<SqlEngine, Forms>();

export const formsOf = (engine: SqlEngine): Forms => {
  const known = byEngine.get(engine);
  if (known) return known;
  const forms = new Forms();
  byEngine.set(engine, forms);
  return forms;
};
