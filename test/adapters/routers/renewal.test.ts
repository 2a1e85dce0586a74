import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { issuedCertificate, newCsr } from '../../../testing/certificates.ts';
import type { ScriptedRouter, TestRouter } from '../../../testing/index.ts';
import { connectScripted } from '../../../testing/scripted-router.ts';
import { proves } from '../../specification.ts';
import { until } from '../../support/until.ts';
import { type RouterNetwork, routerNetwork } from './support.ts';

const { extendEnrollment, enrollmentCertificates, verifyEnrollment, enrollmentOutcome } = messages.enrollment;

interface Renewing extends RouterNetwork {
  readonly fra1: TestRouter;
  readonly router: ScriptedRouter;
}

const renewing = async (): Promise<Renewing> => {
  const at = await routerNetwork();
  const fra1 = await at.network.edgeRouter('fra1.routers.example');
  return { ...at, fra1, router: await fra1.dial({ port: at.port }), [Symbol.asyncDispose]: at[Symbol.asyncDispose] };
};

/** Asks for certificates as a router does, and takes what it is offered. */
const offered = async ({ router, fra1 }: Renewing, { requireVerification = true, commonName = fra1.id } = {}) => {
  const [client, server] = [await newCsr(commonName), await newCsr(commonName)];
  router.send(extendEnrollment, { clientCertCsr: client.csr, serverCertCsr: server.csr, requireVerification });
  return { client };
};
const taken = async (router: ScriptedRouter) => enrollmentCertificates.decode((await router.next(enrollmentCertificates)).body);
const confirm = async (router: ScriptedRouter, clientCertPem: string) =>
  enrollmentOutcome.decode((await router.request(verifyEnrollment, { clientCertPem })).body);

const DONE = { code: '', message: '', cause: '' };
const fingerprintOf = async ({ network, fra1 }: Renewing) => {
  const shown = await network.controller.api.edgeRouters.get({ id: fra1.id });
  return { now: shown.fingerprint, unverified: shown.unverifiedFingerprint };
};
const sha1 = (pem: string): string => new X509Certificate(pem).fingerprint.replaceAll(':', '').toLowerCase();

