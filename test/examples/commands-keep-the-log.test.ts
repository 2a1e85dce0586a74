/**
 * Commands opened the store with default settings: each of their records dropped up to a hundred old ones of a network that keeps more, and
 * numbers in tags were refused.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { runCommand } from '../../server/commands/index.ts';
import { changeId } from '../../src/contract/changes/events.ts';
import { ManagementController, newSecretKey, type Settings } from '../../src/index.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { temporaryFolder } from './child.ts';

const SETTINGS: Partial<Settings> = {
  address: 'https://overlay.example.com',
  changeBytesKept: Number.MAX_SAFE_INTEGER,
  expiryNoticeMinutes: 1,
  numericTags: true,
};
const DAY = 86_400_000;

/** A network that keeps more than it would by default: its log has a gigabyte, as its last record says. */
const network = async (t: TestContext) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'controller.db');
  const secretKey = newSecretKey();
  const opened = () => ManagementController.open({ storage: sqliteStorage({ file }), secretKey, settings: SETTINGS });
  const controller = await opened();
  const service = { name: 'wiki', encryptionRequired: true, tags: { floor: 3 } };
  await controller.api.services.create({ body: service });
  const validUntil = new Date(Date.now() + DAY / 2).toISOString();
  const dial = { name: 'dial', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'], validUntil } as const;
  await controller.api.servicePolicies.create({ body: dial });
  const { revision } = await controller.api.audit.head();
  await controller.close();
  const raw = await sqliteStorage({ file }).open(storageSchema);
  await raw.transaction('write', async (tx) => {
    const last = await tx.get('change', changeId(revision));
    assert.ok(last);
    await tx.update('change', { ...last, endsAt: 1_000_000_000 }, last.version);
  });
  await raw.close();
  const document = join(folder, 'network.json');
  writeFileSync(document, JSON.stringify({ services: [{ ...service, tags: { floor: 4 } }] }));
  const run = (command: string, ...args: readonly string[]) =>
    runCommand(command, [...args, '--storage', `sqlite:${file}`], { SECRET_KEY: secretKey, NEW_PASSWORD: 'a-new-password' });
  return { run, document, opened };
};

test('what a network keeps and accepts is not decided by the commands that open its store', async (t) => {
  const { run, document, opened } = await network(t);
  await run('export');
  await run('plan', '--document', document);
  await run('apply', '--document', document);
  await run('reset-password');
  const controller = await opened();
  const { data } = await controller.api.audit.list({ order: 'oldest', limit: 500 });
  const [wiki] = (await controller.api.services.list({ filter: 'name = "wiki"' })).data;
  await controller.close();
  assert.equal(data[0]?.revision, 1);
  assert.deepEqual(wiki?.tags, { floor: 4 });
  assert.deepEqual(
    data.filter(({ reason }) => reason === 'expiring'),
    [],
    'nothing is announced before the servers would',
  );
});
