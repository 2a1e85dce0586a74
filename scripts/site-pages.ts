/** The last step of `npm run docs`: checks that no page of the site is too large to load and read. */
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Maximum size of a page in bytes. The largest is the index of all names of the main entry point. */
const MAX_BYTES = 450_000;

const site = resolve(import.meta.dirname, '../site');
const pages = readdirSync(site, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.html'))
  .map((file) => ({ file, bytes: statSync(join(site, file)).size }))
  .sort((a, b) => b.bytes - a.bytes);

for (const { file, bytes } of pages.filter((page) => page.bytes > MAX_BYTES)) {
  console.error(`${file} has ${bytes} bytes, ${MAX_BYTES} at most`);
  process.exitCode = 1;
}
console.log(`${pages.length} pages, of ${pages[0]?.bytes ?? 0} bytes at most`);
