/** An authority may have certified any number of devices. A delegate that changes it must not make the controller read them all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore, SECRET_KEY } from '../support/app.ts';
import { aCa, aForeignCertificate } from '../support/certificates.ts';
import { counted } from '../support/counted.ts';
import { newStorage } from '../support/stores.ts';

onEveryStore('an authority of many devices', (open, store) => {
  test('is changed by a delegate without reading their authenticators', async () => {
    const { storage, asked } = counted(newStorage(store));
    await using app = await open({ storage, secretKey: SECRET_KEY, settings: { roleIndexBytes: 0 } });
    const own = await aCa(app);
    for (let i = 0; i < 3; i++) await aForeignCertificate(app, own);
    const as = await (await app.user({ permissions: ['ca'] })).login();
    let status = 0;
    const all = await asked(async () => {
      status = (await app.request('PATCH', `/cas/${own.id}`, { as, body: { name: 'renamed' } })).status;
    });
    assert.equal(status, 200);
    assert.deepEqual(
      all.filter((each) => each === 'list authenticator'),
      [],
    );
  });

  test('is out of reach if it proves any identity with more rights, however many of these there are', async () => {
    await using app = await open();
    const own = await aCa(app);
    const ids: string[] = [];
    const fields = { type: 'User', isAdmin: false, permissions: ['service.read'] };
    for (let i = 0; i < 501; i++) ids.push(await app.create('/identities', { name: `reader ${i}`, ...fields }));
    const last = ids.toSorted().at(-1);
    const as = await (await app.user({ permissions: ['ca'] })).login();
    const statusOf = async (name: string) => (await app.request('PATCH', `/cas/${own.id}`, { as, body: { name } })).status;
    assert.equal(await statusOf('renamed'), 200);
    const { cert } = await own.issue('reader');
    await app.create('/authenticators', { identityId: last, method: 'cert', certPem: cert });
    assert.equal(await statusOf('renamed again'), 401);
  });
});
