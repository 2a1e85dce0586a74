import { stripTypeScriptTypes } from 'node:module';
import ts from 'typescript';
import { importsOf } from './reach.ts';

/**
 * A source as JavaScript in which everything stands at its line and column: types become spaces, and imports name `.js`, which is as long as `.ts`. A
 * stack trace in the installed package so names the line of the source, without a source map.
 * @param hasDeclarations whether the package has declarations of it: documentation comments stand there, and here they become spaces
 */
export const codeOf = (source: string, hasDeclarations: boolean): string =>
  withoutTrailingSpaces(importingJs(stripTypeScriptTypes(hasDeclarations ? withoutDocumentation(source) : source)), source);

const withoutDocumentation = (source: string): string => {
  let text = source;
  const blankOut = ({ pos, end }: ts.CommentRange) => {
    if (source.startsWith('/**', pos)) text = `${text.slice(0, pos)}${text.slice(pos, end).replace(/\S/g, ' ')}${text.slice(end)}`;
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

/** Spaces at the end of a line are what a type has left, unless the source has them, too: then they are in a template. */
const withoutTrailingSpaces = (code: string, source: string): string => {
  const lines = source.split('\n');
  const kept = code.split('\n').map((line, index) => (/\s$/.test(lines[index] ?? '') ? line : line.trimEnd()));
  return `${kept.join('\n').trimEnd()}\n`;
};
