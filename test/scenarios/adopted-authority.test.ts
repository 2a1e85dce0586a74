import assert from 'node:assert/strict';
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import { ManagementController, networkAuthority, newSecretKey, webPlatform } from '../../src/index.ts';
import { fastPasswordHasher } from '../../src/platform/testing.ts';
import { frozenClock } from '../support/clock.ts';
import { adoptedParts, oldAuthority, publicKeyOf } from '../support/old-authority.ts';
import { NOW } from '../support/pki.ts';
import { newSharedStorage, stores } from '../support/stores.ts';

const settings = { address: 'https://controller.old.example' };
const clockAt = () => frozenClock(new Date(NOW).toISOString());
const platformAt = (clock = clockAt()) => webPlatform({ passwords: fastPasswordHasher(), clock });
/** SHA-1 of the first certificate, in lower case without colons. */
const kidOf = (pem: string) => createHash('sha1').update(new X509Certificate(pem).raw).digest('hex');
const headOf = (jwt = '') => JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString());

/** An identity with an enrollment token, and the certificate for which it trades the token. */
const enrolled = async (controller: ManagementController, name: string) => {
  const { id } = await controller.api.identities.create({ body: { name, type: 'User', isAdmin: false, enrollment: { ott: true } } });
  const { enrollment } = await controller.api.identities.get({ id });
  const { token = '', jwt = '' } = enrollment?.ott ?? {};
  return { id, token, jwt };
};

for (const name of stores)
  describe(`an adopted authority (${name})`, () => {
    const opened = async () => {
      const [shared, secretKey, clock] = [newSharedStorage(name), newSecretKey(), clockAt()];
      const platform = platformAt(clock);
      const authority = () => networkAuthority({ storage: shared.adapter(), secretKey, platform });
      await networkAuthority({ storage: shared.adapter(), secretKey, platform, former: await adoptedParts() });
      const open = () => ManagementController.open({ storage: shared.adapter(), secretKey, platform, settings });
      return {
        storage: shared.adapter,
        secretKey,
        clock,
        platform,
        authority,
        open,
        [Symbol.asyncDispose]: () => shared[Symbol.asyncDispose](),
      };
    };

    test('presents the server certificate that it had, with its chain, and signs JWTs with its key', async () => {
      await using place = await opened();
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
  });
