/** Says whether the compiler refuses a mutant: a mistake that does not compile needs no test. */
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../test-files.ts';
import { type Mutant, withMutant } from './mutant.ts';

export const createCompiler = () => {
  const path = join(root, 'tsconfig.json');
  const { options, fileNames } = ts.parseJsonConfigFileContent(ts.readConfigFile(path, ts.sys.readFile).config, ts.sys, root);
  let changed: { readonly path: string; readonly text: string } | undefined;
  let version = 0;
  const service = ts.createLanguageService({
    readFile: ts.sys.readFile,
    fileExists: ts.sys.fileExists,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    readDirectory: ts.sys.readDirectory,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCompilationSettings: () => options,
    getScriptFileNames: () => fileNames.filter((name) => /\/(src|adapters|server)\//.test(name)),
    getScriptVersion: (name) => (name === changed?.path ? String(version) : '0'),
    getScriptSnapshot: (name) => {
      const text = name === changed?.path ? changed.text : ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  return {
    /** @returns the first error of the compiler in the file of the mutant */
    refusalOf: (mutant: Mutant): string | undefined => {
      const file = join(root, mutant.file);
      version++;
      changed = { path: file, text: withMutant(ts.sys.readFile(file) ?? '', mutant) };
      const [error] = service.getSemanticDiagnostics(file);
      return error && ts.flattenDiagnosticMessageText(error.messageText, ' ');
    },
  };
};
