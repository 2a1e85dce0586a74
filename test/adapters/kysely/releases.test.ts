import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { sqliteStorage } from '../../../adapters/storage/kysely/index.ts';
import { restoreSnapshot, takeSnapshot } from '../../../src/index.ts';
import { webPlatform } from '../../../src/runtime/platform/web.ts';
import { openApp, SECRET_KEY } from '../../support/app.ts';
import { integrityRun } from '../../support/integrity.ts';
import { folder } from './support.ts';

/**
 * Databases that earlier releases made, as SQL. In each an administrator changed the schema of `host.v1`, deleted
 * `ziti-tunneler-server.v1`, and made the identity `ann` with a password, the service `crm` and a policy that lets her dial it.
 */
const releases = ['0.1.0'];

/** A database of that release. */
const databaseOf = async (release: string) => {
  const place = await folder();
  const database = new DatabaseSync(place.file);
  database.exec(readFileSync(new URL(`./releases/${release}.sql`, import.meta.url), 'utf8'));
  database.close();
  return place;
};

const assertCarriesOn = async (file: string) => {
  await using app = await openApp('sqlite', {
    storage: sqliteStorage({ file }),
    platform: { passwords: webPlatform().passwords },
  });
  const names = (await app.request('GET', '/config-types')).body.data.map(({ name }: { name: string }) => name);
  assert.deepEqual(names.toSorted(), [
    'host.v1',
    'host.v2',
    'intercept.v1',
    'interfaces.v1',
    'l2.host.v1',
    'l2.intercept.v1',
    'proxy.v1',
    'router.link.v1',
    'ziti-tunneler-client.v1',
  ]);
  const host = (await app.request('GET', '/config-types/NH5p4FpGR')).body.data;
  assert.deepEqual(host.schema, { type: 'object', required: ['ours'] });
  const ann = (await app.login('ann-sales', 'Passw0rd!Passw0rd!')).body.data;
  const { data } = (await app.request('GET', '/edge/client/v1/services', { as: ann.token })).body;
  assert.deepEqual(
    data.map(({ name, permissions }: { name: string; permissions: string[] }) => [name, permissions]),
    [['crm', ['Dial']]],
  );
  assert.deepEqual((await integrityRun(app, 'check')).results, []);
};

for (const release of releases) {
  test(`a database of release ${release} is migrated and carries on`, async () => {
    await using place = await databaseOf(release);
    await assertCarriesOn(place.file);
  });

  test(`a snapshot of a database of release ${release} is restored and carries on`, async () => {
    await using place = await databaseOf(release);
    await using restored = await folder();
    let snapshot = '';
    const save = async (_: string, parts: AsyncIterable<string>) => {
      for await (const part of parts) snapshot += part;
    };
    await takeSnapshot({ storage: sqliteStorage({ file: place.file, readOnly: true }), snapshots: { save } });
    await restoreSnapshot({ storage: sqliteStorage({ file: restored.file }), snapshot: [snapshot], secretKey: SECRET_KEY });
    await assertCarriesOn(restored.file);
  });
}
