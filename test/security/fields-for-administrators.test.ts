/** A PATCH by a delegate that names a field for administrators is refused, whatever the value: it must not be dropped in silence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';

const FIELDS = {
  isAdmin: [true, false, null],
  isDefaultAdmin: [true, false, null],
  permissions: [[], ['identity'], null],
  scopedPermissions: [{}, null],
};

onEveryStore('a delegate', (open) => {
  test('names no field of an identity that only administrators set', async () => {
    await using app = await open();
    const delegate = await app.user({ permissions: ['identity'] });
    const plain = await app.user();
    const token = await delegate.login();
    const before = JSON.stringify(await app.rows('identity'));
    for (const [field, values] of Object.entries(FIELDS))
      for (const value of values)
        for (const id of [plain.id, delegate.id])
          for (const more of [{}, { name: 'taken' }, { constructor: 'x' }]) {
            const body = { ...more, [field]: value };
            const answer = await app.request('PATCH', `/identities/${id}`, { as: token, body });
            assert.deepEqual(
              [answer.status, answer.body.error?.cause?.code],
              [401, 'UNHANDLED'],
              `${JSON.stringify(body)}: ${answer.text}`,
            );
            assert.match(answer.body.error.cause.message, /^(non-admins may not|only an administrator)/);
          }
    assert.equal(JSON.stringify(await app.rows('identity')), before);
    assert.equal((await app.request('PATCH', `/identities/${plain.id}`, { as: token, body: { name: 'renamed' } })).status, 200);
    // Administrators may send them, as clients do that send back what they got.
    const body = { isAdmin: false, isDefaultAdmin: false, permissions: null };
    assert.equal((await app.request('PATCH', `/identities/${plain.id}`, { body })).status, 200);
  });

  test('names none in process either', async () => {
    await using app = await open();
    const { id } = await app.user({ permissions: ['identity'] });
    const plain = await app.user();
    const asDelegate = app.controller.asIdentity(id);
    const body: object = { isDefaultAdmin: true };
    await assert.rejects(asDelegate.identities.patch({ id: plain.id, body }), { code: 'UNAUTHORIZED' });
  });
});
