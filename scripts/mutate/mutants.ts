/** The mutants of a source file: random one-place mistakes, found by the syntax tree. */
import ts from 'typescript';
import type { MistakeKind, Mutant } from './mutant.ts';

type Replacement = Omit<Mutant, 'file' | 'line' | 'declared'>;

const OPPOSITES: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [ts.SyntaxKind.AmpersandAmpersandToken]: '||',
  [ts.SyntaxKind.BarBarToken]: '&&',
  [ts.SyntaxKind.PlusToken]: '-',
  [ts.SyntaxKind.MinusToken]: '+',
};

/** Mistakes in words for people change no behaviour: arguments of these calls are left as they are. */
const WORDS = new Set(['describe', 'meta', 'title', 'description']);

/** @param file the path that the mutants name */
export const mutantsOf = (file: string, text: string): readonly Mutant[] => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  let declared: readonly string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && WORDS.has(node.expression.name.text)) {
      visit(node.expression.expression);
      return;
    }
    for (const replacement of replacementsOf(node, source))
      mutants.push({ file, line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1, declared, ...replacement });
    ts.forEachChild(node, visit);
  };
  for (const statement of source.statements) {
    declared = namesOf(statement);
    visit(statement);
  }
  return mutants;
};

const namesOf = (statement: ts.Statement): readonly string[] => {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.getText());
  return (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name ? [statement.name.text] : [];
};

const replacementsOf = (node: ts.Node, source: ts.SourceFile): readonly Replacement[] => {
  const textOf = (part: ts.Node): string => part.getText(source);
  const shortOf = (part: ts.Node): string => short(textOf(part));
  const replace = (part: ts.Node, kind: MistakeKind, replacement: string, mistake: string): Replacement => ({
    kind,
    mistake,
    start: part.getStart(source),
    end: part.getEnd(),
    replacement,
  });
  const negate = (condition: ts.Expression) => replace(condition, 'condition', `!(${textOf(condition)})`, `negated: ${shortOf(condition)}`);

  if (ts.isIfStatement(node)) {
    const { expression: condition, thenStatement, elseStatement } = node;
    return [
      negate(condition),
      replace(node, 'branch', elseStatement ? textOf(elseStatement) : ';', `never: if (${shortOf(condition)})`),
      replace(node, 'branch', textOf(thenStatement), `always: if (${shortOf(condition)})`),
    ];
  }
  if (ts.isWhileStatement(node)) return [negate(node.expression)];
  if (ts.isConditionalExpression(node))
    return [
      negate(node.condition),
      ...[node.whenTrue, node.whenFalse].map((only) =>
        replace(node, 'branch', `(${textOf(only)})`, `always ${shortOf(only)}: ${shortOf(node)}`),
      ),
    ];
  if (ts.isBinaryExpression(node)) return binaryReplacements(node, replace, textOf);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [replace(node, 'condition', `(${textOf(node.operand)})`, `without the negation: ${shortOf(node)}`)];
  if (ts.isAwaitExpression(node))
    return [replace(node, 'await', `(${textOf(node.expression)})`, `without await: ${shortOf(node.expression)}`)];
  if (ts.isReturnStatement(node)) return [replace(node, 'return', ';', `without the return: ${shortOf(node)}`)];
  if (ts.isThrowStatement(node)) return [replace(node, 'throw', ';', `without the throw: ${shortOf(node)}`)];
  if (ts.isExpressionStatement(node)) {
    const called = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression;
    return ts.isCallExpression(called) ? [replace(node, 'call', ';', `without the call: ${shortOf(called)}`)] : [];
  }
  if (ts.isCallExpression(node) || ts.isNewExpression(node))
    return swaps(node.arguments ?? [], textOf).map(([first, second]) => ({
      ...replace(second, 'arguments', `${textOf(second)}, ${textOf(first)}`, `arguments swapped: ${shortOf(first)} and ${shortOf(second)}`),
      start: first.getStart(source),
    }));
  if (ts.isNumericLiteral(node)) {
    const value = Number(node.text);
    return (value > 1 ? [value + 1, value * 10] : [value + 1]).map((other) =>
      replace(node, 'number', String(other), `${textOf(node)} becomes ${other}: ${shortOf(node.parent)}`),
    );
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [replace(node, 'boolean', 'false', `true becomes false: ${shortOf(node.parent)}`)];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [replace(node, 'boolean', 'true', `false becomes true: ${shortOf(node.parent)}`)];
  if (ts.isSpreadAssignment(node) && ts.isParenthesizedExpression(node.expression))
    return [replace(node, 'members', '...{}', `without the members: ${shortOf(node)}`)];
  return [];
};

const COMPARISON = /^([<>]=?|[!=]==)$/;

const binaryReplacements = (
  { left, operatorToken, right }: ts.BinaryExpression,
  replace: (part: ts.Node, kind: MistakeKind, replacement: string, mistake: string) => Replacement,
  textOf: (part: ts.Node) => string,
): readonly Replacement[] => {
  const whole = left.parent;
  if (operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
    return [
      replace(whole, 'default', `(${textOf(left)})`, `without ?? ${short(textOf(right))}`),
      replace(whole, 'default', `(${textOf(right)})`, `always ${short(textOf(right))}`),
    ];
  const operator = textOf(operatorToken);
  const other = OPPOSITES[operatorToken.kind];
  // A sum of texts is no arithmetic.
  const isOfTexts = operator === '+' && [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side));
  if (other === undefined || isOfTexts) return [];
  const kind = COMPARISON.test(operator) ? 'comparison' : operator === '+' || operator === '-' ? 'number' : 'logic';
  // The parentheses keep the order of evaluation, and `??` beside `||` a valid program.
  return [replace(whole, kind, `((${textOf(left)}) ${other} (${textOf(right)}))`, `${operator} becomes ${other}: ${short(textOf(whole))}`)];
};

/** Neighbours among the arguments of a call that can be swapped. */
const swaps = (given: readonly ts.Expression[], textOf: (part: ts.Node) => string): readonly (readonly [ts.Expression, ts.Expression])[] =>
  given.slice(1).flatMap((second, index) => {
    const first = given[index];
    return !first || [first, second].some(ts.isSpreadElement) || textOf(first) === textOf(second) ? [] : [[first, second] as const];
  });

const MAX_SHOWN = 60;
const short = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN - 1)}…`;
};
