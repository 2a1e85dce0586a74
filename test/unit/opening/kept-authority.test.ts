import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newRoot, newServerCertificate, newSigner } from '../../../src/crypto/pki/authority.ts';
import { readCertificates } from '../../../src/crypto/pki/certificate.ts';
import { createPki } from '../../../src/crypto/pki/pki.ts';
import { type FormerAuthority, keptAuthority } from '../../../src/operations/authority/kept-authority.ts';
import { createSecrets, newSecretKey } from '../../../src/runtime/platform/secrets.ts';
import { webRandom } from '../../../src/runtime/platform/web.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';
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
      const kept = async (former?: FormerAuthority) => {
        const authority = await keptAuthority({ store, secrets, clock, context }, former);
        const { root, further = [] } = authority.stored();
        return { ...authority, roots: [...(root ? [root] : []), ...further], networkKey: authority.stored().server };
      };
      const open = async () => createPki(await kept());
      return { clock, store, kept, open, [Symbol.asyncDispose]: () => store.close() };
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

    test('signs JWTs with the same key when it is renewed: those of before stay good', async () => {
      await using place = await opened();
      const before = await (await place.open()).networkKey();
      place.clock.advance('1826d');
      const expected = { audience: 'a', now: place.clock.now() };
      const jwt = await before.sign({ aud: 'a', exp: place.clock.now() / 1000 + 60 });
      assert.ok(await (await (await place.open()).networkKey()).verify(jwt, expected));
    });

    test('is one of before where the network has none yet: its root, what signs, and the key of its server; several that take it over agree', async () => {
      await using place = await opened();
      const root = await newRoot({ now: place.clock.now() });
      const signer = await newSigner(root, { now: place.clock.now() });
      const server = await newServerCertificate(root, ['localhost'], { now: place.clock.now() });
      const kept = await Promise.all([place.kept({ root, signer, server }), place.kept({ root, signer, server })]);
      for (const { roots, networkKey, signer: signing } of [...kept, await place.kept()])
        assert.deepEqual([roots, networkKey.key, (await signing()).certificates], [[root], server.key, signer.cert]);
    });

    test('has what a former one lacks made below its root, and renews what signs before it could not sign for a year', async () => {
      await using place = await opened();
      const root = await newRoot({ now: place.clock.now() });
      const signer = await newSigner(root, { now: place.clock.now() });
      const kept = await place.kept({ root, signer });
      const { value: [networkKey] = [] } = await readCertificates(kept.networkKey.cert);
      assert.equal(networkKey?.issuerKey, (await readCertificates(root.cert)).value?.[0]?.subjectKey);
      place.clock.advance('3249d'); // of ten years, with 400 days left a day later
      assert.equal((await (await place.kept()).signer()).certificates, signer.cert);
      place.clock.advance('1d');
      const later = await (await place.kept()).signer();
      assert.notEqual(later.certificates, signer.cert);
      assert.equal(later.anchors, root.cert);
    });

    test('trusts a second root beside its own once it was handed in, and continues to sign below its own', async () => {
      await using place = await opened();
      const { roots: before } = await place.kept();
      const root = await newRoot({ now: place.clock.now() });
      const handed = await Promise.all([place.kept({ root }), place.kept({ root })]);
      for (const { roots, signer } of [...handed, await place.kept()]) {
        assert.deepEqual(
          roots.map(({ cert }) => cert),
          [before[0]?.cert, root.cert],
        );
        assert.equal((await signer()).anchors, `${before[0]?.cert}${root.cert}`);
      }
      place.clock.advance('1826d');
      assert.equal((await place.kept()).roots.length, 2, 'also when it is renewed');
    });

    test('trusts every further root that was handed in, one after another', async () => {
      await using place = await opened();
      const { roots: before } = await place.kept();
      const [second, third] = [await newRoot(), await newRoot()];
      for (const root of [second, third, second]) await place.kept({ root });
      assert.deepEqual(
        (await place.kept()).roots.map(({ cert }) => cert),
        [before[0]?.cert, second.cert, third.cert],
      );
    });

    test('is not replaced, or begun, by a former one that does not fit together', async () => {
      await using place = await opened();
      const [root, other] = await Promise.all([newRoot(), newRoot()]);
      const bad: readonly FormerAuthority[] = [
        { root: { key: other.key, cert: root.cert } },
        { root, signer: await newSigner(other) },
        { root, server: { ...(await newServerCertificate(root, [])), key: other.key } },
        { root: { key: '', cert: '' } },
      ];
      for (const former of bad) await assert.rejects(place.kept(former), TypeError);
      assert.equal(await place.store.transaction('read', (tx) => tx.count('keptSecret', { op: 'all' })), 0);
      await place.kept();
      for (const former of bad)
        if (former.root.cert !== root.cert || former.root.key !== root.key) await assert.rejects(place.kept(former), TypeError);
      assert.equal((await place.kept()).roots.length, 1);
    });
  });
