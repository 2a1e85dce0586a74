import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { documents, read, root } from './documents.ts';

const sources = ['src', 'client', 'adapters', 'adopt', 'examples'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)),
);

/** The options in each call of `open`, as text: of one line, or of lines up to the brace that closes them. */
const openings = (file: string): readonly string[] =>
  [...read(file).matchAll(/ManagementController\.open\((\{ .*?\}|\{\n.*?\n\})\)[;,]/gs)].map(([, options = '']) => options);

test('every example that opens a controller sets an address', () => {
  const all = [...documents, ...sources].flatMap((file) => openings(file).map((options) => [file, options] as const));
  assert.ok(all.length > 20, `${all.length} found`);
  // Guides keep options that several controllers share in `settings` or `options`.
  assert.deepEqual(
    all.filter(([, options]) => !/settings: \{ address: |\bsettings\b[,\s]|\.\.\.options/.test(options)),
    [],
  );
});
