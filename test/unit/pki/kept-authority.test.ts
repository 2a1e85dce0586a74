import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keptAuthority } from '../../../src/domain/kept-authority.ts';
import { createPki } from '../../../src/pki/pki.ts';
import { createSecrets, newSecretKey } from '../../../src/platform/secrets.ts';
import { webRandom } from '../../../src/platform/web.ts';
import { storageSchema } from '../../../src/storage/schema.ts';
import { frozenClock } from '../../support/clock.ts';
import { newStorage, stores } from '../../support/stores.ts';

const secrets = await createSecrets([newSecretKey()], webRandom);

for (const name of stores)
  describe(`the authority of a controller's own (${name})`, () => {
    const opened = async () => {
      const clock = frozenClock();
      const store = await newStorage(name).open(storageSchema);
      const stamp = () => new Date(clock.now()).toISOString();
      const context = { actor: 'system', requestId: 'open', random: webRandom, stamp, changesKept: 100, changeBytesKept: 1_000_000 };
      const open = async () => createPki(await keptAuthority(store, secrets, clock, context));
      return { clock, store, open, [Symbol.asyncDispose]: () => store.close() };
    };

    test('is made once, also when many open at the same time, and is the same ever after', async () => {
      await using place = await opened();
      const all = [...(await Promise.all(Array.from({ length: 4 }, place.open))), await place.open()];
      const signers = await Promise.all(all.map((pki) => pki.signer()));
      const keys = await Promise.all(all.map((pki) => pki.networkKey()));
      assert.equal(new Set(signers.map(({ certificate }) => certificate.fingerprint)).size, 1);
      assert.equal(new Set(keys.map(({ kid }) => kid)).size, 1);
    });

    test('lies in the store sealed', async () => {
      await using place = await opened();
      await place.open();
      const rows = await place.store.transaction('read', async (tx) => [
        ...(await tx.list('keptSecret', { where: { op: 'all' } })),
        ...(await tx.list('change', { where: { op: 'all' } })),
      ]);
      assert.ok(rows.length >= 2);
      assert.doesNotMatch(JSON.stringify(rows), /PRIVATE KEY|LS0tLS|BEGIN/);
    });

    test('is renewed below its root after five years, by one of those that open then', async () => {
      await using place = await opened();
      const before = await (await place.open()).signer();
      place.clock.advance('1824d');
      assert.equal((await (await place.open()).signer()).certificate.fingerprint, before.certificate.fingerprint);
      place.clock.advance('1d');
      const after = await Promise.all((await Promise.all([place.open(), place.open()])).map((pki) => pki.signer()));
      const [first, second] = after.map(({ certificate }) => certificate.fingerprint);
      assert.equal(first, second);
      assert.notEqual(first, before.certificate.fingerprint);
      assert.equal(after[0]?.anchors[0]?.fingerprint, before.anchors[0]?.fingerprint);
    });
  });
