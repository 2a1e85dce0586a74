import { parseArgs } from 'node:util';
import { nearest } from '../src/options.ts';
import { StartFailure } from './failure.ts';

/** An option, as it is declared: read, described in the help and shown by this alone. */
export interface OptionDeclaration {
  /** Placeholder of the value in the help, e.g. `FILE`; a flag has none. */
  readonly value?: string;
  /** For the help. */
  readonly about: string;
  /** The value when the option is absent, if that is constant. */
  readonly default?: string;
  /** `repeated`: may be given several times; `commas`: one value, a list separated by commas. */
  readonly list?: 'repeated' | 'commas';
  /** Renders a value without its secrets. Default: as it is. */
  readonly shown?: (value: string) => string;
}

/** The options of a command, by name. */
export type OptionTable = Readonly<Record<string, OptionDeclaration>>;

/** The options that one source gives, by name: in order, none for a flag that is off. A flag that is on is the empty text. */
export interface Source {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The name of an option in this source, for messages. */
  label(name: string): string;
}

/** The options that were given. */
export interface Given<Name extends string> {
  /** The last value of that name. A flag is the empty text. */
  get(name: Name): string | undefined;
  /** All of that name, in order. */
  all(name: Name): readonly string[];
  has(name: Name): boolean;
  /** The name of an option in its source; undefined if it was not given. */
  source(name: Name): string | undefined;
}

/** @param sources in order of precedence */
export const givenBy = <Name extends string>(...sources: readonly Source[]): Given<Name> => {
  const sourceOf = (name: string) => sources.find(({ values }) => values.has(name));
  const all = (name: Name) => sourceOf(name)?.values.get(name) ?? [];
  return { all, get: (name) => all(name).at(-1), has: (name) => all(name).length > 0, source: (name) => sourceOf(name)?.label(name) };
};

/**
 * Reads arguments by the table of options. Not strict, so that refusals are our own sentences: every token is checked here.
 * @returns `help` if that was requested
 * @throws StartFailure that names the argument, and what would be right
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
 * The end of a sentence that refuses a name.
 * @param names the spelling of each known name, by its normalized form
 */
export const hintOf = (given: string, names: ReadonlyMap<string, string>): string => {
  const meant = names.get(nearest(given, [...names.keys()]) ?? '');
  return meant === undefined ? '; see --help' : `: did you mean ${meant}?`;
};

const spellingsOf = (table: OptionTable): ReadonlyMap<string, string> => new Map(Object.keys(table).map((name) => [name, `--${name}`]));

/** The column of the descriptions, and the width of a line. */
const [INDENT, WIDTH] = [25, 118];

/** Added to the options of every command. */
export const HELP = { help: { about: 'print this' } } as const;

/** The lines of the help for a table of options. */
export const helpOfOptions = (table: OptionTable): string =>
  Object.entries(table)
    .map(([name, { value, about, default: usual }]: [string, OptionTable[string]]) =>
      entry(`--${name}${value === undefined ? '' : ` ${value}`}`, usual === undefined ? about : `${about} (default ${usual})`),
    )
    .join('\n');

/** A name with its description beside it. */
export const entry = (name: string, about: string): string => {
  const [first = '', ...rest] = wrapped(about, WIDTH - INDENT);
  const head = `  ${name}`;
  const lines = head.length < INDENT ? [head.padEnd(INDENT) + first, ...rest.map(indented)] : [head, ...[first, ...rest].map(indented)];
  return lines.join('\n');
};

const indented = (line: string): string => ' '.repeat(INDENT) + line;

/** Text broken into lines. */
export const wrapped = (text: string, width = WIDTH): readonly string[] => {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
};
