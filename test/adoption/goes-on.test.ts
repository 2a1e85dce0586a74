import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCertificates } from '../../src/crypto/pki/certificate.ts';
import { validateChain } from '../../src/crypto/pki/chain.ts';
import { rotateAuthority } from '../../src/index.ts';
import { adoptSeeds, FORMER_ADMIN, openAdopted } from '../support/adopted.ts';
import { openApp, SECRET_KEY } from '../support/app.ts';
import { chainOf } from '../support/certificates.ts';
import { sendCsr, type toEnroll } from '../support/enrolling.ts';
import { formerAuthority } from '../support/former-in-memory.ts';
import { csr, NOW, party, sharedPki } from '../support/pki.ts';
import { newSharedStorage, stores } from '../support/stores.ts';

/** With the authority in the store, not with one that the test gives. */
const open = { pki: undefined, serverCertificate: undefined };

for (const store of stores)
  test(`on ${store}, the adopted authority vouches for old devices, and for new ones below the old root`, async () => {
    const { root, signer } = await sharedPki();
    const device = await party('device', { by: signer });
    await using adopted = await openAdopted(
      store,
      {
        identities: [{ id: 'device', name: 'device' }],
        authenticators: [{ id: 'a', identity: 'device', method: 'cert', certPem: device.cert + signer.cert, isIssuedByNetwork: true }],
      },
      { open: open as object },
    );
    const { app } = adopted;
    const login = async (...certificates: readonly Uint8Array[]) => {
      const { status, body } = await app.request('POST', '/authenticate?method=cert', { as: null, certificates, body: {} });
      return status === 200 ? body.data.identityId : status;
    };
    assert.equal(await login(...chainOf(device, signer)), 'device');
    const stranger = await party('stranger', { by: signer });
    assert.equal(await login(...chainOf(stranger, signer)), 401);

    const { identityId, enrollment } = await toEnrollAs(app);
    const { status, body, text } = await sendCsr(app, enrollment.token, (await csr('new')).csr);
    assert.equal(status, 200, text);
    const { value: issued = [] } = await readCertificates(body.data?.cert ?? text);
    const [leaf, ...above] = issued;
    assert.ok(leaf);
    const { value: anchors = [] } = await readCertificates(root.cert);
    const { chain } = await validateChain(leaf, { anchors, intermediates: above, now: NOW });
    assert.equal(chain?.at(-1)?.fingerprint, anchors[0]?.fingerprint);
    assert.equal(await login(...issued.map(({ der }) => der)), identityId);
  });

/** The administrator of the former network has no password that the test knows. */
const toEnrollAs = async (app: Parameters<typeof toEnroll>[0]) => {
  const { id } = await app.controller.api.identities.create({
    body: { name: 'new', type: 'Device', isAdmin: false, enrollment: { ott: true } },
  });
  const [enrollment] = (await app.controller.api.enrollments.list({ filter: `identity = "${id}"` })).data;
  assert.ok(enrollment);
  return { identityId: id, enrollment };
};

for (const store of stores)
  test(`on ${store}, routers know the controller at the address of the former one by its id, and another one by its own address`, async () => {
    await using shared = newSharedStorage(store);
    const controller = { id: 'the former', address: 'tls:controller.example.org:6262' };
    await adoptSeeds(
      { identities: [FORMER_ADMIN] },
      { storage: shared.adapter(), authority: { ...(await formerAuthority()), controller } },
    );
    const idAt = async (ctrlAddress: string, controllerId?: string) => {
      await using app = await openApp(store, { storage: shared.adapter(), ctrlAddress, controllerId, ...(open as object) });
      const [self] = await app.controller.api.controllers.listMembers();
      return self?.id;
    };
    assert.equal(await idAt('tls:controller.example.org:6262'), 'the former');
    assert.equal(await idAt('tls:second.example.org:6262'), 'tls:second.example.org:6262');
    assert.equal(await idAt('tls:controller.example.org:6262', 'its own'), 'its own');
    await rotateAuthority({ storage: shared.adapter(), secretKey: SECRET_KEY });
    assert.equal(await idAt('tls:controller.example.org:6262'), 'the former');
  });

for (const [what, controller] of [
  ['an id with control characters', { id: 'a\nb', address: 'tls:controller.example.org:6262' }],
  ['an address of another form', { id: 'a', address: 'https://controller.example.org' }],
] as const)
  test(`a former controller with ${what} is refused`, async () => {
    const authority = { ...(await formerAuthority()), controller };
    const { refusals } = await adoptSeeds({ identities: [FORMER_ADMIN] }, { authority, plan: true });
    assert.match(
      refusals.join(),
      /^the controller of an adopted authority must be an id without control characters, and an address as tls:HOST:PORT$/,
    );
  });
