/**
 * Loaded before a test (`--import`), this module plants the mutant of the variable `MUTANT` when its source file is loaded. The file
 * remains unchanged.
 */
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Mutant, withMutant } from './mutant.ts';

const root = join(import.meta.dirname, '../..');
const { MUTANT } = process.env;

if (MUTANT !== undefined) {
  // Written by mutate.ts.
  const mutant = JSON.parse(MUTANT) as Mutant;
  const path = join(root, mutant.file);
  const planted = pathToFileURL(path).href;
  registerHooks({
    load: (url, context, next) => {
      if (url !== planted) return next(url, context);
      return { format: 'module', shortCircuit: true, source: stripTypeScriptTypes(withMutant(readFileSync(path, 'utf8'), mutant)) };
    },
  });
}
