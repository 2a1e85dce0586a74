/** Renders SQL for an engine: the last step before a statement is sent. */
import type { SqlEngine } from './engine/index.ts';
import { raw, type Sql } from './sql.ts';

export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** With placeholders. Values beyond the engine's `maxParameters` become literals. */
export const rendered = (engine: SqlEngine, { strings, values }: Sql): Statement => {
  const bound = Math.min(values.length, engine.maxParameters);
  let text = strings[0] ?? '';
  values.forEach((value, index) => {
    const written = index < bound ? (engine.placeholder?.(index + 1) ?? '?') : engine.literal(value);
    text += written + (strings[index + 1] ?? '');
  });
  return { text, parameters: values.slice(0, bound).map((value) => engine.parameter(value)) };
};

/** With literals, for statements without parameters. */
export const writtenOut = (engine: SqlEngine, { strings, values }: Sql): string =>
  strings.map((text, index) => (index === 0 ? text : engine.literal(values[index - 1] ?? null) + text)).join('');

/** A name as a quoted identifier. */
export const identifier = (engine: SqlEngine, name: string): Sql => raw(engine.quote(name));
