/** The last step of `npm run docs`: no page of the site is too large to read and to load. */
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Bytes of a page at most. The largest is the index of all names of the main entry point. */
const BOUND = 320_000;

const site = resolve(import.meta.dirname, '../site');
const pages = readdirSync(site, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.html'))
  .map((file) => ({ file, bytes: statSync(join(site, file)).size }))
  .sort((a, b) => b.bytes - a.bytes);

for (const { file, bytes } of pages.filter((page) => page.bytes > BOUND)) {
  console.error(`${file} has ${bytes} bytes, ${BOUND} at most`);
  process.exitCode = 1;
}
console.log(`${pages.length} pages, of ${pages[0]?.bytes ?? 0} bytes at most`);
