import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { documents, manifest, read, root, sourceOf } from './documents.ts';

/** Of the headings of a document, as they are made by GitHub and by typedoc: lower case, without punctuation, hyphens for spaces. */
const anchors = (file: string): readonly string[] =>
  [
    ...read(file)
      .replaceAll(/^```.*?^```$/gms, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe('links', () => {
  for (const file of documents) {
    test(`of ${file} lead to files that exist, and to headings in them`, () => {
      const links = [...read(file).matchAll(/\]\(([^)\s]+)\)|(?:src|href|srcset)="([^"]+)"/g)]
        .map(([, link = '', attribute = '']) => link || attribute)
        .filter((link) => !/^https?:/.test(link));
      const dead = links.filter((link) => {
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? file : join(dirname(file), path);
        return !existsSync(join(root, target)) || (anchor !== undefined && !(target.endsWith('.md') && anchors(target).includes(anchor)));
      });
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
  const dead = named.filter(([, path]) => !existsSync(join(root, path)));
  assert.deepEqual(dead, []);
});

test('every script that documents name exists', () => {
  const builtin = ['audit', 'ci', 'cit', 'install', 'publish'];
  const named = documents.flatMap((file) =>
    [...read(file).matchAll(/`(?:\w+=\w+ )?npm (?:run )?([\w:]+)/g)].map((match) => match[1] ?? ''),
  );
  assert.deepEqual(
    named.filter((name) => !builtin.includes(name) && !(name in manifest.scripts)),
    [],
  );
});

test('every entry point of the package has its source', () => {
  const targets = Object.entries<string | { default: string; types: string }>(manifest.exports).filter(([name]) => !name.endsWith('.json'));
  for (const [name, target] of targets) {
    assert.ok(typeof target === 'object' && target.types === target.default.replace(/\.js$/, '.d.ts'), name);
    assert.ok(existsSync(join(root, 'examples', sourceOf(name.replace('.', manifest.name)))), name);
  }
});

test('each guide is in one group, whose page and place on the site have it in the same order', () => {
  const { projectDocuments }: { projectDocuments: readonly string[] } = JSON.parse(read('typedoc.json'));
  const groups = documents.filter((file) => read(file).startsWith('---\n'));
  const grouped = groups.flatMap((file) => {
    const listed = [...read(file).matchAll(/^\| \[[^\]]+\]\((guides\/[^)]+)\)/gm)].map(([, guide = '']) => guide);
    const children = [...read(file).matchAll(/^ {2}- \.\/(\S+)$/gm)].map(([, guide = '']) => guide);
    assert.deepEqual(children, listed, file);
    assert.ok(projectDocuments.includes(file), file);
    for (const index of ['README.md', 'docs/README.md'])
      assert.ok(read(index).includes(`](${relative(dirname(index), file)})`), `${index}: ${file}`);
    return listed.map((guide) => join('docs', guide));
  });
  assert.deepEqual(grouped.toSorted(), documents.filter((file) => file.startsWith('docs/guides/')).toSorted());
});
