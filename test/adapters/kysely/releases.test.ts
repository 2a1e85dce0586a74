import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { sqliteStorage } from '../../../adapters/storage/kysely/index.ts';
import { webPlatform } from '../../../src/platform/web.ts';
import { openApp } from '../../support/app.ts';
import { folder } from './support.ts';

/**
 * Databases that earlier releases made, as SQL. In each an administrator changed the schema of `host.v1`, deleted `ziti-tunneler-server.v1`, and made the
 * identity `ann` with a password, the service `crm` and a policy that lets her dial it.
 */
const releases = ['0.1.0'];

for (const release of releases) {
  test(`a database of release ${release} is migrated and carries on`, async () => {
    await using place = await folder();
    const database = new DatabaseSync(place.file);
    database.exec(readFileSync(new URL(`./releases/${release}.sql`, import.meta.url), 'utf8'));
    database.close();
    await using app = await openApp('sqlite', {
      storage: sqliteStorage({ file: place.file }),
      platform: { passwords: webPlatform().passwords },
    });
    const names = (await app.request('GET', '/config-types')).body.data.map(({ name }: { name: string }) => name);
    assert.deepEqual(names.toSorted(), ['host.v1', 'host.v2', 'intercept.v1', 'interfaces.v1', 'proxy.v1', 'ziti-tunneler-client.v1']);
    const host = (await app.request('GET', '/config-types/NH5p4FpGR')).body.data;
    assert.deepEqual(host.schema, { type: 'object', required: ['ours'] });
    const ann = (await app.login('ann-sales', 'Passw0rd!Passw0rd!')).body.data;
    const { data } = (await app.request('GET', '/edge/client/v1/services', { as: ann.token })).body;
    assert.deepEqual(
      data.map(({ name, permissions }: { name: string; permissions: string[] }) => [name, permissions]),
      [['crm', ['Dial']]],
    );
  });
}
