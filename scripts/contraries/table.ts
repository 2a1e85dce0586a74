/**
 * The table of contraries: in the text files beside this one, each an entry of the statements that it denies, a source file, and what
 * is replaced there.
 *
 *     199 src/api/posture-checks/types/os.ts
 *     - the exact text, which stands in the file once
 *     + what replaces it; without such a line the text is deleted
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
  /** Numbers of the statements, each of which must have a test that notices. */
  readonly statements: readonly number[];
  /** By file, from the root of the project. */
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
    replacements: new Map([...changes].map(([each, its]) => [each, replacementsIn(its)])),
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
 * The files that a contrary changes, as it leaves them.
 * @throws {Error} unless each text stands in its source exactly once
 */
export const contradicted = (root: string, { replacements, at }: Contrary): ReadonlyMap<string, string> =>
  new Map(
    [...replacements].map(([file, its]) => {
      let text = readFileSync(join(root, file), 'utf8');
      for (const replacement of its) {
        const [before = '', after, ...more] = text.split(replacement.old);
        if (after === undefined || more.length > 0)
          throw new Error(`${at}: ${file} has this text ${after === undefined ? 'no more' : 'more than once'}: ${replacement.old}`);
        text = before + replacement.new + after;
      }
      return [join(root, file), text];
    }),
  );
