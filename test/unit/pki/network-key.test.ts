import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CompactSign, importPKCS8 } from 'jose';
import { type NetworkKey, openNetworkKey } from '../../../src/crypto/pki/network-key.ts';
import { createPki } from '../../../src/crypto/pki/pki.ts';
import { NOW } from '../../support/pki.ts';
import { ann, root } from './parties.ts';

const SECONDS = NOW / 1000;
const CLAIMS = { aud: ['routers'], sub: 'a service', exp: SECONDS + 60 };

describe('JWTs of the network', () => {
  const opened = () => openNetworkKey(ann);
  const holds = async (key: NetworkKey, jwt: string, now = NOW, audience = 'routers') =>
    (await key.verify(jwt, { audience, now })) !== undefined;

  test('one holds until its last second, however often it has been seen before', async () => {
    const key = await opened();
    const jwt = await key.sign(CLAIMS);
    for (const _ of ['first', 'again'])
      assert.deepEqual(
        [
          await key.verify(jwt, { audience: 'routers', now: NOW }),
          await holds(key, jwt, NOW + 59_999),
          await holds(key, jwt, NOW + 60_000),
        ],
        [CLAIMS, true, false],
      );
  });

  test('one holds for its audience only, and not before its time', async () => {
    const key = await opened();
    const [named, listed, late] = [
      await key.sign({ ...CLAIMS, aud: 'routers' }),
      await key.sign({ ...CLAIMS, aud: ['others', 'routers'] }),
      await key.sign({ ...CLAIMS, nbf: SECONDS + 10 }),
    ];
    for (const _ of ['first', 'again']) {
      assert.deepEqual([await holds(key, named), await holds(key, listed), await holds(key, listed, NOW, 'else')], [true, true, false]);
      assert.deepEqual([await holds(key, late), await holds(key, late, NOW + 10_000)], [false, true]);
    }
    for (const { aud, exp } of [
      { aud: undefined, exp: CLAIMS.exp },
      { aud: 'routers', exp: undefined },
    ])
      assert.equal(await holds(key, await key.sign({ aud, exp })), false);
  });

  test('what is changed, or signed by another key, does not hold beside one that does', async () => {
    const key = await opened();
    const jwt = await key.sign(CLAIMS);
    assert.ok(await holds(key, jwt));
    const [head = '', , signature = ''] = jwt.split('.');
    const other = Buffer.from(JSON.stringify({ ...CLAIMS, sub: 'another service' })).toString('base64url');
    assert.equal(await holds(key, `${head}.${other}.${signature}`), false);
    assert.equal(await holds(key, await (await openNetworkKey(root)).sign(CLAIMS)), false);
  });

  test('what the key has signed that holds no claims does not hold', async () => {
    const key = await opened();
    for (const text of ['null', '1', '"a"', '{', ''])
      assert.equal(
        await holds(
          key,
          await new CompactSign(new TextEncoder().encode(text))
            .setProtectedHeader({ alg: 'ES256' })
            .sign(await importPKCS8(ann.key, 'ES256')),
        ),
        false,
      );
  });

  test('none outlives the key that signed it', async () => {
    let pair = { key: ann.key, cert: ann.cert };
    const pki = createPki({ signer: () => Promise.reject(new Error('not asked')), serverCertificate: () => pair });
    const jwt = await (await pki.networkKey()).sign(CLAIMS);
    assert.ok(await holds(await pki.networkKey(), jwt));
    pair = { key: root.key, cert: root.cert };
    assert.equal(await holds(await pki.networkKey(), jwt), false);
  });
});
