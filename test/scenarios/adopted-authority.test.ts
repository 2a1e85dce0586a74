import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { certificateEnds, ManagementController, type NetworkAuthorityOptions, networkAuthority, restoreSnapshot } from '../../src/index.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import {
  clockAt,
  DAY,
  enrolled,
  headOf,
  isSignedBy,
  kidOf,
  login,
  opened,
  platformOn,
  post,
  settings,
  subjectsIn,
  trusted,
} from '../support/adopted-network.ts';
import { adoptedParts, oldAuthority, publicKeyOf, traditional } from '../support/old-authority.ts';
import { authority, csr, NOW, party } from '../support/pki.ts';
import { stores } from '../support/stores.ts';
import { until } from '../support/until.ts';

for (const name of stores)
  describe(`an adopted authority (${name})`, () => {
    test('presents the server certificate that it had, with its chain, and signs JWTs with its key', async () => {
      await using place = await opened(name);
      const { server, serverSigner } = await oldAuthority();
      const { adoptedServer, key } = await place.authority();
      assert.equal(adoptedServer?.cert, server.cert + serverSigner.cert);
      assert.equal(createPrivateKey(key).asymmetricKeyType, 'rsa');
      assert.ok(publicKeyOf(key).equals(publicKeyOf(server.key)));
      const controller = await place.open();
      const { jwt } = await enrolled(controller, 'ann');
      assert.deepEqual(headOf(jwt), { alg: 'RS256', kid: kidOf(server.cert), typ: 'JWT' });
      await controller.close();
    });

    test('accepts what the old signer has issued, and issues below it, with the chain; clients trust all roots and the signer', async () => {
      await using place = await opened(name);
      const { signer, root } = await oldAuthority();
      const controller = await place.open();
      const { cert } = await enrolled(controller, 'ann');
      assert.deepEqual(subjectsIn(cert).slice(1), ['Old Signer']);
      assert.ok(isSignedBy(cert, signer.cert) && isSignedBy(signer.cert, root.cert));
      assert.deepEqual(await trusted(controller), ['Old Root', 'Old Server Root', 'Old Signer']);
      const device = await party('of before', { by: signer });
      const { authenticators, identities } = controller.api;
      const { id } = await identities.create({ body: { name: 'of before', type: 'User', isAdmin: false } });
      await authenticators.create({ body: { method: 'cert', identityId: id, certPem: device.cert } });
      assert.equal((await login(controller, device.cert + signer.cert)).status, 200);
      const other = await party('of another', { by: await authority('other') });
      assert.equal((await login(controller, other.cert)).status, 401);
      await controller.close();
    });

    test('keeps the trust domain in the certificates of sessions', async () => {
      await using place = await opened(name);
      const controller = await place.open();
      const { id, cert } = await enrolled(controller, 'ann');
      const { token } = (await login(controller, cert)).data;
      const request = { csr: (await csr('CN=session')).csr };
      const { data } = await post(controller, '/current-api-session/certificates', cert, request, token);
      const { subjectAltName } = new X509Certificate(data.certificate);
      assert.match(subjectAltName ?? '', new RegExp(`^URI:spiffe://old\\.domain/identity/${id}/apiSession/`));
      await controller.close();
    });

    test('lies in the store sealed, and no key is in the log, the health or an error', async () => {
      await using place = await opened(name);
      const controller = await place.open();
      await place.rotate();
      place.clock.advance('100d');
      await controller.health();
      const store = await place.options().storage.open(storageSchema);
      const rows = await store.transaction('read', async (tx) => [
        ...(await tx.list('keptSecret', { where: { op: 'all' } })),
        ...(await tx.list('change', { where: { op: 'all' } })),
      ]);
      await store.close();
      assert.doesNotMatch(JSON.stringify(rows), /PRIVATE KEY|BEGIN/);
      assert.doesNotMatch(JSON.stringify([place.log, await controller.health()]), /PRIVATE KEY/);
      await controller.close();
    });

    test('replaces the server certificate 30 days before its end by one of the signer, for the same names and key', async () => {
      await using place = await opened(name);
      const { signer, server } = await oldAuthority();
      place.clock.suspend('169d');
      assert.equal((await place.authority()).adoptedServer?.until, NOW + 170 * DAY);
      place.clock.suspend('1d');
      const authority = await place.authority();
      assert.equal(authority.adoptedServer, undefined);
      const renewed = await authority.serverCertificate(['also.example']);
      const certificate = new X509Certificate(renewed.cert);
      for (const one of ['controller.old.example', 'also.example']) assert.equal(certificate.checkHost(one, { subject: 'never' }), one);
      assert.equal(certificate.checkIP('127.0.0.1'), '127.0.0.1');
      assert.match(certificate.subjectAltName ?? '', /URI:spiffe:\/\/old\.domain\/controller\/ctrl1/);
      assert.deepEqual(subjectsIn(renewed.cert).slice(1), ['Old Signer']);
      assert.ok(isSignedBy(renewed.cert, signer.cert));
      assert.ok(publicKeyOf(renewed.key).equals(publicKeyOf(server.key)), 'so that JWTs of before verify');
    });

    test('keeps the server certificate until the last outstanding enrollment expires, or the day before its end', async () => {
      for (const [keep, until] of [
        [190, 190],
        [300, 199],
        [10, 170],
      ] as const) {
        await using place = await opened(name, { ...(await adoptedParts()), keepServerUntil: NOW + keep * DAY });
        assert.equal((await place.authority()).adoptedServer?.until, NOW + until * DAY);
      }
    });

    test('is that of a second controller and of a restored snapshot, too', async () => {
      await using place = await opened(name);
      const parts: string[] = [];
      const snapshots = {
        save: async (_: string, text: AsyncIterable<string>) => {
          for await (const part of text) parts.push(part);
        },
      };
      const [one, two] = [await place.open({ snapshots }), await place.open()];
      const { cert } = await enrolled(one, 'ann');
      assert.equal((await login(two, cert)).status, 200);
      await one.api.database.createSnapshot();
      const { secretKey, platform } = place.options();
      const restored = memoryStorage();
      await restoreSnapshot({ storage: restored, snapshot: parts });
      const three = await ManagementController.open({ storage: restored, secretKey, platform, settings });
      assert.equal((await login(three, cert)).status, 200);
      assert.equal(
        kidOf((await networkAuthority({ storage: restored, secretKey, platform })).adoptedServer?.cert ?? ''),
        headOf((await enrolled(two, 'ben')).jwt).kid,
      );
      for (const each of [one, two, three]) {
        assert.deepEqual(await trusted(each), ['Old Root', 'Old Server Root', 'Old Signer']);
        await each.close();
      }
    });
  });

