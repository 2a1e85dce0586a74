import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { documents, manifest, read, root, sourceOf } from './documents.ts';

describe('links', () => {
  for (const file of documents) {
    test(`of ${file} lead to files that exist`, () => {
      const links = [...read(file).matchAll(/\]\(([^)\s]+)\)/g)]
        .map((match) => match[1] ?? '')
        .filter((link) => !/^(https?:|#)/.test(link));
      const dead = links.filter((link) => !existsSync(join(root, dirname(file), link.replace(/#.*/, ''))));
      assert.deepEqual(dead, []);
    });
  }
});

test('paths that documents name in code exist', () => {
  const named = documents.flatMap((file) =>
    [...read(file).matchAll(/`((?:src|adapters|examples|test|docs|scripts|bench)\/[\w./-]*)`/g)].map(
      (match) => [file, match[1] ?? ''] as const,
    ),
  );
  // What is generated and not committed need not be there.
  const dead = named.filter(([, path]) => path !== 'docs/api/' && !existsSync(join(root, path)));
  assert.deepEqual(dead, []);
});

test('every script that documents name exists', () => {
  const builtin = ['ci', 'cit', 'install'];
  const named = documents.flatMap((file) =>
    [...read(file).matchAll(/`(?:\w+=\w+ )?npm (?:run )?([\w:]+)/g)].map((match) => match[1] ?? ''),
  );
  assert.deepEqual(
    named.filter((name) => !builtin.includes(name) && !(name in manifest.scripts)),
    [],
  );
});

test('every entry point of the package has its source', () => {
  const targets = Object.entries<string | { default: string; types: string }>(manifest.exports).filter(
    ([name]) => name !== './package.json',
  );
  for (const [name, target] of targets) {
    assert.ok(typeof target === 'object' && target.types === target.default.replace(/\.js$/, '.d.ts'), name);
    assert.ok(existsSync(join(root, 'examples', sourceOf(name.replace('.', manifest.name)))), name);
  }
});
