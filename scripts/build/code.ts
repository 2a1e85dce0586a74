import { stripTypeScriptTypes } from 'node:module';
import ts from 'typescript';
import { importsOf } from './reach.ts';

/**
 * Converts a source to JavaScript with the same lines and columns: types and comments become spaces, and imports end in `.js`, which is as long as `.ts`. So
 * stack traces in the installed package refer to the lines of the source, without a source map. The comments are in the source, and those for users also in the
 * declarations.
 */
export const codeOf = (source: string): string => withoutTrailingSpaces(importingJs(stripTypeScriptTypes(withoutComments(source))), source);

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

/** Removes the trailing spaces that types have left. Trailing spaces that the source has too are part of a template, and are kept. */
const withoutTrailingSpaces = (code: string, source: string): string => {
  const lines = source.split('\n');
  const kept = code.split('\n').map((line, index) => (/\s$/.test(lines[index] ?? '') ? line : line.trimEnd()));
  return `${kept.join('\n').trimEnd()}\n`;
};
