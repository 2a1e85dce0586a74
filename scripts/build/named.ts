import { join, posix, relative, sep } from 'node:path';
import ts from 'typescript';

/**
 * The declarations that users of the package come to: those that the entry points export, and all that these name. The rest, such as types
 * of internal functions, is left out of the texts.
 * @param entries the entry points, by the paths of their declarations in `dist/`
 * @param texts the declarations of all sources, by path
 */
export const named = (root: string, entries: readonly string[], texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const dist = join(root, 'dist');
  const inMemory = new Map([...texts].map(([path, text]) => [join(dist, path), text]));
  const options: ts.CompilerOptions = { module: ts.ModuleKind.NodeNext, noLib: true, types: [] };
  const program = ts.createProgram([...inMemory.keys()], options, {
    ...ts.createCompilerHost(options),
    fileExists: (file) => inMemory.has(file), // what other packages declare is theirs
    directoryExists: () => true, // also where the build has yet to write
    getSourceFile: (file, version) => ts.createSourceFile(file, inMemory.get(file) ?? '', version, true),
  });
  const files = program.getSourceFiles().map((file) => [relative(dist, file.fileName).split(sep).join(posix.sep), file] as const);
  const kept = reached(
    program.getTypeChecker(),
    files.filter(([path]) => entries.includes(path)).map(([, file]) => file),
  );
  return new Map(files.map(([path, { statements }]) => [path, statements.map((statement) => textOf(statement, kept)).join('')]));
};

/** The name of something of another file, in an import or an export. */
type Specifier = ts.ImportSpecifier | ts.ExportSpecifier | ts.NamespaceImport;

const isSpecifier = (node: ts.Node): node is Specifier =>
  ts.isImportSpecifier(node) || ts.isExportSpecifier(node) || ts.isNamespaceImport(node);

/** The statements and specifiers to which the exports of the entries lead. */
const reached = (checker: ts.TypeChecker, entries: readonly ts.SourceFile[]): ReadonlySet<ts.Node> => {
  const found = new Set<ts.Node>();
  const reach = (symbol: ts.Symbol | undefined): void => {
    for (const declaration of symbol?.declarations ?? []) {
      if (ts.isSourceFile(declaration)) reachExports(declaration);
      else visit(ts.findAncestor(declaration, (node) => isSpecifier(node) || ts.isSourceFile(node.parent)));
    }
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) reach(checker.getImmediateAliasedSymbol(symbol));
  };
  const reachExports = (file: ts.SourceFile): void => {
    const module = checker.getSymbolAtLocation(file);
    if (module) checker.getExportsOfModule(module).forEach(reach);
  };
  const visit = (part: ts.Node | undefined): void => {
    if (!part || found.has(part)) return;
    found.add(part);
    reachNames(part);
  };
  const reachNames = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) reach(checker.getSymbolAtLocation(node));
    ts.forEachChild(node, reachNames);
  };
  entries.forEach(reachExports);
  return found;
};

/** The text of a statement, without specifiers that are not kept; nothing if none is. */
const textOf = (statement: ts.Statement, kept: ReadonlySet<ts.Node>): string => {
  const text = statement.getFullText();
  if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return kept.has(statement) ? text : '';
  const specifiers = specifiersIn(statement);
  const rest = specifiers.filter((each) => kept.has(each));
  if (rest.length === specifiers.length) return text;
  if (rest.length === 0) return '';
  return `${text.slice(0, text.indexOf('{'))}{ ${rest.map((each) => each.getText()).join(', ')} }${text.slice(text.lastIndexOf('}') + 1)}`;
};

const specifiersIn = (node: ts.Node): readonly Specifier[] => {
  if (isSpecifier(node)) return [node];
  const found: Specifier[] = [];
  ts.forEachChild(node, (child) => {
    found.push(...specifiersIn(child));
  });
  return found;
};
