/**
 * Writes the generated files that are stale, and prints their names: `npm run generate`. With `--check`, it writes nothing, and fails if
 * there are any.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { listsOf } from './lists.ts';

const root = resolve(import.meta.dirname, '..');
enableCompileCache(join(root, 'node_modules/.cache/compiled'));
const check = process.argv.includes('--check');

const write = (file: string, text: string): void => {
  const path = join(root, file);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  if (check) {
    console.error(`${file} is stale: run \`npm run generate\``);
    process.exitCode = 1;
  } else if (text === '') {
    rmSync(path);
    console.log(`removed ${file}`);
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${file}`);
  }
};

for (const [file, text] of Object.entries(listsOf(root))) write(file, text);

// Imported only now: the tables are read with the lists, and the documents are made from the tables, and from types that read the names of
// kinds.
const { kindNames } = await import('./kind-names.ts');
write('src/contract/api/kind-names.ts', kindNames());
const { documents } = await import('./documents.ts');
for (const [file, make] of Object.entries(documents)) write(file, make());
