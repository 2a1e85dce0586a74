import { posix } from 'node:path';
import ts from 'typescript';

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly node?: string; readonly default: string }>>;
  readonly bin: Readonly<Record<string, string>>;
}

/** The entry points and commands of a package, as paths in `dist/`. */
export const entriesOf = ({ exports, bin }: Manifest): { readonly code: readonly string[]; readonly types: readonly string[] } => {
  const conditions = Object.values(exports).filter((target) => typeof target !== 'string');
  const inDist = (path: string): string => posix.relative('dist', posix.normalize(path));
  return {
    code: [...conditions.flatMap((target) => [target.default, target.node ?? []].flat()), ...Object.values(bin)].map(inDist),
    types: conditions.map((target) => target.types).map(inDist),
  };
};

/** The specifiers of a module's imports, with their positions in its text. */
export const importsOf = (text: string): readonly ts.FileReference[] => ts.preProcessFile(text, true, true).importedFiles;

/**
 * The files that the entries import directly or indirectly by relative specifiers, with their texts.
 * @param textOf returns the text of the file at a path
 * @param target maps the path in an import to the path of the imported file
 */
export const reachable = (
  entries: readonly string[],
  textOf: (path: string) => string,
  target: (path: string) => string,
): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    const text = textOf(path);
    found.set(path, text);
    for (const { fileName } of importsOf(text).filter((each) => each.fileName.startsWith('.')))
      visit(target(posix.join(posix.dirname(path), fileName)));
  };
  entries.map((path) => posix.normalize(path)).forEach(visit);
  return found;
};
