import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import { type ManagementController, networkAuthority, newRoot } from '../../src/index.ts';
import { DAY, enrolled, headOf, isSignedBy, login, opened, subjectsIn, trusted } from '../support/adopted-network.ts';
import { oldAuthority } from '../support/old-authority.ts';
import { authority, csr, NOW, party } from '../support/pki.ts';
import { stores } from '../support/stores.ts';
import { until } from '../support/until.ts';

/** The new root signs 15 minutes after it was made, and every controller looks every five. */
const TAKEN_UP = '20m';
const MINUTE = 60_000;
const signerOf = (cert: string) => subjectsIn(cert)[1];

/** A router that enrolls: its certificates. */
const routerIn = async ({ api }: ManagementController, name: string) => {
  const { id } = await api.edgeRouters.create({ body: { name } });
  const { enrollmentToken } = await api.edgeRouters.get({ id });
  const [own, server] = [await csr(`CN=${id}`), await csr(`CN=${id}`)];
  const body = { token: enrollmentToken ?? '', clientCsr: own.csr, serverCsr: server.csr };
  const { cert = '', serverCert = '' } = await api.enrolling.erott({ body });
  return { cert, serverCert };
};

/** Lets time pass, and waits until the controllers have looked at the authority again. */
const pass = async (
  { clock }: { readonly clock: { advance(time: string): void } },
  time: string,
  ...controllers: readonly ManagementController[]
) => {
  clock.advance(time);
  await Promise.all(controllers.map(({ api }) => api.identities.list({ limit: 1 })));
};

for (const name of stores)
  describe(`the rotation of an authority (${name})`, () => {
    test('has its new root trusted at once and its signer sign later, on every controller; what was signed before stays good', async () => {
      await using place = await opened(name);
      const [one, two] = [await place.open(), await place.open()];
      const before = await enrolled(one, 'ann');
      const { root, signsFrom, trustedUntil } = await place.rotate();
      assert.deepEqual([signsFrom.getTime() - NOW, trustedUntil.getTime() - NOW], [15 * MINUTE, 15 * MINUTE + 456 * DAY]);
      await pass(place, '5m', one, two);
      const [newName = ''] = subjectsIn(root);
      for (const each of [one, two]) await until(async () => (await trusted(each)).includes(newName));
      assert.equal(signerOf((await enrolled(one, 'ben')).cert), 'Old Signer');

      await pass(place, TAKEN_UP, one, two);
      for (const each of [one, two]) {
        await until(async () => (await trusted(each))[0] === newName);
        assert.equal((await login(each, before.cert)).status, 200);
        assert.deepEqual(await trusted(each), [newName, 'Old Root', 'Old Server Root', 'Old Signer']);
      }
      const after = await enrolled(two, 'carl');
      const [, signer = ''] = after.cert.split(/(?<=-----END CERTIFICATE-----\n)/);
      assert.ok(isSignedBy(after.cert, signer) && isSignedBy(signer, root));
      assert.equal((await login(one, after.cert)).status, 200);
      assert.equal(headOf(after.jwt).kid, headOf(before.jwt).kid, 'the key of JWTs stays');
      await one.close();
      await two.close();
    });

    test('drops the old roots by the clock when their last certificates have ended, and says so', async () => {
      await using place = await opened(name);
      const { root, trustedUntil } = await place.rotate();
      const [newName = ''] = subjectsIn(root);
      const controller = await place.open();
      place.clock.suspend('366d');
      await until(async () => (await trusted(controller))[0] === newName);
      assert.deepEqual((await trusted(controller)).toSorted(), [newName, 'Old Root', 'Old Server Root', 'Old Signer'].toSorted());
      assert.ok(place.clock.now() < trustedUntil.getTime());
      // That of the server ended, so it is below the oldest root that can still issue: clients learn of the new one only with their
      // certificates.
      assert.equal(signerOf((await (await place.authority()).serverCertificate(['a.example'])).cert), 'Old Signer');
      // The signer took over when the controller looked again, a year after it was due: what the old one signed until then has another
      // year.
      place.clock.suspend('366d');
      await until(async () => signerOf((await (await place.authority()).serverCertificate(['a.example'])).cert) === undefined);
      assert.equal((await trusted(controller)).length, 4, 'certificates of servers have not ended');
      place.clock.suspend('90d');
      await until(async () => (await trusted(controller)).length === 1);
      assert.deepEqual(await trusted(controller), [newName]);
      for (const gone of ['CN=Old Root', 'CN=Old Server Root'])
        assert.ok(
          place.log.some((line) => line.includes('a root is no longer trusted') && line.includes(gone)),
          gone,
        );
      const { cert } = await (await place.authority()).serverCertificate(['a.example']);
      assert.ok(isSignedBy(cert, root));
      // A host that still passes what it once handed over does not bring it back.
      const { adoptedParts } = await import('../support/old-authority.ts');
      const { roots } = await networkAuthority({ ...place.options(), former: await adoptedParts() });
      assert.deepEqual(roots.flatMap(subjectsIn), [newName]);
      await controller.close();
    });

    test('leaves the server certificates of routers below the old root, until clients know the new one', async () => {
      await using place = await opened(name);
      const { trustedUntil } = await place.rotate();
      place.clock.advance('15m');
      const controller = await place.open();
      const { signer: old } = await oldAuthority();
      const first = await routerIn(controller, 'one');
      assert.notEqual(signerOf(first.cert), 'Old Signer');
      assert.ok(isSignedBy(first.serverCert, old.cert));
      assert.equal(signerOf(first.serverCert), 'Old Signer');
      place.clock.suspend('365d');
      const late = await routerIn(controller, 'two');
      assert.equal(Date.parse(new X509Certificate(late.serverCert).validTo), trustedUntil.getTime());
      place.clock.suspend('1d');
      await until(async () => signerOf((await routerIn(controller, crypto.randomUUID())).serverCert) === signerOf(first.cert));
      await controller.close();
    });

    test('keeps old roots for certificates that outlast a year, which another controller may have issued', async () => {
      await using place = await opened(name);
      const { signer } = await oldAuthority();
      const controller = await place.open();
      const long = await party('long', { by: signer, notAfter: NOW + 1000 * DAY });
      const { id } = await controller.api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
      await controller.api.authenticators.create({ body: { method: 'cert', identityId: id, certPem: long.cert } });
      await controller.close();
      assert.equal((await place.rotate()).trustedUntil.getTime(), NOW + 1090 * DAY);
    });

    test('is one at a time: of several that begin at once, all report the same; a later one waits', async () => {
      await using place = await opened(name);
      const begun = await Promise.allSettled([place.rotate(), place.rotate()]);
      const roots = begun.flatMap((each) => (each.status === 'fulfilled' ? [each.value.root] : []));
      assert.equal(new Set(roots).size, 1);
      await assert.rejects(place.rotate(), {
        name: 'TypeError',
        message: /being replaced already: the new one signs from 2026-11-21T10:15:00.000Z on/,
      });
      place.clock.advance('15m');
      const { root } = await place.rotate();
      assert.notEqual(root, roots[0]);
      const trustedNow = (await place.authority()).roots.flatMap(subjectsIn);
      assert.equal(trustedNow.length, 4, 'two old ones, the first and the second new one');
    });

    test('that ends at any point leaves the authority of before, or of after', async () => {
      await using place = await opened(name);
      const { cert } = await enrolledIn(place, 'ann');
      const { storage, secretKey, platform } = place.options();
      // Ends before its write is committed.
      const broken = {
        open: async (schema: Parameters<typeof storage.open>[0]) => {
          const store = await storage.open(schema);
          const transaction: typeof store.transaction = (mode, work, options) =>
            store.transaction(
              mode,
              async (tx) => {
                const result = await work(tx);
                if (mode === 'write') throw new Error('the machine lost its power');
                return result;
              },
              options,
            );
          return { transaction, join: (host: unknown) => store.join(host), close: () => store.close() };
        },
      };
      const { rotateAuthority } = await import('../../src/index.ts');
      await assert.rejects(rotateAuthority({ storage: broken as typeof storage, secretKey, platform }), /lost its power/);
      const controller = await place.open();
      assert.deepEqual(await trusted(controller), ['Old Root', 'Old Server Root', 'Old Signer']);
      assert.equal((await login(controller, cert)).status, 200);
      await controller.close();
      await place.rotate();
    });
  });

