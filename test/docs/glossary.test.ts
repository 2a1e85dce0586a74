import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { read, root } from './documents.ts';

const entries = read('docs/glossary.md')
  .split('\n')
  .filter((line) => /^\| (?!term )/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, term = '', meaning = '', inCode = '', onTheWire = '']) => ({ term, meaning, inCode, onTheWire }));

const codeIn = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

const description = read('docs/openapi.json');
const paths = Object.keys(JSON.parse(description).paths);
const onWire = (name: string): boolean =>
  name.startsWith('/') ? paths.some((path) => path.endsWith(name) || path.startsWith(`${name}/`)) : description.includes(`"${name}"`);

describe('the glossary', () => {
  test('has each term once, in alphabetical order', () => {
    const terms = entries.map(({ term }) => term.toLowerCase());
    assert.deepEqual(
      terms,
      [...new Set(terms)].sort((a, b) => a.localeCompare(b, 'en', { ignorePunctuation: false })),
    );
  });

  test('says in one line what a term means', () => {
    assert.deepEqual(
      entries.filter(({ meaning }) => !/^\S.{10,160}\.$/.test(meaning)).map(({ term }) => term),
      [],
    );
  });

  for (const { term, inCode, onTheWire } of entries) {
    test(`points to where '${term}' stands in the code and on the wire`, () => {
      for (const place of inCode.split(';')) {
        const [file = '', ...names] = codeIn(place);
        assert.ok(file !== '' && existsSync(join(root, file)), `no file '${file}'`);
        const source = read(file);
        for (const name of names) {
          const declaration = new RegExp(`^(export )?(async )?(const|type|interface|class|function\\*?) ${escaped(name)}\\b`, 'm');
          assert.ok(declaration.test(source), `${file} declares no ${name}`);
        }
      }
      for (const name of codeIn(onTheWire)) assert.ok(onWire(name), `openapi.json has no ${name}`);
    });
  }
});
