/**
 * The table of contraries, in the text files next to this one. Each entry has the statements that it contradicts, a source file, and the replacements in it.
 *
 *     199 src/api/posture-checks/types/os.ts
 *     - the exact text, which must occur in the file exactly once
 *     + its replacement; without this line, the text is deleted
 *
 * Further lines with `-` and `+` replace more in the same file, or in another after a line `@ FILE`. Lines with `#` are comments.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Replacement {
  readonly old: string;
  readonly new: string;
}

export interface Contrary {
  /** The numbers of the contradicted statements. Each must have a test that notices the contrary. */
  readonly statements: readonly number[];
  /** The replacements by file, relative to the root of the project. */
  readonly replacements: ReadonlyMap<string, readonly Replacement[]>;
  /** File and line of the entry. */
  readonly at: string;
}

const HEADER = /^([\d,]+) (\S+)$/;

/** Pairs each run of `-` lines with the run of `+` lines after it. */
const replacementsIn = (lines: readonly string[]): readonly Replacement[] => {
  const runs: { old: string[]; new: string[] }[] = [];
  let previous = '+';
  for (const line of lines) {
    const sign = line.slice(0, 1);
    if (sign === '-' && previous === '+') runs.push({ old: [], new: [] });
    runs.at(-1)?.[sign === '-' ? 'old' : 'new'].push(line.slice(2));
    previous = sign;
  }
  return runs.map((run) => ({ old: run.old.join('\n'), new: run.new.join('\n') }));
};

const entryIn = ([header = '', ...lines]: readonly string[], at: string): Contrary => {
  const [, statements, file] = HEADER.exec(header) ?? [];
  if (statements === undefined || file === undefined || !lines.every((line) => /^[-+@]/.test(line)))
    throw new SyntaxError(`${at}: an entry is a line with the numbers of statements and a file, and lines that begin with -, + or @`);
  const changes = new Map<string, string[]>();
  let current = file;
  for (const line of lines) {
    if (line.startsWith('@')) current = line.slice(2);
    else changes.set(current, [...(changes.get(current) ?? []), line]);
  }
  return {
    statements: statements.split(',').map(Number),
    replacements: new Map([...changes].map(([path, changedLines]) => [path, replacementsIn(changedLines)])),
    at,
  };
};

export const readContraries = (): readonly Contrary[] =>
  globSync('*.txt', { cwd: import.meta.dirname })
    .toSorted()
    .flatMap((name) => {
      const entries: { lines: string[]; at: string }[] = [];
      for (const [index, line] of readFileSync(join(import.meta.dirname, name), 'utf8')
        .split('\n')
        .entries()) {
        if (line === '' || line.startsWith('#')) continue;
        if (/^\d/.test(line)) entries.push({ lines: [], at: `${name}:${index + 1}` });
        entries.at(-1)?.lines.push(line);
      }
      return entries.map(({ lines, at }) => entryIn(lines, at));
    });

/**
 * The new texts of the files that a contrary changes, by path.
 * @throws {Error} unless each text to replace occurs in its source exactly once
 */
export const contradicted = (root: string, { replacements, at }: Contrary): ReadonlyMap<string, string> =>
  new Map(
    [...replacements].map(([file, fileReplacements]) => {
      let text = readFileSync(join(root, file), 'utf8');
      for (const replacement of fileReplacements) {
        const [before = '', after, ...more] = text.split(replacement.old);
        if (after === undefined || more.length > 0)
          throw new Error(`${at}: ${file} has this text ${after === undefined ? 'no more' : 'more than once'}: ${replacement.old}`);
        text = before + replacement.new + after;
      }
      return [join(root, file), text];
    }),
  );
