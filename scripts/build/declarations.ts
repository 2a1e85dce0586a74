import { join, posix, relative, sep } from 'node:path';
import ts from 'typescript';

/**
 * The declarations of all sources, by their path in `dist/`.
 * @throws Error if the sources do not compile
 */
export const declarationsOf = (root: string): ReadonlyMap<string, string> => {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(root, 'tsconfig.build.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: refuse },
  );
  if (!config) throw new Error('tsconfig.build.json is missing');
  const program = ts.createProgram(config.fileNames, config.options);
  const texts = new Map<string, string>();
  const { diagnostics } = program.emit(undefined, (path, text) => {
    texts.set(relative(join(root, 'dist'), path).split(sep).join(posix.sep), indentedByTabs(text));
  });
  [...ts.getPreEmitDiagnostics(program), ...diagnostics].forEach(refuse);
  return texts;
};

/** Replaces the compiler's indentation of four spaces, which accounts for a twelfth of all declarations. */
const indentedByTabs = (text: string): string => text.replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4));

const refuse = (diagnostic: ts.Diagnostic): never => {
  throw new Error(
    ts.formatDiagnostic(diagnostic, {
      getCurrentDirectory: ts.sys.getCurrentDirectory,
      getCanonicalFileName: String,
      getNewLine: () => '\n',
    }),
  );
};
