import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import {
  hasSecretKey,
  ManagementController,
  networkAuthority,
  newRoot,
  newSecretKey,
  restoreSnapshot,
  webPlatform,
} from '../../src/index.ts';
import { fastPasswordHasher } from '../../src/runtime/platform/testing.ts';
import type { StorageAdapter } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';

const platform = webPlatform({ passwords: fastPasswordHasher() });
const settings = { address: 'https://controller.example' };

test('servers get certificates for the key that signs the network’s JWTs, below the root that its clients trust', async () => {
  const storage = memoryStorage();
  const authority = await networkAuthority({ storage });
  const pair = await authority.serverCertificate(['controller.example', '10.0.0.7']);
  const certificate = new X509Certificate(pair.cert);
  assert.ok(certificate.verify(new X509Certificate(authority.roots[0] ?? '').publicKey));
  assert.ok(certificate.checkPrivateKey(createPrivateKey(authority.key)));
  assert.equal(pair.key, authority.key);
  assert.equal(certificate.checkHost('controller.example', { subject: 'never' }), 'controller.example');
  assert.equal(certificate.checkIP('10.0.0.7'), '10.0.0.7');

  const { jwtVerify } = await import('jose');
  const controller = await ManagementController.open({ storage, platform, settings });
  const [jwt] = await controller.api.trust.listNetworkJwts();
  await jwtVerify(jwt?.token ?? '', certificate.publicKey);
  await controller.close();
  await assert.rejects(authority.serverCertificate(['x'], (await newRoot()).cert), {
    name: 'TypeError',
    message: 'the root must be one of those of the network',
  });
});

test('the store of a network needs its secret key, and says whether it has one', async () => {
  const memory = memoryStorage();
  assert.equal(await hasSecretKey(memory), false);
  await networkAuthority({ storage: memory });
  assert.equal(await hasSecretKey(memory), true);
  await assert.rejects(networkAuthority({ storage: memory, secretKey: newSecretKey() }), {
    name: 'TypeError',
    message: /a different secretKey/,
  });
});

test('a root that is taken over drops no older change from the log, and the store is closed afterwards', async () => {
  const [memory, secretKey] = [memoryStorage(), newSecretKey()];
  let open = 0;
  const storage: StorageAdapter = {
    open: async (schema) => {
      const store = await memory.open(schema);
      open++;
      return {
        transaction: (mode, work, options) => store.transaction(mode, work, options),
        join: (host) => store.join(host),
        close: () => store.close().finally(() => open--),
      };
    },
  };
  await networkAuthority({ storage, secretKey });
  const controller = await ManagementController.open({ storage: memory, platform, settings, secretKey });
  for (const name of ['a', 'b', 'c']) await controller.api.identities.create({ body: { name, type: 'User', isAdmin: false } });
  await controller.close();
  const changes = async () => {
    const store = await memory.open(storageSchema);
    const rows = await store.transaction('read', (tx) => tx.list('change', { where: { op: 'all' } }));
    await store.close();
    return rows.map(({ id }) => id);
  };
  const before = await changes();
  await networkAuthority({ storage, secretKey, former: { root: await newRoot() } });
  const after = await changes();
  assert.deepEqual(after.slice(0, before.length), before);
  assert.equal(after.length, before.length + 1);
  await assert.rejects(networkAuthority({ storage, secretKey: newSecretKey() }), TypeError);
  assert.equal(open, 0);
});

test('a snapshot carries the authority, sealed: what was restored is the same network for its clients', async () => {
  const secretKey = newSecretKey();
  const parts: string[] = [];
  const storage = memoryStorage();
  const before = await networkAuthority({ storage, secretKey });
  const snapshots = {
    save: async (_: string, text: AsyncIterable<string>) => {
      for await (const part of text) parts.push(part);
    },
  };
  const controller = await ManagementController.open({ storage, platform, settings, secretKey, snapshots });
  await controller.api.database.createSnapshot();
  const authorities = await controller.api.trust.authorities();
  await controller.close();
  assert.ok(!parts.join('').includes('PRIVATE KEY'));

  const restored = memoryStorage();
  await restoreSnapshot({ storage: restored, snapshot: parts });
  await assert.rejects(networkAuthority({ storage: restored, secretKey: newSecretKey() }), TypeError);
  const after = await networkAuthority({ storage: restored, secretKey });
  assert.deepEqual([after.roots, after.key], [before.roots, before.key]);
  const again = await ManagementController.open({ storage: restored, platform, settings, secretKey });
  assert.deepEqual(await again.api.trust.authorities(), authorities);
  await again.close();
});
