import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * The public names of every entry point of the package with their declarations, as text, so that a diff shows what a change adds or breaks.
 * Declarations that these refer to are not included unless they are public, nor are the types of operations, which have a separate folder.
 */
export const apiSurface = (root: string, program: ts.Program): string => {
  const entries = entryPoints(root);
  const checker = program.getTypeChecker();
  const declared = declarationsOf(program);

  const lines = (file: string): readonly string[] => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile); // a root of the program
    const names = module ? checker.getExportsOfModule(module) : [];
    return names
      .map((symbol) => ({ name: symbol.name, target: symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol }))
      .filter(({ target }) => !isOperationType(target))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap(({ name, target }) => [...(name === target.name ? [] : [`// ${name} is`]), ...declared(target)]);
  };
  return [...entries].flatMap(([name, file]) => [`## \`${name}\``, '', '```ts', ...lines(file), '```', '']).join('\n');
};

const isOperationType = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations.some((declaration) => declaration.getSourceFile().fileName.includes('/src/contract/types/'));

/** The source file of each entry point, by the name under which it is imported. */
export const entryPoints = (root: string): ReadonlyMap<string, string> => {
  const { name, exports }: { name: string; exports: Readonly<Record<string, { readonly types: string } | string>> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  return new Map(
    Object.entries(exports).flatMap(([path, target]) =>
      typeof target === 'string' ? [] : [[path.replace('.', name), join(root, target.types.replace('dist/', '').replace('.d.ts', '.ts'))]],
    ),
  );
};

/** Looks up declarations as the compiler emits them, with inferred types written out. */
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
