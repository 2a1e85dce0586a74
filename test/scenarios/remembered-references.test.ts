/** Which values are referenced, remembered of each by itself: what is asked of the store, and that it is never outdated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equals, stringField } from '../../src/query/index.ts';
import type { Read, Transaction } from '../../src/storage/port.ts';
import { openBesideReadCache } from '../support/read-caches.ts';
import { stores } from '../support/stores.ts';

for (const name of stores) {
  const ground = async () => {
    const beside = await openBesideReadCache(name);
    const { store, cache } = beside;
    /** Of which identities there are authenticators, and of which of them the store was asked. */
    const withAuthenticators = (ids: readonly string[], alsoAsk = false) =>
      store.transaction('read', async (tx) => {
        const asked: string[] = [];
        const noting = new Proxy(tx, {
          get: (target, name: keyof Transaction) => {
            const operation: unknown = target[name];
            if (typeof operation !== 'function') return operation;
            return (...args: readonly unknown[]) => {
              if (name === 'referenced') asked.push(...(args[2] as readonly string[])); // values
              if (name === 'readAll')
                for (const each of args[0] as readonly Read[]) if (each.read === 'referenced') asked.push(...each.values);
              return operation.apply(target, args);
            };
          },
        });
        const question = { read: 'referenced', kind: 'authenticator', field: 'identityId', values: ids } as const;
        const other = { ...question, where: equals(stringField('method'), 'cert') };
        const [found = []] = await cache.reading(noting).readAll(alsoAsk ? [question, other] : [question]);
        return { found: (found as readonly string[]).toSorted(), asked: asked.toSorted() }; // of such a question
      });
    return { ...beside, withAuthenticators };
  };
  const sorted = (...ids: readonly string[]) => ids.toSorted();

  test(`of values that are known in part, only the others are asked for (${name})`, async () => {
    await using it = await ground();
    const { ann, bob } = it;
    const nobody = await it.app.create('/identities', { name: 'nobody', type: 'User', isAdmin: false });
    assert.deepEqual(await it.withAuthenticators([ann.id, nobody]), { found: [ann.id], asked: sorted(ann.id, nobody) });
    assert.deepEqual(await it.withAuthenticators([nobody, ann.id, ann.id]), { found: [ann.id], asked: [] });
    assert.deepEqual(await it.withAuthenticators([ann.id, bob.id, nobody]), { found: sorted(ann.id, bob.id), asked: [bob.id] });
    assert.deepEqual(await it.withAuthenticators([]), { found: [], asked: [] });
  });

  test(`another condition is another question (${name})`, async () => {
    await using it = await ground();
    const { ann } = it;
    assert.deepEqual(await it.withAuthenticators([ann.id], true), { found: [ann.id], asked: [ann.id, ann.id] });
    assert.deepEqual(await it.withAuthenticators([ann.id], true), { found: [ann.id], asked: [] });
  });

  test(`a change to a row with a value ends what is known of that value, and of no other (${name})`, async () => {
    await using it = await ground();
    const { ann, bob, app } = it;
    await it.withAuthenticators([ann.id, bob.id]);
    assert.equal((await app.request('DELETE', `/authenticators/${ann.authenticatorId}`)).status, 200);
    assert.deepEqual(await it.withAuthenticators([ann.id, bob.id]), { found: [bob.id], asked: [ann.id] });
    const method = { identityId: ann.id, method: 'updb', username: 'ann again', password: 'a password of hers' };
    await app.create('/authenticators', method);
    assert.deepEqual(await it.withAuthenticators([ann.id, bob.id]), { found: sorted(ann.id, bob.id), asked: [ann.id] });
    await app.create('/identities', { name: 'another', type: 'User', isAdmin: false });
    assert.deepEqual(await it.withAuthenticators([ann.id, bob.id]), { found: sorted(ann.id, bob.id), asked: [] });
  });
}
