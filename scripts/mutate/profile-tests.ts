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
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

for (const [index, file] of files.entries()) {
  await import(pathToFileURL(resolve(file)).href);
  // Tests at the top level run in order: this one begins when those of the file have ended.
  await test(`the end of ${file}`, async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    writeFileSync(
      join(folder, `${index}.json`),
      JSON.stringify({ result: result.filter(({ url }) => url.startsWith('file:') && !url.includes('/node_modules/')) }),
    );
  });
}
