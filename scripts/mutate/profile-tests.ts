/**
 * Runs test files in this process, one after another, and writes what V8 counted for each to `FOLDER/<its place among the files>.json`:
 * `node scripts/mutate/profile-tests.ts FOLDER FILE...`.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const [folder = '', ...files] = process.argv.slice(2);
process.env.COUNTS_ARE_TAKEN = '1'; // for test/support/counted-steps.ts
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

for (const [index, file] of files.entries()) {
  // Tests at the top level run in order. The first one keeps those of the file waiting until it is loaded, the last one begins when they
  // have ended.
  const { promise: loaded, resolve: begin } = Promise.withResolvers<void>();
  const beginning = test(`the beginning of ${file}`, () => loaded);
  await import(pathToFileURL(resolve(file)).href);
  begin();
  await beginning;
  await test(`the end of ${file}`, async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    writeFileSync(
      join(folder, `${index}.json`),
      JSON.stringify({ result: result.filter(({ url }) => url.startsWith('file:') && !url.includes('/node_modules/')) }),
    );
  });
}
