/**
 * Measures the console in headless Chromium on a large network in SQLite: the time from the request of a page until its main content is
 * visible, in milliseconds. Reports the minimum and the median of several loads, each in a new tab after a login.
 *
 *     npm run bench:console -- --size 10000x1000x200 --loads 5 --results bench/CONSOLE.md
 */
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { serve } from '../adapters/http/node.ts';
import { nodePlatform } from '../adapters/platform/node.ts';
import { consoleHandler } from '../console/index.ts';
import { ManagementController } from '../src/index.ts';
import { load } from './fill.ts';
import { startServer } from './measure.ts';
import { placeOf, SECRET_KEY, sizeOf, storageOf } from './stores.ts';

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '10000x1000x200' },
    loads: { type: 'string', default: '5' },
    /** Folder that keeps the database for later runs. */
    folder: { type: 'string' },
    results: { type: 'string' },
  },
});
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'bench-console-'));
const place = placeOf('sqlite', values.size, folder);
if (!existsSync(place.slice('sqlite:'.length))) {
  const { child } = await startServer('server.ts', [place, JSON.stringify(sizeOf(values.size)), 'fill']);
  child.send('close');
  await once(child, 'exit');
}

const PORT = 18_280;
const address = `http://127.0.0.1:${PORT}`;
const controller = await ManagementController.open({
  storage: storageOf(place),
  platform: nodePlatform(),
  secretKey: SECRET_KEY,
  settings: { address },
  oidc: { consolePath: '/console/' },
});
const { identities, services } = await load(controller, sizeOf(values.size));
/** The first of some entities that a policy selects: pages without access show no picture. */
const selected = async (group: 'identities' | 'services', ids: readonly string[]): Promise<string> => {
  for (const id of ids) if ((await controller.api[group].listServicePolicies({ id, limit: 1 })).pagination.totalCount > 0) return id;
  throw new Error(`no policy selects any of ${ids.length} ${group}`);
};
const [identity, service] = [await selected('identities', identities.slice(0, 100)), await selected('services', services.slice(0, 100))];
const serving = await serve({ controller: consoleHandler(controller), port: PORT });
const browser = await chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

/** Waits until the picture of a page is visible. */
const picture = (page: Page) => page.getByRole('figure').locator('text').first().waitFor();
/** The measured pages, and how to wait until their main content is visible. */
const pages: readonly (readonly [name: string, route: string, isVisible: (page: Page) => Promise<void>])[] = [
  ['overview, with counts', '#/', (page) => page.getByRole('link', { name: /[1-9][\d,]* Services/ }).waitFor()],
  ['picture of an identity', `#/access?identities=${identity}`, picture],
  ['picture of a service', `#/access?services=${service}`, picture],
  ['first pairs of a service', `#/access?services=${service}`, (page) => page.getByRole('rowheader').first().waitFor()],
  ['list of identities', '#/entities/identities', (page) => page.getByRole('rowheader').first().waitFor()],
  ['audit', '#/audit', (page) => page.getByRole('listitem').nth(9).waitFor()],
];

const lines: string[] = [];
const print = (line = '') => {
  lines.push(line);
  console.log(line);
};
const system = `Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)} at the start, Chromium ${browser.version()}`;
print('# The console');
print();
print(`${system}; SQLite, ${values.size} (identities x services x policies); server and browser on one machine.`);
print('Time from the request of a page in a new tab, after the login, until its main content is visible. Milliseconds.');
print();
print('| page | minimum | median |');
print('|---|---:|---:|');
for (const [name, route, isVisible] of pages) {
  const times: number[] = [];
  for (let i = 0; i < Number(values.loads); i++) times.push(await timeOf(route, isVisible));
  times.sort((a, b) => a - b);
  print(`| ${name} | ${times[0]?.toFixed(0)} | ${times[Math.floor(times.length / 2)]?.toFixed(0)} |`);
}
await browser.close();
await serving.close();
await controller.close();
if (values.results) writeFileSync(values.results, `${lines.join('\n')}\n`);
if (!values.folder) rmSync(folder, { recursive: true, force: true });

/** The time of one load in a new tab, after a login, in milliseconds. */
async function timeOf(route: string, isVisible: (page: Page) => Promise<void>): Promise<number> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${address}/console/`);
  await page.getByLabel('Username').fill('admin');
  await page.getByLabel('Password').fill('bench-password');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goto(`${address}/console/${route}`);
  const began = performance.now();
  await page.reload({ waitUntil: 'commit' });
  await isVisible(page);
  const time = performance.now() - began;
  await page.context().close();
  return time;
}
