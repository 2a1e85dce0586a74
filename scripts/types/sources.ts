import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * Opens some files and all that they import. Everything that is generated from types is read from this one program, whose types are
 * computed only as far as they are read: errors are found by `npm run check:types`.
 * @returns the program as the files are now; it is parsed again only where they have changed
 */
export const openSources = (root: string, files: readonly string[]): (() => ts.Program) => {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.build.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files }, ts.sys, root);
  const settings: ts.CompilerOptions = { ...options, noCheck: true, removeComments: true, sourceMap: false };
  const host = ts.createCompilerHost(settings);
  const parsed = new Map<string, ts.SourceFile>();
  const getSourceFile = (file: string, how: ts.CreateSourceFileOptions | ts.ScriptTarget): ts.SourceFile | undefined => {
    const known = parsed.get(file);
    if (known) return known;
    const source = host.getSourceFile(file, how);
    if (source) parsed.set(file, source);
    return source;
  };
  const open = (): ts.Program => ts.createProgram(files, settings, { ...host, getSourceFile });

  let program = open();
  return () => {
    const changed = program.getSourceFiles().filter(isChanged);
    for (const { fileName } of changed) parsed.delete(fileName);
    if (changed.length > 0) program = open();
    return program;
  };
};

const isChanged = ({ fileName, text }: ts.SourceFile): boolean =>
  !fileName.includes('/node_modules/') && (!existsSync(fileName) || readFileSync(fileName, 'utf8') !== text);