/** A later connection with a certificate: undefined if it may connect, else why not. */
const connecting = async ({ network, port, fra1 }: Renewing, pem: string, key: string): Promise<string | undefined> => {
  network.clock.advance('60s');
  const certificate = await issuedCertificate(pem, key);
  try {
    await connectScripted({ id: fra1.id, certificate, clock: network.clock }, { port });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};
const NOT_CURRENT = 'the certificate is not the current one of a router';

test(
  'a router gets new certificates on its connection; they are its own once it has confirmed them, and the connection stays open',
  proves(180),
  async () => {
    await using at = await renewing();
    const before = await fingerprintOf(at);
    const { client } = await offered(at);
    const { clientCertPem, serverCertPem, caCertsPem } = await taken(at.router);
    const [own, server] = [new X509Certificate(clientCertPem), new X509Certificate(serverCertPem)];
    assert.deepEqual([own.subject, server.subject], [`CN=${at.fra1.id}`, `CN=${at.fra1.id}`]);
    assert.match(caCertsPem, /BEGIN CERTIFICATE/);
    assert.deepEqual(await fingerprintOf(at), { now: before.now, unverified: sha1(clientCertPem) });
    const { unverifiedCertPem } = await at.network.controller.api.routers.get({ id: at.fra1.id });
    assert.equal(sha1(unverifiedCertPem ?? ''), sha1(clientCertPem));

    assert.deepEqual(await confirm(at.router, clientCertPem), DONE);
    assert.deepEqual(await fingerprintOf(at), { now: sha1(clientCertPem), unverified: null });
    const { certPem, isOnline } = await at.network.controller.api.edgeRouters.get({ id: at.fra1.id });
    assert.deepEqual([sha1(certPem ?? ''), isOnline, at.router.signal.aborted], [sha1(clientCertPem), true, false]);
    // The answer may have been lost.
    assert.deepEqual(await confirm(at.router, clientCertPem), DONE);
    const { certificate } = at.fra1;
    assert.ok(certificate);
    assert.equal(await connecting(at, certificate.chain, certificate.key), NOT_CURRENT);
    assert.equal(await connecting(at, clientCertPem, client.key), undefined);
  },
);

test('until it has confirmed them, it connects with the old ones', async () => {
  await using at = await renewing();
  const { client } = await offered(at);
  const { clientCertPem } = await taken(at.router);
  at.router.close();
  const { certificate } = at.fra1;
  assert.ok(certificate);
  assert.equal(await connecting(at, clientCertPem, client.key), NOT_CURRENT);
  assert.equal(await connecting(at, certificate.chain, certificate.key), undefined);
});

test('only what was offered last can be confirmed', async () => {
  await using at = await renewing();
  const before = await fingerprintOf(at);
  await offered(at);
  const { clientCertPem: first } = await taken(at.router);
  await offered(at);
  const { clientCertPem: second } = await taken(at.router);
  const WRONG = 'this is not the certificate that was offered last';
  for (const pem of [first, at.fra1.certificate?.cert ?? '', 'no certificate', ''])
    assert.partialDeepStrictEqual(await confirm(at.router, pem), { code: 'COULD_NOT_PROCESS_CSR', message: WRONG });
  assert.equal((await fingerprintOf(at)).now, before.now);
  assert.deepEqual(await confirm(at.router, second), DONE);
  assert.partialDeepStrictEqual(await confirm(at.router, first), { code: 'COULD_NOT_PROCESS_CSR' });
});

test('where it does not want to confirm them, they are its own at once', async () => {
  await using at = await renewing();
  await offered(at, { requireVerification: false });
  const { clientCertPem } = await taken(at.router);
  assert.deepEqual(await fingerprintOf(at), { now: sha1(clientCertPem), unverified: null });
});

test('an invalid request, or that of another router, is refused, and nothing changes', async () => {
  await using at = await renewing();
  const before = await fingerprintOf(at);
  const other = await at.network.edgeRouter('ams1');
  const asking = async (clientCertCsr: string, serverCertCsr: string) =>
    enrollmentOutcome.decode((await at.router.request(extendEnrollment, { clientCertCsr, serverCertCsr, requireVerification: true })).body);
  const { csr } = await newCsr(other.id);
  for (const [own, server] of [
    [csr, csr],
    ['', ''],
    ['x', csr],
  ] as const)
    assert.partialDeepStrictEqual(await asking(own, server), { code: 'COULD_NOT_PROCESS_CSR' });
  assert.deepEqual(await fingerprintOf(at), before);
});

test('its names are those of both certificates until it has confirmed, and then those of the new one', async () => {
  await using at = await renewing();
  const named = async (name: string) => (await newCsr(at.fra1.id, name)).csr;
  const other = await at.network.edgeRouter('ams1');
  const otherRouter = await other.dial({ port: at.port });
  const mayHave = async (name: string) => {
    const request = { clientCertCsr: (await newCsr(other.id)).csr, serverCertCsr: (await newCsr(other.id, name)).csr };
    otherRouter.send(extendEnrollment, { ...request, requireVerification: true });
    return new X509Certificate((await taken(otherRouter)).serverCertPem).subjectAltName === `DNS:${name}`;
  };
  const extended = async (name: string) => {
    const [clientCertCsr, serverCertCsr] = [await named(name), await named(name)];
    at.router.send(extendEnrollment, { clientCertCsr, serverCertCsr, requireVerification: true });
    return (await taken(at.router)).clientCertPem;
  };
  assert.deepEqual(await confirm(at.router, await extended('old.example')), DONE);
  await extended('given-up.example');
  const pem = await extended('new.example');
  assert.deepEqual([await mayHave('old.example'), await mayHave('new.example')], [false, false]);
  assert.deepEqual(await confirm(at.router, pem), DONE);
  assert.deepEqual([await mayHave('given-up.example'), await mayHave('old.example'), await mayHave('new.example')], [true, true, false]);
});

test('a router that must enroll again has nothing to confirm', async () => {
  await using at = await renewing();
  await offered(at);
  await taken(at.router);
  await at.network.controller.api.edgeRouters.reEnroll({ id: at.fra1.id });
  await until(() => at.router.signal.aborted);
  assert.deepEqual(await fingerprintOf(at), { now: undefined, unverified: null });
});
