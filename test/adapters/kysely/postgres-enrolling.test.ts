import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { postgresStorage } from '../../../adapters/storage/kysely/index.ts';
import { ManagementController } from '../../../src/controller/controller.ts';
import { SECRET_KEY } from '../../support/app.ts';
import { csr } from '../../support/pki.ts';
import { needsPostgres, newSchema } from '../../support/postgres.ts';
import { ON_A_BUSY_MACHINE } from '../../support/stores.ts';

const outcome = (result: PromiseSettledResult<unknown>): string => (result.status === 'fulfilled' ? 'enrolled' : result.reason.code);

describe('controllers of one network on one PostgreSQL database', needsPostgres, () => {
  test('they open a new database at the same time with one authority, and spend a token once, whoever is asked', async () => {
    await using place = await newSchema();
    const open = () =>
      ManagementController.open({
        secretKey: SECRET_KEY,
        settings: { address: 'https://127.0.0.1:1280' },
        storage: postgresStorage({ ...place, lockTimeout: ON_A_BUSY_MACHINE }),
      });
    const [one, two] = await Promise.all([open(), open()]);
    try {
      const bundles = await Promise.all([one, two].map(({ api: { trust } }) => trust.authorities()));
      assert.equal(bundles[0]?.body, bundles[1]?.body);

      const { id } = await one.api.identities.create({
        body: { name: 'a device', type: 'Device', isAdmin: false, enrollment: { ott: true } },
      });
      const { enrollment } = await two.api.identities.get({ id });
      const token = enrollment?.ott?.token ?? '';
      const requests = await Promise.all(Array.from({ length: 12 }, () => csr('CN=a device')));
      const results = await Promise.allSettled(
        requests.map(({ csr: body }, i) => (i % 2 ? one : two).api.enrolling.enroll({ token, method: 'ott', body })),
      );
      assert.deepEqual(results.map(outcome).toSorted(), [...Array(11).fill('INVALID_ENROLLMENT_TOKEN'), 'enrolled']);
      assert.equal((await one.api.identities.listAuthenticators({ id })).data.length, 1);
    } finally {
      await Promise.all([one.close(), two.close()]);
    }
  });
});
