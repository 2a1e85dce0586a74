import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { listOf, listsOf } from '../scripts/lists.ts';

const root = resolve(import.meta.dirname, '..');

test('every file in a folder of rows is in the list of the folder', () => {
  for (const [file, text] of Object.entries(listsOf(root)))
    assert.equal(readFileSync(join(root, file), 'utf8'), text, `${file} is stale: run \`npm run generate\``);
});

test('a row is listed under the name of its file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lists-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const list = { folder: 'methods', name: 'methods', about: 'All methods.', type: { name: 'Methods', from: './method.ts' } };
  mkdirSync(join(folder, 'methods'));
  writeFileSync(join(folder, 'methods/by-hand.ts'), 'export const manual: Method = () => {};\n');
  assert.match(listOf(folder, list), /^import \{ manual \} from '\.\/methods\/by-hand\.ts';$/m);
  assert.match(listOf(folder, list), /^export const methods: Methods = \{\n {2}'by-hand': manual,\n\};$/m);

  writeFileSync(join(folder, 'methods/two.ts'), 'export const one = 1;\nexport const two = 2;\n');
  assert.throws(() => listOf(folder, list), /two\.ts must export its row and nothing else; it exports one, two$/);
  writeFileSync(join(folder, 'methods/two.ts'), 'const two = 2;\n');
  assert.throws(() => listOf(folder, list), /two\.ts must export its row and nothing else; it exports nothing$/);
});
