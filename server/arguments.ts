import { parseArgs } from 'node:util';
import { StartFailure } from './failure.ts';

/** An option, as it is declared: read and described in the help by this alone. */
export interface OptionDeclaration {
  /** What stands for its value in the help, e.g. `FILE`; a flag has none. */
  readonly value?: string;
  /** For the help. */
  readonly about: string;
}

/** The options of a command, by name. */
export type OptionTable = Readonly<Record<string, OptionDeclaration>>;

/** The options that were given. */
export interface Given<Name extends string> {
  /** The last one of that name counts. A flag is the empty text. */
  get(name: Name): string | undefined;
  /** All of that name, in order. */
  all(name: Name): readonly string[];
  has(name: Name): boolean;
}

/**
 * Reads arguments by the table of options. Not strict, so that refusals are our own sentences; every token is looked at here.
 * @returns `help` when that was asked for
 * @throws StartFailure that names the argument, and what would be right
 */
export const readArguments = <T extends OptionTable>(args: readonly string[], table: T): Given<keyof T & string> | 'help' => {
  const options = Object.entries(table).map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const);
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...Object.fromEntries(options), help: { type: 'boolean', short: 'h' } },
    strict: false,
    tokens: true,
  });
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') throw new StartFailure(`unexpected argument '${token.value}'; see --help`);
    const { name, value, inlineValue } = token;
    if (name === 'help') return 'help';
    const declared = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!declared) throw new StartFailure(`unknown option ${token.rawName}; see --help`);
    const isFlag = declared.value === undefined;
    if (isFlag && value !== undefined) throw new StartFailure(`option --${name} takes no value; see --help`);
    // `--host --port 1` is a forgotten value; who wants a value that begins with a dash writes `--host=-x`.
    if (!isFlag && (value === undefined || (!inlineValue && value.startsWith('-') && value !== '-')))
      throw new StartFailure(`option --${name} needs a value; see --help`);
    values.set(name, [...(values.get(name) ?? []), value ?? '']);
  }
  return { get: (name) => values.get(name)?.at(-1), all: (name) => values.get(name) ?? [], has: (name) => values.has(name) };
};
