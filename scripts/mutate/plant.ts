/** Loaded before a test (`--import`), this module plants the mutant of the variable `MUTANT` when its source file is loaded. The file remains unchanged. */
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Mutant } from './mutants.ts';

const root = join(import.meta.dirname, '../..');
const { MUTANT } = process.env;

if (MUTANT !== undefined) {
  // Written by mutate.ts.
  const { file, start, end, replacement } = JSON.parse(MUTANT) as Mutant;
  const planted = pathToFileURL(join(root, file)).href;
  registerHooks({
    load: (url, context, next) => {
      if (url !== planted) return next(url, context);
      const text = readFileSync(join(root, file), 'utf8');
      return { format: 'module', shortCircuit: true, source: stripTypeScriptTypes(text.slice(0, start) + replacement + text.slice(end)) };
    },
  });
}
