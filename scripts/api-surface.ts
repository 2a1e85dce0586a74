import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * The public names of every entry point of the package with their declarations, as text: what a change of it breaks, or adds, shows in a diff. Names
 * that are declared behind these are not spelled out, nor are the types of operations, which have a folder of their own.
 */
export const apiSurface = (root: string): string => {
  const entries = entryPoints(root);
  const { config } = ts.readConfigFile(join(root, 'tsconfig.build.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram([...entries.values()], {
    ...options,
    emitDeclarationOnly: true,
    removeComments: true,
    sourceMap: false,
  });
  const checker = program.getTypeChecker();
  const declared = declarationsOf(program);

  const lines = (file: string): readonly string[] => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile); // a root of the program
    const names = module ? checker.getExportsOfModule(module) : [];
    return names
      .map((symbol) => ({ name: symbol.name, of: symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol }))
      .filter(({ of }) => !isOfOperations(of))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap(({ name, of }) => [...(name === of.name ? [] : [`// ${name} is`]), ...declared(of)]);
  };
  return [...entries].flatMap(([name, file]) => [`## \`${name}\``, '', '```ts', ...lines(file), '```', '']).join('\n');
};

const isOfOperations = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations.some((declaration) => declaration.getSourceFile().fileName.includes('/src/types/'));

/** Name, as it is imported, to source. */
const entryPoints = (root: string): ReadonlyMap<string, string> => {
  const { name, exports }: { name: string; exports: Readonly<Record<string, { readonly types: string } | string>> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  return new Map(
    Object.entries(exports).flatMap(([path, target]) =>
      typeof target === 'string' ? [] : [[path.replace('.', name), join(root, target.types.replace('dist/', '').replace('.d.ts', '.ts'))]],
    ),
  );
};

/** Looks declarations up as the compiler writes them, where inferred types are spelled out. */
const declarationsOf = (program: ts.Program) => {
  const files = new Map<ts.SourceFile, ts.SourceFile>();
  const emitted = (source: ts.SourceFile): ts.SourceFile => {
    const known = files.get(source);
    if (known) return known;
    let text = '';
    program.emit(source, (_, written) => (text = written), undefined, true);
    const file = ts.createSourceFile(source.fileName, text, ts.ScriptTarget.Latest, true);
    files.set(source, file);
    return file;
  };
  return (symbol: ts.Symbol): readonly string[] => {
    const sources = new Set(symbol.declarations?.map((declaration) => declaration.getSourceFile()));
    return [...sources].flatMap((source) =>
      emitted(source)
        .statements.filter((statement) => namesOf(statement).includes(symbol.name))
        .map((statement) => statement.getText().replace(/^export (declare )?/, '')),
    );
  };
};

const namesOf = (statement: ts.Statement): readonly string[] => {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.getText());
  const isNamed =
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isFunctionDeclaration(statement);
  return isNamed && statement.name ? [statement.name.text] : [];
};
