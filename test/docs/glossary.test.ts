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

/** Words of the names that the entry points of the package export (docs/reference/api-surface.md). */
const exported = new Set(
  [...read('docs/reference/api-surface.md').matchAll(/^(?:abstract )?(?:class|const|function|interface|type) (\w+)/gm)]
    .flatMap(([, name = '']) => name.split(/_|(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/))
    .map((word) => word.toLowerCase()),
);
const defined = new Set(entries.flatMap(({ term }) => term.toLowerCase().match(/[a-z]+/g) ?? []));
const isDefined = (word: string): boolean => [word, `${word}s`, word.replace(/s$/, '')].some((form) => defined.has(form));

/** Words that the literature, the platforms or plain English define. */
const LITERATURE = `
  amqp argon2id drizzle express fastify fetch hono json koa kysely next node pem pg pki postgres prisma raw sqlite telemetry tls web
  abandon address authentication authorization batches body builder bytes cancellation catalog cause causes client clock code column command
  comparator compile connection consume context contraction controlled core credentials decimal derive device
  element entity entries error export express failure fault folder frame functions gauges handler handlers handling hasher headers
  id input instance interface issue line listener listeners load logger lookup loop loopback management matcher memory message method metrics
  middleware mode name options ordering page pagination pair pairs password path peer plugin point pool protocol provider proxies proxy queries
  queue random ref report requirement result root scalar serve server serving size software sort source
  performance set slice spent statement step storage string subject syntax tables target text time timeout transport turns upgrade user value variables violation yield
  applied arguments awaiting busy called changed checked chosen clear created failing fast first frozen hooked immediate incoming inspected
  invalid joined large long losing losses missing new none opened outgoing overlays overloaded pending plain pooled presented previewed previewing reading
  recorded refused remote
  resealed restored safe scripted shared slow taken trusted unavailable uncommitted unique verified waited written
  adopt after all and as at before choose compare count create each equals for has in inspect is like matches max mismatch not now observe of once one only
  open or read refuse restore rotate spend split take to too verify write writes
`
  .trim()
  .split(/\s+/);
/** Private words, which wait for a standard term. None is to be added. */
const PRIVATE = ['verdict'];

const codeIn = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

const description = read('docs/reference/openapi.json');
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

  test('or the literature has each word of the exported names', () => {
    const known = new Set([...LITERATURE, ...PRIVATE]);
    assert.deepEqual(
      [...exported].filter((word) => !isDefined(word) && !known.has(word)),
      [],
    );
    assert.deepEqual(
      [...known].filter((word) => !exported.has(word) || isDefined(word)),
      [],
    );
  });

  for (const { term, inCode, onTheWire } of entries) {
    test(`points to where '${term}' is in the code and on the wire`, () => {
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
