/** Renders SQL for an engine, right before a statement is sent. */
import type { SqlEngine } from './engine/index.ts';
import { formsOf } from './forms.ts';
import { isSql, raw, type Sql, type Value } from './sql.ts';

export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
  /** The text around the parameters. */
  readonly strings: readonly string[];
}

/**
 * Renders a statement with placeholders. Statements of the same form, which differ only in their values, share one text, so that drivers
 * recognize them as the same prepared statement. Values beyond the engine's `maxParameters` become literals.
 */
export const rendered = (engine: SqlEngine, statement: Sql): Statement => {
  const { form, values } = formsOf(engine).find(statement);
  if (values.length > engine.maxParameters) return withLiterals(engine, statement);
  form.text ??= textOf(engine, flat(statement));
  return { ...form.text, parameters: values.map((value) => engine.parameter(value)) };
};

/** Renders a statement with all values as literals, for statements that cannot have parameters. */
export const inlineLiterals = (engine: SqlEngine, statement: Sql): string => literally(engine, flat(statement));

/** A name as a quoted identifier. */
export const identifier = (engine: SqlEngine, name: string): Sql => raw(engine.quote(name));

/** An existing table or index, qualified with the engine's schema. Do not qualify a new index: it is created in the schema of its table. */
export const qualified = (engine: SqlEngine, name: string): Sql =>
  raw(engine.schema === undefined ? engine.quote(name) : `${engine.quote(engine.schema)}.${engine.quote(name)}`);

/** The text around values, and the values. */
interface Flat {
  readonly strings: readonly string[];
  readonly values: readonly Value[];
}

const flat = (statement: Sql): Flat => {
  const [strings, values]: [string[], Value[]] = [[], []];
  let last = '';
  const append = ({ strings: around, parts }: Sql): void => {
    last += around[0] ?? '';
    parts.forEach((part, index) => {
      if (isSql(part)) append(part);
      else {
        strings.push(last);
        values.push(part);
        last = '';
      }
      last += around[index + 1] ?? '';
    });
  };
  append(statement);
  return { strings: [...strings, last], values };
};

const textOf = (engine: SqlEngine, { strings }: Flat): Omit<Statement, 'parameters'> => {
  const text = strings.map((part, index) => (index === 0 ? part : (engine.placeholder?.(index) ?? '?') + part)).join('');
  return { text, strings };
};

const literally = (engine: SqlEngine, { strings, values }: Flat): string =>
  strings.map((part, index) => (index === 0 ? part : engine.literal(values[index - 1] ?? null) + part)).join('');

/** The first values remain parameters; all others become literals. */
const withLiterals = (engine: SqlEngine, statement: Sql): Statement => {
  const { strings, values } = flat(statement);
  const max = engine.maxParameters;
  const rest = literally(engine, { strings: strings.slice(max), values: values.slice(max) });
  const around = [...strings.slice(0, max), rest];
  return { ...textOf(engine, { strings: around, values: [] }), parameters: values.slice(0, max).map((value) => engine.parameter(value)) };
};
