import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { root, testFiles } from './test-files.ts';

const IMPORT = /\bfrom '(\.[^']+)'|\bimport\(?\s*'(\.[^']+)'/g;

const importsOf = (file: string): readonly string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(IMPORT)].map(([, path = '', other = path]) =>
    relative(root, resolve(root, dirname(file), path === '' ? other : path)).replaceAll('\\', '/'),
  );

const git = (...args: readonly string[]): readonly string[] =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');

/**
 * The test files that differ from a commit, or import, directly or not, a file that does. Documents that a test only reads do not count.
 */
export const changedTests = (since: string): readonly string[] => {
  const importers = new Map<string, string[]>();
  for (const file of globSync('{src,adapters,server,testing,examples,console,scripts,test}/**/*.{ts,tsx}', { cwd: root }))
    for (const imported of importsOf(file.replaceAll('\\', '/')))
      importers.set(imported, [...(importers.get(imported) ?? []), file.replaceAll('\\', '/')]);
  const affected = new Set([...git('diff', '--name-only', '--merge-base', since), ...git('ls-files', '--others', '--exclude-standard')]);
  // A set also visits what is added while it is iterated.
  for (const file of affected) for (const importer of importers.get(file) ?? []) affected.add(importer);
  return testFiles.filter((file) => affected.has(file));
};
