import { stripTypeScriptTypes } from 'node:module';
import { importsOf } from './reach.ts';

/**
 * A source as JavaScript in which everything stands at its line and column: types become spaces, and imports name `.js`, which is as long as `.ts`. A
 * stack trace in the installed package so names the line of the source, without a source map.
 */
export const codeOf = (source: string): string => withoutTrailingSpaces(importingJs(stripTypeScriptTypes(source)), source);

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
