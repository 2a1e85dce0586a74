import type { OptionTable } from './arguments.ts';

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
