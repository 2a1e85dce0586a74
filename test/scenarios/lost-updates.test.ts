import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionOf } from '../../src/index.ts';
import { onEveryStore } from '../support/app.ts';
import { newSharedStorage } from '../support/stores.ts';

const WRITERS = 100;
const IN_PROCESS = 30;

onEveryStore('read-modify-writes at once', (open, store) => {
  test('a hundred of them with If-Match, by two controllers, lose no update', async () => {
    await using shared = newSharedStorage(store);
    await using one = await open({ storage: shared.adapter() });
    await using two = await open({ storage: shared.adapter() });
    const id = await one.create('/identities', { name: 'ann', type: 'User', isAdmin: false, tags: {} });
    let refusals = 0;
    const write = async (writer: number): Promise<void> => {
      const app = writer % 2 ? one : two;
      for (;;) {
        const read = await app.request('GET', `/identities/${id}`, { as: one.admin });
        const body = { tags: { ...read.body.data.tags, [`writer-${writer}`]: true } };
        const headers = { 'if-match': read.headers['etag'] ?? '' };
        const { status, text } = await app.request('PATCH', `/identities/${id}`, { body, headers, as: one.admin });
        if (status === 200) return;
        // 409: the other controller wrote at the same moment, twice. 429: too many writes wait.
        assert.ok([409, 412, 429].includes(status), text);
        refusals++;
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    const { tags } = await two.controller.api.identities.get({ id });
    assert.equal(Object.keys(tags).length, WRITERS);
    assert.ok(refusals > 0);
  });

  test('those in process with ifVersion lose no update', async () => {
    await using app = await open();
    const { identities } = app.controller.api;
    const { id } = await identities.create({ body: { name: 'ann', type: 'User', isAdmin: false, roleAttributes: [] } });
    const write = async (writer: number): Promise<void> => {
      for (;;) {
        const ann = await identities.get({ id });
        const roleAttributes = [...(ann.roleAttributes ?? []), `writer-${writer}`];
        try {
          await identities.patch({ id, body: { roleAttributes } }, { ifVersion: versionOf(ann) });
          return;
        } catch (error) {
          assert.ok(
            ['PRECONDITION_FAILED', 'CONFLICT', 'SERVER_TOO_MANY_REQUESTS'].includes((error as { code: string }).code),
            String(error),
          );
        }
      }
    };
    await Promise.all(Array.from({ length: IN_PROCESS }, (_, writer) => write(writer)));
    assert.equal((await identities.get({ id })).roleAttributes?.length, IN_PROCESS);
  });
});
