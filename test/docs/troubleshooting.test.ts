import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { serve } from '../../adapters/http/node.ts';
import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { createClient } from '../../client/index.ts';
import { ManagementController, newSecretKey } from '../../src/index.ts';
import { temporaryFolder } from '../examples/child.ts';
import { read, root } from './documents.ts';

/** The first cells of the tables whose head is `message`: what they quote, in parts, where a message says something of the case. */
const messages = read('docs/guides/troubleshooting.md')
  .split(/^(?=\| \w+ \| why)/m)
  .filter((table) => table.startsWith('| message'))
  .flatMap((table) => [...table.matchAll(/^\| (`.+?`) \|/gm)])
  .map(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, quoted = '']) => quoted.split('…')).map((part) => part.trim()));

const sources = ['src', 'client', 'adapters', 'adopt', 'server']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`))
  .filter((file) => file.endsWith('.ts'))
  .map(read)
  .join('\n');

test('every message of the guide to troubleshooting is in the sources', () => {
  assert.ok(messages.length > 20);
  for (const part of messages.flat()) assert.ok(sources.includes(part), part);
});

const tells = async (attempt: () => unknown): Promise<void> => {
  await assert.rejects(
    async () => attempt(),
    ({ message }: Error) => {
      assert.ok(
        messages.some((parts) => parts.every((part) => message.includes(part))),
        `the guide has no '${message}'`,
      );
      return true;
    },
  );
};

test('the guide has what a controller says that cannot be opened', async (t) => {
  const file = join(temporaryFolder(t), 'controller.db');
  const open = ManagementController.open;
  const secretKey = newSecretKey();
  await tells(() => open({ storage: sqliteStorage({ file }) }));
  await tells(() => open({ storage: sqliteStorage({ file }), secretKey: 'abc' }));
  await tells(() => open({ storage: sqliteStorage({ file, migrate: false }), secretKey }));
  await (await open({ storage: sqliteStorage({ file }), secretKey })).close();
  await tells(() => open({ storage: sqliteStorage({ file }), secretKey: newSecretKey() }));
  await tells(() => open({ storage: memoryStorage(), settings: { address: 'https://overlay.example.com/path/' } }));
  const misspelt = { setings: {} };
  await tells(() => open({ storage: memoryStorage(), ...misspelt }));
});

test('the guide has what enrollment says without an address, and the client without an answer', async () => {
  const controller = await ManagementController.open({ storage: memoryStorage() });
  const { address, close } = await serve({ controller });
  await tells(() => controller.api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false, enrollment: { ott: true } } }));
  await tells(() => createClient({ baseUrl: address.replace('http:', 'https:') }).informational.version());
  await close();
  await tells(() => createClient({ baseUrl: address }).informational.version());
  await tells(() => createClient({ baseUrl: 'overlay.example.com:1280' }));
  await controller.close();
});
