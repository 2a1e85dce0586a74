import { parseArgs } from 'node:util';
import { nearestName } from '../src/contract/options.ts';
import { StartFailure } from './failure.ts';

/** The declaration of an option: how to parse, describe and display it. */
export interface OptionDeclaration {
  /** Placeholder of the value in the help, e.g. `FILE`; a flag has none. */
  readonly value?: string;
  /** Description in the help. */
  readonly about: string;
  /** The value if the option is absent, provided that it is constant. */
  readonly default?: string;
  /** `repeated`: may be given several times; `commas`: one value, a list separated by commas. */
  readonly list?: 'repeated' | 'commas';
  /** Removes secrets from a value before it is displayed. Default: displays it unchanged. */
  readonly redact?: (value: string) => string;
}

/** The options of a command, by name. */
export type OptionTable = Readonly<Record<string, OptionDeclaration>>;

/** The option values from one source, by option name. A flag has one empty string if it is on, and no values if it is off. */
export interface Source {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The spelling of an option in this source, for messages. */
  label(name: string): string;
}

/** The values of the options that were given, merged from all sources. */
export interface OptionValues<Name extends string> {
  /** The last value of the option; the empty string for a flag. */
  get(name: Name): string | undefined;
  /** All values of the option, in order. */
  all(name: Name): readonly string[];
  has(name: Name): boolean;
  /** The spelling of the option in the source that gave it; undefined if it was not given. */
  source(name: Name): string | undefined;
}

/** @param sources in order of precedence */
export const mergeSources = <Name extends string>(...sources: readonly Source[]): OptionValues<Name> => {
  const sourceOf = (name: string) => sources.find(({ values }) => values.has(name));
  const all = (name: Name) => sourceOf(name)?.values.get(name) ?? [];
  return { all, get: (name) => all(name).at(-1), has: (name) => all(name).length > 0, source: (name) => sourceOf(name)?.label(name) };
};

/**
 * Parses command-line arguments. Checks every token itself, because errors of the strict mode of `parseArgs` contain no hints.
 * @returns `help` if that was requested
 * @throws StartFailure that names the invalid argument, with a hint
 */
export const readArguments = (args: readonly string[], table: OptionTable): Source | 'help' => {
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
    if (!declared) throw new StartFailure(`unknown option ${token.rawName}${hintOf(name, spellingsOf(table))}`);
    const isFlag = declared.value === undefined;
    if (isFlag && value !== undefined) throw new StartFailure(`option --${name} takes no value; see --help`);
    // `--host --port 1` lacks a value; a value that begins with a dash is written `--host=-x`.
    if (!isFlag && (value === undefined || (!inlineValue && value.startsWith('-') && value !== '-')))
      throw new StartFailure(`option --${name} needs a value; see --help`);
    values.set(name, [...(values.get(name) ?? []), value ?? '']);
  }
  return { values, label: (name) => `--${name}` };
};

/**
 * The end of an error message about an unknown name: a suggestion, or a pointer to the help.
 * @param names the spelling of each known name, by its normalized form
 */
export const hintOf = (given: string, names: ReadonlyMap<string, string>): string => {
  const suggestion = names.get(nearestName(given, [...names.keys()]) ?? '');
  return suggestion === undefined ? '; see --help' : `: did you mean ${suggestion}?`;
};

const spellingsOf = (table: OptionTable): ReadonlyMap<string, string> => new Map(Object.keys(table).map((name) => [name, `--${name}`]));

/** The column where descriptions start. */
const INDENT = 25;
const LINE_WIDTH = 118;

/** The option that every command has. */
export const HELP = { help: { about: 'print this help' } } as const;

/** The help text for a table of options. */
export const helpOfOptions = (table: OptionTable): string =>
  Object.entries(table)
    .map(([name, { value, about, default: defaultValue }]: [string, OptionTable[string]]) =>
      entry(
        `--${name}${value === undefined ? '' : ` ${value}`}`,
        defaultValue === undefined ? about : `${about} (default ${defaultValue})`,
      ),
    )
    .join('\n');

/** A help entry: a name with its description beside it. */
export const entry = (name: string, about: string): string => {
  const [first = '', ...rest] = wrapped(about, LINE_WIDTH - INDENT);
  const head = `  ${name}`;
  const lines = head.length < INDENT ? [head.padEnd(INDENT) + first, ...rest.map(indented)] : [head, ...[first, ...rest].map(indented)];
  return lines.join('\n');
};

const indented = (line: string): string => ' '.repeat(INDENT) + line;

/** Wraps text into lines of at most `width` characters. */
export const wrapped = (text: string, width = LINE_WIDTH): readonly string[] => {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
};
