import { stripTypeScriptTypes } from 'node:module';
import ts from 'typescript';
import { importsOf } from './reach.ts';

/**
 * Converts a source to JavaScript with the same lines: without types and comments, and with imports that end in `.js`. So stack traces in
 * the installed package refer to the lines of the source, without a source map. The comments are in the source, and those for users also in
 * the declarations.
 */
export const codeOf = (source: string): string =>
  indentedByTabs(closedUp(importingJs(stripTypeScriptTypes(withoutComments(source))), source));

/** Comments that tools read. */
const FOR_TOOLS = /[@#]__|@vite|webpack|@ts-|^#!/;

const withoutComments = (source: string): string => {
  let text = source;
  const blankOut = ({ pos, end }: ts.CommentRange) => {
    const comment = source.slice(pos, end);
    if (!FOR_TOOLS.test(comment)) text = `${text.slice(0, pos)}${comment.replace(/\S/g, ' ')}${text.slice(end)}`;
  };
  const visit = (node: ts.Node): void => {
    for (const range of ts.getLeadingCommentRanges(source, node.pos) ?? []) blankOut(range);
    for (const range of ts.getTrailingCommentRanges(source, node.end) ?? []) blankOut(range);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest), visit);
  return text;
};

const importingJs = (code: string): string =>
  importsOf(code)
    .filter(({ fileName }) => /^\..*\.ts$/.test(fileName))
    .reduce((text, { pos, fileName }) => {
      const end = text.indexOf(fileName, pos) + fileName.length;
      return `${text.slice(0, end - 2)}js${text.slice(end)}`;
    }, code);

/** Closes the gaps within lines in which types and comments stood. Spaces that the source has too, e.g. in a template, are kept. */
const closedUp = (code: string, source: string): string => {
  const lines = source.split('\n');
  const closed = code.split('\n').map((line, i) => {
    const before = lines[i] ?? '';
    return line.replace(/ +/g, (gap, start: number) => {
      const end = start + gap.length;
      if (!before.slice(start, end).trim()) return gap;
      if (end === line.length || /[,;)]/.test(line.charAt(end))) return '';
      return start === 0 ? (/^ */.exec(before)?.[0] ?? '') : ' ';
    });
  });
  return `${closed.join('\n').trimEnd()}\n`;
};

/** Indents by tabs, which are half as long. Lines within a template belong to its text. */
const indentedByTabs = (code: string): string => {
  const file = ts.createSourceFile('code.js', code, ts.ScriptTarget.Latest);
  const templates: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTemplateLiteralToken(node)) templates.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const isText = (at: number): boolean => templates.some((each) => each.getStart(file) < at && at < each.end);
  return code.replace(/^(?: {2})+/gm, (spaces, at: number) => (isText(at) ? spaces : '\t'.repeat(spaces.length / 2)));
};