describe('an authority to adopt', () => {
  const adoption = (former: NonNullable<NetworkAuthorityOptions['former']>) =>
    networkAuthority({ storage: memoryStorage(), former, platform: platformOn(clockAt()).platform });

  test('may have its keys as PKCS#8, PKCS#1 or SEC 1, beside other blocks', async () => {
    const { root, signer, server, serverRoot, serverSigner } = await oldAuthority();
    const elliptic = await authority('Elliptic', { by: root });
    const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
    const roots = root.cert + serverRoot.cert;
    const signers = [
      { certificates: signer.cert, key: signer.key },
      { certificates: signer.cert, key: traditional(signer.key) },
      { certificates: elliptic.cert, key: parameters + traditional(elliptic.key) + elliptic.cert },
    ];
    for (const one of signers) {
      const pair = { key: server.cert + traditional(server.key), cert: server.cert + serverSigner.cert };
      const { adoptedServer } = await adoption({ signer: one, roots, server: pair });
      assert.match(adoptedServer?.key ?? '', /^-----BEGIN PRIVATE KEY-----/);
    }
  });

  test('needs no server certificate, and may have no root but its signer', async () => {
    const { signer } = await oldAuthority();
    const adopted = await adoption({ signer: { certificates: signer.cert, key: signer.key }, roots: signer.cert });
    assert.equal(adopted.adoptedServer, undefined);
    const { cert } = await adopted.serverCertificate(['controller.example']);
    assert.ok(isSignedBy(cert, signer.cert));
  });

  test('is refused with what is wrong, and without its keys', async () => {
    const parts = await adoptedParts();
    const { root, serverRoot, signer, server } = await oldAuthority();
    const encrypted = createPrivateKey(signer.key)
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
      .toString();
    const refused: readonly (readonly [object, RegExp])[] = [
      [{ signer: { ...parts.signer, key: server.key } }, /the private key does not match the certificate of CN=Old Signer/],
      [{ signer: { ...parts.signer, key: encrypted } }, /must be a single unencrypted PEM block/],
      [{ signer: { ...parts.signer, key: '' } }, /must be a single unencrypted PEM block/],
      [{ roots: serverRoot.cert }, /no chain leads from the signer's certificate, of CN=Old Signer, to one of its roots/],
      [{ roots: root.cert }, /no chain leads from the server certificate to one of the roots/],
      [{ roots: 'none' }, /the roots of an adopted authority must be certificates in PEM/],
      [{ server: { ...parts.server, key: signer.key } }, /the private key does not match the certificate of CN=Old Server/],
      [{ alternatives: [{ cert: parts.server.cert, key: signer.key }] }, /the private key does not match the certificate/],
    ];
    for (const [change, message] of refused)
      await assert.rejects(adoption({ ...parts, ...change }), (error: Error) => {
        assert.match(error.message, message);
        assert.doesNotMatch(`${error.stack}`, /[A-Za-z0-9+/]{40}={0,2}\n/);
        return error instanceof TypeError;
      });
  });

  test('joins the roots of a network that has an authority, once', async () => {
    const [storage, { platform }] = [memoryStorage(), platformOn(clockAt())];
    const before = await networkAuthority({ storage, platform });
    for (const _ of ['first', 'again']) {
      const { roots, adoptedServer, key } = await networkAuthority({ storage, platform, former: await adoptedParts() });
      assert.deepEqual(roots.flatMap(subjectsIn), [...before.roots.flatMap(subjectsIn), 'Old Root', 'Old Server Root']);
      assert.deepEqual([adoptedServer, key], [undefined, before.key]);
    }
  });
});

test('the ends of its certificates are reported ahead of time: by a function, the health and the log', async () => {
  await using place = await opened('memory');
  const ends = await certificateEnds(await adoptedParts());
  assert.deepEqual(
    ends.map(({ role, subject, endsAt }) => [role, subject, (endsAt.getTime() - NOW) / DAY]),
    [
      ['server', 'CN=Old Server', 200],
      ['alternative', 'CN=Public Name', 365],
      ['root', 'CN=Old Server Root', 3650],
      ['root', 'CN=Old Root', 3650],
      ['signer', 'CN=Old Signer', 3650],
      ['intermediate', 'CN=Old Server Signer', 3650],
    ],
  );
  const controller = await place.open();
  const reasons = async () =>
    (await controller.health()).reasons.map(({ concerns, severity, message }) => `${concerns} ${severity}: ${message}`);
  assert.deepEqual(await reasons(), []);
  place.clock.suspend('155d');
  assert.match(
    (await reasons()).join(),
    /^certificate warning: the adopted server certificate CN=Old Server ends at 2027-06-09T10:00:00.000Z: /,
  );
  place.clock.suspend('119d');
  // The certificate of the signer took its place.
  await until(async () => (await reasons()).length === 0);
  place.clock.suspend('1d');
  const [told = '', ...others] = await reasons();
  assert.match(told, /^certificate warning: the further server certificate CN=Public Name ends at 2027-11-21T10:00:00.000Z: /);
  assert.deepEqual(others, []);
  await until(() => place.log.some((line) => line.includes('CN=Public Name ends at 2027-11-21')));
  place.clock.suspend('3300d');
  const late = await reasons();
  for (const one of ['signer CN=Old Signer', 'root CN=Old Root'])
    assert.ok(
      late.some((line) => line.startsWith(`certificate warning: the ${one} ends at `)),
      `${one}: ${late}`,
    );
  await controller.close();
});
