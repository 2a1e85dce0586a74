import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { refusal } from '../support/client.ts';

const wiki = { name: 'wiki', encryptionRequired: true };

onEveryStore('a state document with an owner', (open) => {
  test('cannot take an entity of another owner by giving it its own label', async () => {
    await using app = await open();
    const { api } = app.controller;
    await api.services.create({ body: { ...wiki, tags: { managedBy: 'them' } } });
    const document = { owner: 'us', services: [{ ...wiki, tags: { managedBy: 'us' } }] };
    const refused = refusal(400, 'COULD_NOT_VALIDATE', 'services.wiki.tags.managedBy');
    await assert.rejects(api.state.plan({ body: { document } }), refused);
    await assert.rejects(api.state.apply({ body: { document, prune: true } }), refused);
  });

  test('still adopts an entity without a label by giving it its own', async () => {
    await using app = await open();
    const { api } = app.controller;
    await api.services.create({ body: wiki });
    await api.state.apply({ body: { document: { owner: 'us', services: [{ ...wiki, tags: { managedBy: 'us' } }] } } });
    assert.deepEqual(
      (await api.services.list()).data.map(({ tags }) => tags),
      [{ managedBy: 'us' }],
    );
  });

  test('neither prunes nor exports what has a tag that only reads like its label', async () => {
    await using app = await open({ settings: { numericTags: true } });
    const { api } = app.controller;
    await api.services.create({ body: { ...wiki, tags: { managedBy: true } } });
    await api.services.create({ body: { ...wiki, name: 'five', tags: { managedBy: 5 } } });
    for (const owner of ['true', '5']) {
      assert.deepEqual((await api.state.plan({ body: { document: { owner }, prune: true } })).operations, []);
      assert.deepEqual(await api.state.export({ owner }), { owner });
    }
  });

  test('an outdated plan names what changed only to a caller who may see it', async () => {
    await using app = await open({
      authorize: ({ actor, right }) =>
        actor.kind === 'identity' ? (right?.startsWith('service.') ? { where: 'name != "secret"' } : true) : undefined,
    });
    const { controller } = app;
    const { id } = await controller.api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
    const { state } = controller.asIdentity(id);
    for (const name of ['secret', 'shown']) {
      const plan = await state.plan({ body: { document: { services: [{ ...wiki, name: `new ${name}` }] } } });
      const service = await controller.api.services.create({ body: { ...wiki, name } });
      const error = await state.apply({ body: plan }).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof Error && 'code' in error && error.code === 'PRECONDITION_FAILED', String(error));
      assert.equal(JSON.stringify(error.cause).includes(service.id), name === 'shown');
    }
  });
});
