/** A filter that no list accepts, because it costs too much, was evaluated for each change by whoever followed the change log. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { service } from '../../src/contract/api/services.ts';
import { onEveryStore } from '../support/app.ts';

const FOLLOW = '/edge/management/extensions/v1/changes/follow';

onEveryStore('filters of followers', (open) => {
  test('a filter of a follower may cost no more than that of a list', async () => {
    await using app = await open();
    await app.inStore('write', async (entities) => {
      const fields = {
        encryptionRequired: true,
        maxIdleTimeMillis: 0,
        terminatorStrategy: 'smartrouting',
        roleAttributes: [],
        configs: [],
      };
      for (let i = 0; i < 2000; i++) await entities.insert(service, { name: `service ${i}`, ...fields });
    });
    const dear = encodeURIComponent(Array.from({ length: 450 }, (_, i) => `name icontains "v${i}"`).join(' or '));
    assert.equal((await app.request('GET', `/services?filter=${dear}`)).status, 400);
    for (const snapshot of ['', '&snapshot=true']) {
      const { status, body } = await app.request('GET', `${FOLLOW}?kinds=service&filter=${dear}${snapshot}`);
      assert.equal(status, 400, `with ${snapshot || 'changes alone'}`);
      assert.equal(body.error.code, 'INVALID_FILTER');
    }
    const cheap = encodeURIComponent('name = "service 7"');
    assert.equal((await app.request('GET', `${FOLLOW}?kinds=service&filter=${cheap}`)).status, 200);
  });
});
