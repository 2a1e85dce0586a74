/**
 * Servers of an adopted network present further certificates to clients that ask for their names. A router with one of these names could
 * take the place of the controller for such clients.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRoot, newServerCertificate } from '../../src/index.ts';
import { opened } from '../support/adopted-network.ts';
import { NOW } from '../support/pki.ts';
import { certificatesIn, requestsOf } from '../support/routers.ts';

const asked = (['public.example', 'one.apps.example', 'PUBLIC.example', 'free.example'] as const).map(
  (value) => ({ type: 'dns', value }) as const,
);

for (const isServerOfHost of [false, true])
  test(`no router gets a name of a certificate that servers present by name${isServerOfHost ? ', also beside that of a host' : ''}`, async () => {
    await using place = await opened('memory');
    const own = await newServerCertificate(await newRoot({ now: NOW }), ['controller.old.example'], { now: NOW });
    const controller = await place.open(isServerOfHost ? { serverCertificate: () => own } : {});
    const { edgeRouters, enrolling } = controller.api;
    const { id } = await edgeRouters.create({ body: { name: 'fra1' } });
    const token = (await edgeRouters.get({ id })).enrollmentToken ?? '';
    const { certCsr: clientCsr, serverCertCsr: serverCsr } = await requestsOf(id, { server: asked });
    const { serverCert = '' } = await enrolling.erott({ body: { token, clientCsr, serverCsr } });
    assert.deepEqual(certificatesIn(serverCert)[0]?.subjectAltName?.split(', '), ['DNS:one.apps.example', 'DNS:free.example']);
    await controller.close();
  });