const enrolledIn = async (place: Awaited<ReturnType<typeof opened>>, name: string) => {
  const controller = await place.open();
  return enrolled(controller, name).finally(() => controller.close());
};

test('an own authority rotates, too, with the roots that it had taken over, and its servers keep certificates below the old root', async () => {
  await using place = await opened('memory', { root: await newRoot({ now: NOW }) });
  const other = await newRoot({ now: NOW });
  const { roots: before } = await networkAuthority({ ...place.options(), former: { root: other } });
  assert.equal(before.length, 2);
  const { root } = await place.rotate();
  place.clock.advance('15m');
  const { roots, serverCertificate, isAdopted } = await place.authority();
  assert.deepEqual([roots.toSorted(), isAdopted], [[...before, root].toSorted(), false]);
  assert.ok(isSignedBy((await serverCertificate(['a.example'])).cert, before[0] ?? ''));
  for (const one of roots) assert.ok(isSignedBy((await serverCertificate(['a.example'], one)).cert, one));
  place.clock.suspend('456d');
  const after = await place.authority();
  assert.deepEqual(after.roots, [root]);
  assert.ok(isSignedBy((await after.serverCertificate(['a.example'])).cert, root));
  assert.deepEqual(
    (await networkAuthority({ ...place.options(), former: { root: other } })).roots,
    [root],
    'a folder with the old root does not bring it back',
  );
  assert.ok(new X509Certificate(root).ca);
});

test('certificates of a signer that was renewed below the same root are accepted without the chain', async () => {
  await using place = await opened('memory', { root: await newRoot({ now: NOW }) });
  const { cert } = await enrolledIn(place, 'ann');
  place.clock.suspend('1826d');
  const controller = await place.open();
  const [leaf = ''] = cert.split(/(?<=-----END CERTIFICATE-----\n)/);
  const { id } = await controller.api.identities.create({ body: { name: 'ben', type: 'User', isAdmin: false } });
  await controller.api.authenticators
    .list({ filter: 'method = "cert"' })
    .then(({ data }) => controller.api.authenticators.delete({ id: data[0]?.id ?? '' }));
  await controller.api.authenticators.create({ body: { method: 'cert', identityId: id, certPem: leaf } });
  const stranger = await party('stranger', { by: await authority('stranger') });
  await assert.rejects(controller.api.authenticators.create({ body: { method: 'cert', identityId: id, certPem: stranger.cert } }));
  await controller.close();
});
