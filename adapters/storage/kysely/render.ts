/** Renders SQL for an engine: the last step before a statement is sent. */
import type { SqlEngine } from './engine/index.ts';
import { raw, type Sql } from './sql.ts';

export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
  /** The text around the parameters. */
  readonly strings: readonly string[];
}

/** With placeholders. Values beyond the engine's `maxParameters` become literals. */
export const rendered = (engine: SqlEngine, { strings, values }: Sql): Statement => {
  const bound = Math.min(values.length, engine.maxParameters);
  let text = strings[0] ?? '';
  values.forEach((value, index) => {
    const written = index < bound ? (engine.placeholder?.(index + 1) ?? '?') : engine.literal(value);
    text += written + (strings[index + 1] ?? '');
  });
  const parameters = values.slice(0, bound).map((value) => engine.parameter(value));
  return { text, parameters, strings: bound < values.length ? partsBeside(engine, { strings, values }, bound) : strings };
};

/** The text around the first parameters, with all further values written out. */
const partsBeside = (engine: SqlEngine, { strings, values }: Sql, bound: number): readonly string[] => [
  ...strings.slice(0, bound),
  writtenOut(engine, { strings: strings.slice(bound), values: values.slice(bound) }),
];

/** With literals, for statements without parameters. */
export const writtenOut = (engine: SqlEngine, { strings, values }: Sql): string =>
  strings.map((text, index) => (index === 0 ? text : engine.literal(values[index - 1] ?? null) + text)).join('');

/** A name as a quoted identifier. */
export const identifier = (engine: SqlEngine, name: string): Sql => raw(engine.quote(name));
