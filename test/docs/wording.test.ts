import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { documents, read } from './documents.ts';

/** Wording that a native reader stumbles over, and the standard wording. */
const TICS: readonly (readonly [tic: RegExp, instead: string])[] = [
  [/(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b)(?=\w)/i, 'is not a, is not valid'],
  [/\b(?:is|are|was|were) none of\b/i, 'is not one of'],
  [/\bstand(?:s|ing)? in\b|\bstood in\b/i, 'is in, contains'],
  [/\bcounts? more\b/i, 'takes precedence'],
  [/\bof whose\b/i, 'whose'],
  [/\bbeyond what\b/i, 'more than'],
  [/\b(?:go|goes|going|went) on\b/i, 'continues'],
  [/\b(?:told|tells?) (?:that|whether|which|what|who|why|how|of)\b|\b(?:is|are|was|were|be|been) told\b/i, 'reports, is informed'],
];
/** A comment or a text names its subject first. */
const OPENING = /^(?:How|What|Whether)\b/;
/** A function whose first argument is the title of a test or suite. */
const IS_TITLED = /^(?:test|describe|it|suite|onEvery\w*)$/;

interface Text {
  readonly place: string;
  readonly text: string;
}

const sources = ['src', 'client', 'adapters', 'adopt', 'server', 'console', 'testing']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`))
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('src/contract/types/')); // the types follow from src/contract/api/

const isLiteral = (node: ts.Node): node is ts.StringLiteralLike | ts.TemplateExpression | ts.JsxText =>
  ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isJsxText(node);

const parsed = (file: string, source: string): ts.SourceFile =>
  ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false, file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS);

/** The strings, templates, texts of elements and comments of a source file. */
const textsOf = (file: string): readonly Text[] => {
  const source = read(file);
  const tree = parsed(file, source);
  const texts: Text[] = [];
  const add = (start: number, text: string): void => {
    texts.push({ place: `${file}:${tree.getLineAndCharacterOfPosition(start).line + 1}`, text: text.replaceAll(/\s+/g, ' ').trim() });
  };
  const literals: ts.TextRange[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (isLiteral(node)) {
      const start = node.getStart(tree);
      literals.push({ pos: start, end: node.end });
      add(start, ts.isJsxText(node) ? node.text : source.slice(start + 1, node.end - 1));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  const isInLiteral = (at: number): boolean => literals.some(({ pos, end }) => pos < at && at < end);
  for (const { 0: comment, index } of source.matchAll(/\/\*[\s\S]*?\*\/|(?<![:'"`\w])\/\/.*$/gm)) {
    if (!isInLiteral(index)) add(index, comment.replaceAll(/^\/\*+|\*+\/$|^\s*\*(?!\/)|^\/\//gm, ''));
  }
  return texts;
};

/** The titles of the tests and suites of a source file. */
const titlesOf = (file: string): readonly Text[] => {
  const source = read(file);
  const tree = parsed(file, source);
  const titles: Text[] = [];
  const visit = (node: ts.Node): void => {
    const title = ts.isCallExpression(node) && IS_TITLED.test(node.expression.getText(tree)) && node.arguments[0];
    if (title && isLiteral(title)) {
      const start = title.getStart(tree);
      titles.push({ place: `${file}:${tree.getLineAndCharacterOfPosition(start).line + 1}`, text: source.slice(start + 1, title.end - 1) });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return titles;
};

const ticsIn = ({ place, text }: Text): readonly string[] =>
  TICS.flatMap(([pattern, instead]) => {
    const tic = pattern.exec(text);
    return tic ? [`${place}: …${text.slice(Math.max(0, tic.index - 30), tic.index + 50)}… -> ${instead}`] : [];
  });

describe('comments and texts', () => {
  for (const folder of ['src', 'client', 'adapters', 'adopt', 'server', 'console', 'testing'])
    test(`of ${folder}/ have no wording that readers stumble over`, () => {
      const found = sources
        .filter((file) => file.startsWith(`${folder}/`))
        .flatMap(textsOf)
        .flatMap((text) => [
          ...ticsIn(text),
          ...(OPENING.test(text.text) && text.text.includes(' ')
            ? [`${text.place}: ${text.text.slice(0, 80)} -> name the subject first`]
            : []),
        ]);
      assert.deepEqual(found, []);
    });

  test('and titles of tests have none either', () => {
    const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((file) => /^(?!.*\bnode_modules\b).*\.ts$/.test(file));
    const titles = files.flatMap((file) => titlesOf(`test/${file}`));
    assert.ok(titles.length > 1000);
    assert.deepEqual(titles.flatMap(ticsIn), []);
  });

  test('and documents have none either', () => {
    // The list of statements quotes the specification, and the titles of tests.
    const written = documents.filter((file) => !['docs/reference/specification.md', 'docs/reference/api-surface.md'].includes(file));
    const lines = written.flatMap((file) =>
      read(file)
        .split('\n')
        .map((text, index) => ({ place: `${file}:${index + 1}`, text })),
    );
    assert.deepEqual(lines.flatMap(ticsIn), []);
  });
});
