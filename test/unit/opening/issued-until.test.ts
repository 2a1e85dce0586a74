import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issuedUntil } from '../../../src/operations/authority/issued-until.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';
import { party } from '../../support/pki.ts';
import { newStorage, stores } from '../../support/stores.ts';

const START = Date.parse('2026-11-21T10:00:00.000Z');

for (const name of stores)
  test(`the last end of a certificate is found among more rows than are read at once, and only of those that the network issued (${name})`, async () => {
    const store = await newStorage(name).open(storageSchema);
    const dates = { createdAt: '', updatedAt: '', version: 1 };
    const end = START + 3_600_000;
    const { cert: certPem } = await party('device', { notBefore: START, notAfter: end });
    const { cert: later } = await party('foreign', { notBefore: START, notAfter: end + 3_600_000 });
    const rowsOf = (kind: string, fields: object) =>
      store.transaction('write', async (tx) => {
        for (let i = 0; i < 1000; i++) await tx.insert(kind, { ...dates, ...fields, id: `a${i}`, name: `a${i}` });
      });
    await rowsOf('authenticator', { identityId: 'i', method: 'cert', isIssuedByNetwork: true });
    assert.equal(await issuedUntil(store), 0);
    await store.transaction('write', async (tx) => {
      const row = { ...dates, identityId: 'i', method: 'cert' };
      await tx.insert('authenticator', { ...row, id: 'b', isIssuedByNetwork: true, certPem });
      await tx.insert('authenticator', { ...row, id: 'c', isIssuedByNetwork: false, certPem: later });
    });
    assert.equal(await issuedUntil(store), end);
    await rowsOf('router', { isEdgeRouter: true });
    await store.transaction('write', (tx) =>
      tx.insert('router', { ...dates, id: 'b', name: 'b', isEdgeRouter: true, unverifiedCertPem: later }),
    );
    assert.equal(await issuedUntil(store), end + 3_600_000);
    await store.close();
  });
