/**
 * In a document, `@<id>` refers to an entity by its id, unless one has this name: whoever may name an identity took what was meant for
 * another.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';

onEveryStore('an identity that is named with the id of another', (open) => {
  test('takes nothing of it in a document, which is refused', async () => {
    await using app = await open();
    const { api } = app.controller;
    const ann = await api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
    const document = {
      servicePolicies: [{ name: 'dial', type: 'Dial', semantic: 'AnyOf', identityRoles: [`@${ann.id}`], serviceRoles: ['#all'] }],
    };
    const { operations } = await api.state.plan({ body: { document } });
    assert.deepEqual(Object(operations[0]?.input.body).identityRoles, [`@${ann.id}`]);
    const mallory = await api.identities.create({ body: { name: ann.id, type: 'User', isAdmin: false } });
    await assert.rejects(api.state.plan({ body: { document } }), (error: { code: string; cause: { reason: string } }) => {
      assert.equal(error.code, 'COULD_NOT_VALIDATE');
      assert.match(error.cause.reason, /is the name of one entity and the id of another/);
      return true;
    });
    assert.notEqual(mallory.id, ann.id);
  });
});
