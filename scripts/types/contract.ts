import { join } from 'node:path';
import ts from 'typescript';
import { capitalised } from './text.ts';

/** The types and comments of the declarations in `src/contract/api/`, from the compiler. */
export interface Contract {
  readonly checker: ts.TypeChecker;
  /** The content of events, by kind. */
  readonly rows: ts.Type;
  /** The content of events about one kind. */
  rowOf(kind: string): ts.Type;
  /** The input and output types of an operation. */
  typesOf(group: string, verb: string): { readonly input: ts.Type; readonly output: ts.Type };
  /** The comment at the declaration of a property, even if the property was derived from the declaration in several steps. */
  commentOf(property: ts.Symbol): string;
  /** The comment at a field in the table of a kind or, if the kind has variants, in the table of any variant. */
  fieldComment(kind: string, field: string): string;
  /** The comment at the schema with this id in `.meta({ id })`, or at a constant with this name: `listQuery` for `ListQuery`. */
  schemaComment(id: string): string;
  /** The comment at `variant(name, ...)`. */
  variantComment(name: string): string;
}

/** The file that a program must contain for {@link openContract}. */
export const declaredTypes = (root: string): string => join(root, 'scripts/types/declared.ts');

export const openContract = (root: string, program: ts.Program): Contract => {
  const file = declaredTypes(root);
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile); // a root of the program, and a module
  const exported = (name: string): ts.Type => {
    const symbol = module && checker.getExportsOfModule(module).find((each) => each.name === name);
    if (!symbol) throw new TypeError(`${file} exports no ${name}`);
    return checker.getDeclaredTypeOfSymbol(symbol);
  };
  const member = (type: ts.Type, name: string): ts.Type => {
    const property = type.getProperty(name);
    if (!property) throw new TypeError(`no ${name} in ${checker.typeToString(type)}`);
    return checker.getTypeOfSymbol(property);
  };
  const declared = exported('Declared');
  const tables = exported('FieldTables');

  const commentOf = (property: ts.Symbol): string =>
    checker
      .getRootSymbols(property)
      .map((symbol) => ts.displayPartsToString(symbol.getDocumentationComment(checker)))
      .find((text) => text !== '') ?? '';

  const schemaComments = commentsOfSchemas(program, join(root, 'src/contract/api'));
  const rows = exported('InferredRows');
  return {
    checker,
    rows,
    rowOf: (kind) => member(rows, kind),
    typesOf: (group, verb) => {
      const operation = member(member(declared, group), verb);
      return { input: member(operation, 'input'), output: member(operation, 'output') };
    },
    commentOf,
    fieldComment: (kind, field) => {
      const table = member(tables, kind);
      const properties = (table.isUnion() ? table.types : [table]).flatMap((each) => each.getProperty(field) ?? []);
      return properties.map(commentOf).find((text) => text !== '') ?? '';
    },
    schemaComment: (id) => schemaComments.get(id) ?? '',
    variantComment: (name) => schemaComments.get(variantKey(name)) ?? '',
  };
};

const commentsOfSchemas = (program: ts.Program, folder: string): ReadonlyMap<string, string> => {
  const comments = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    const name = ts.isCallExpression(node) ? nameIn(node) : ts.isVariableDeclaration(node) ? capitalised(node.name.getText()) : undefined;
    const comment = name === undefined ? '' : commentAt(ts.isVariableDeclaration(node) ? node.parent.parent : declarationOf(node));
    if (name !== undefined && comment !== '' && !comments.has(name)) comments.set(name, comment);
    ts.forEachChild(node, visit);
  };
  for (const file of program.getSourceFiles()) if (file.fileName.startsWith(folder)) visit(file);
  return comments;
};

const variantKey = (name: string): string => `variant ${name}`;

const nameIn = ({ expression, arguments: [first] }: ts.CallExpression): string | undefined => {
  if (ts.isIdentifier(expression) && expression.text === 'variant' && first && ts.isStringLiteral(first)) return variantKey(first.text);
  if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== 'meta' || !first || !ts.isObjectLiteralExpression(first))
    return undefined;
  const id = first.properties.find((property) => ts.isPropertyAssignment(property) && property.name.getText() === 'id');
  return id && ts.isPropertyAssignment(id) && ts.isStringLiteral(id.initializer) ? id.initializer.text : undefined;
};

/** The declaration of which an expression is the whole value. */
const declarationOf = (expression: ts.Node): ts.Node => {
  const { parent } = expression;
  if (ts.isAsExpression(parent) || ts.isParenthesizedExpression(parent)) return declarationOf(parent);
  return ts.isVariableDeclaration(parent) ? parent.parent.parent : parent;
};

const commentAt = (node: ts.Node): string =>
  ts.isVariableStatement(node) || ts.isPropertyAssignment(node)
    ? ts
        .getJSDocCommentsAndTags(node)
        .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
        .join(' ')
    : '';
