import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import ts from 'typescript';

/** A file of somebody's that imports the package, as an editor sees it. `/*1*\/` marks a place in it. */
export interface Consumer {
  /** What hovering the name before a mark shows: how it is declared, and what is said of it. */
  hover(mark: string): { readonly declaration: string; readonly documentation: string };
  /** What is offered at a mark, by name, with what is said of it. */
  offered(mark: string, name: string): string | undefined;
  /** What the compiler finds wrong. */
  faults(): readonly string[];
}

const root = resolve(import.meta.dirname, '../..');
const file = join(root, 'test/types/consumer-of-the-package.ts');

/** The options of a strict project elsewhere. */
const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2024.d.ts', 'lib.esnext.disposable.d.ts'],
  types: ['node'],
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
};

/** @param code imports the package by its entry points in `src/` */
export const openConsumer = (code: string): Consumer => {
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const text = name === file ? code : ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const at = (mark: string): number => {
    const position = code.indexOf(`/*${mark}*/`);
    assert.notEqual(position, -1, `no mark ${mark}`);
    return position;
  };
  return {
    hover: (mark) => {
      const info = service.getQuickInfoAtPosition(file, at(mark) - 1);
      return {
        declaration: ts.displayPartsToString(info?.displayParts),
        documentation: [
          ts.displayPartsToString(info?.documentation),
          ...(info?.tags ?? []).map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`),
        ].join('\n'),
      };
    },
    offered: (mark, name) => {
      const position = at(mark);
      if (!service.getCompletionsAtPosition(file, position, {})?.entries.some((entry) => entry.name === name)) return undefined;
      const details = service.getCompletionEntryDetails(file, position, name, undefined, undefined, {}, undefined);
      return ts.displayPartsToString(details?.documentation);
    },
    faults: () => service.getSemanticDiagnostics(file).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  };
};
