import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { enrollBy, enrollingSigner, identityNamed, request } from '../support/token-enrollment.ts';

onEveryStore('a token that claims to be of an administrator', (open) => {
  test('makes an identity without any rights', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app);
    const claims = {
      isAdmin: true,
      isDefaultAdmin: true,
      permissions: ['identity'],
      typeId: 'Router',
      id: 'chosen',
      authPolicyId: 'another',
    };
    for (const [sub, clientCsr] of [
      ['ann', ''],
      ['bob', await request()],
    ] as const) {
      const { status } = await enrollBy(app, await signer.token({ sub, ...claims }), { clientCsr });
      assert.equal(status, 200);
      const { isAdmin, isDefaultAdmin, permissions = [], typeId, id, authPolicyId } = await identityNamed(app, sub);
      assert.deepEqual([isAdmin, isDefaultAdmin, permissions, typeId, authPolicyId], [false, false, [], 'Default', 'default']);
      assert.notEqual(id, 'chosen');
    }
  });
});
