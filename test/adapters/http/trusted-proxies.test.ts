import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import { after, describe, test } from 'node:test';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import { expressHandler } from '../../../adapters/http/express.ts';
import { fastifyPlugin } from '../../../adapters/http/fastify.ts';
import { koaMiddleware } from '../../../adapters/http/koa.ts';
import { type ServeOptions, type Serving, serve } from '../../../adapters/http/node.ts';
import { memoryStorage } from '../../../adapters/storage/memory/index.ts';
import { ManagementController } from '../../../src/index.ts';
import { fastPasswordHasher } from '../../../src/platform/testing.ts';
import { webPlatform } from '../../../src/platform/web.ts';
import { type Host, opener } from '../../conformance/http/host.ts';
import { authority, party } from '../../support/pki.ts';
import { handlerOf } from '../../unit/http/fake-api.ts';

const root = await authority('root', { notBefore: Date.now() - 3_600_000, notAfter: Date.now() + 3_600_000 });
const validity = { notBefore: root.certificate.notBefore, notAfter: root.certificate.notAfter };
const [ann, proxy] = [await party('ann', { by: root, ...validity }), await party('proxy', { by: root, ...validity })];
const server = await party('server', { by: root, ...validity, names: { ipAddresses: ['127.0.0.1'] } });

const hex = (der: Uint8Array | undefined) =>
  Buffer.from(der ?? [])
    .toString('hex')
    .slice(-8);
const sequence = ({ certificate: { der } }: Pick<typeof ann, 'certificate'>) => `:${Buffer.from(der).toString('base64')}:`;
const [ANN, ROOT, PROXY] = [ann, root, proxy].map(({ certificate }) => hex(certificate.der));

const servings: Serving[] = [];
const serveSeen = async (options: Partial<ServeOptions> = {}) => {
  const controller = {
    handle: async ({ peerCertificates = [] }: { readonly peerCertificates?: readonly Uint8Array[] }) => ({
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: peerCertificates.map(hex).join(' '),
    }),
  };
  const serving = await serve({ controller, ...options });
  servings.push(serving);
  return serving;
};
after(() => Promise.all(servings.map((serving) => serving.close(0))));

type Headers = Readonly<Record<string, string | string[]>>;

/** What the controller is told that the client presented. */
const seen = ({ address }: Serving, headers: Headers = {}, options: https.RequestOptions = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const { request } = address.startsWith('https') ? https : http;
    request(address, { headers, agent: false, rejectUnauthorized: false, ...options }, (response) => {
      let body = '';
      response.on('data', (chunk) => (body += chunk)).on('end', () => resolve(body));
    })
      .on('error', reject)
      .end();
  });

const loopback = { from: ['127.0.0.0/8'] };

describe('a certificate in a header', () => {
  test('counts from a trusted proxy alone', async () => {
    const headers = { 'client-cert': sequence(ann) };
    assert.equal(await seen(await serveSeen({ trustedProxies: loopback }), headers), ANN);
    for (const options of [{}, { trustedProxies: { from: [] } }, { trustedProxies: { from: ['10.0.0.0/8', '::1', '128.0.0.1'] } }])
      assert.equal(await seen(await serveSeen(options), headers), '');
  });

  test('counts under the name that the host says, and under no other', async () => {
    const serving = await serveSeen({ trustedProxies: { ...loopback, certificateHeader: 'X-Client-Cert', chainHeader: 'X-Chain' } });
    assert.equal(await seen(serving, { 'x-client-cert': sequence(ann), 'X-CHAIN': sequence(root) }), `${ANN} ${ROOT}`);
    for (const name of ['client-cert', 'x-client-certpem', 'x-forwarded-client-cert'])
      assert.equal(await seen(serving, { [name]: sequence(ann) }), '');
  });

  test('comes as a byte sequence or as PEM in percent-encoding, with what stands above it', async () => {
    const serving = await serveSeen({ trustedProxies: loopback });
    const forms: readonly (readonly [Headers, string])[] = [
      [{ 'client-cert': sequence(ann), 'client-cert-chain': sequence(root) }, `${ANN} ${ROOT}`],
      [{ 'client-cert': sequence(ann), 'client-cert-chain': `${sequence(proxy)}, ${sequence(root)}` }, `${ANN} ${PROXY} ${ROOT}`],
      [{ 'client-cert': encodeURIComponent(ann.cert) }, `${ANN}`],
      [{ 'client-cert': encodeURIComponent(ann.cert + root.cert) }, `${ANN} ${ROOT}`],
    ];
    for (const [headers, expected] of forms) assert.equal(await seen(serving, headers), expected);
  });

  test('that is malformed or stands there twice is none', async () => {
    const serving = await serveSeen({ trustedProxies: loopback });
    const values = [
      '',
      ' ',
      'x',
      ':',
      '::',
      ':%:',
      `${sequence(ann)}, x`,
      '%',
      '%zz',
      encodeURIComponent(ann.key),
      encodeURIComponent(`${ann.cert}x`),
    ];
    for (const value of values) assert.equal(await seen(serving, { 'client-cert': value, 'client-cert-chain': sequence(root) }), '', value);
    assert.equal(await seen(serving, { 'client-cert': [sequence(ann), sequence(proxy)] }), '');
    assert.equal(await seen(serving, { 'client-cert-chain': sequence(ann) }), '');
  });

  test("counts instead of the proxy's own, which proves nobody's client", async () => {
    const serving = await serveSeen({ trustedProxies: loopback, tls: { key: server.key, cert: server.cert } });
    const own = { key: proxy.key, cert: proxy.cert };
    assert.equal(await seen(serving, { 'client-cert': sequence(ann) }, own), ANN);
    assert.equal(await seen(serving, {}, own), '');
    const direct = await serveSeen({ trustedProxies: { from: ['10.0.0.1'] }, tls: { key: server.key, cert: server.cert } });
    assert.equal(await seen(direct, { 'client-cert': sequence(ann) }, own), PROXY);
  });

  test('logs in through a trusted proxy, and is a forgery from anybody else', async () => {
    const controller = await ManagementController.open({
      storage: memoryStorage(),
      settings: { address: 'https://127.0.0.1:1280' },
      platform: webPlatform({ passwords: fastPasswordHasher() }),
    });
    const { id } = await controller.cas.create({
      body: {
        name: 'ours',
        certPem: root.cert,
        isAuthEnabled: true,
        isOttCaEnrollmentEnabled: false,
        isAutoCaEnrollmentEnabled: false,
        identityRoles: [],
      },
    });
    const { verificationToken } = await controller.cas.get({ id });
    await controller.cas.verify({ id, body: (await party(verificationToken ?? '', { by: root, ...validity })).cert });
    const identity = await controller.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
    await controller.authenticators.create({ body: { identityId: identity.id, method: 'cert', certPem: ann.cert } });
    const login = async (trustedProxies?: ServeOptions['trustedProxies']) => {
      const serving = await serve({ controller, ...(trustedProxies ? { trustedProxies } : {}) });
      servings.push(serving);
      const headers = { 'client-cert': sequence(ann) };
      return (await fetch(`${serving.address}/edge/client/v1/authenticate?method=cert`, { method: 'POST', headers })).status;
    };
    assert.equal(await login(loopback), 200);
    assert.equal(await login({ from: ['10.0.0.0/8'] }), 401);
    assert.equal(await login(), 401);
    await controller.close();
  });

  test('needs addresses that are some', async () => {
    for (const entry of ['localhost', '', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.0/-1', '::1/129', '10.0.0'])
      await assert.rejects(serveSeen({ trustedProxies: { from: [entry] } }), TypeError, entry);
  });
});

test('the option counts in the same way with frameworks on Node', async (t) => {
  const seen: unknown[] = [];
  const controller = { handle: handlerOf({ version: (source) => seen.push(source.peerCertificates) }) };
  const options = { trustedProxies: { from: ['127.0.0.1'] } };
  const applications: Readonly<Record<string, Host['application']>> = {
    express: () => express().use(expressHandler(controller, options)),
    koa: () => new Koa().use(koaMiddleware(controller, options)).callback(),
    fastify: async () => {
      const app = fastify();
      app.register(fastifyPlugin(controller, options));
      await app.ready();
      return (req, res) => app.routing(req, res);
    },
  };
  for (const [name, application] of Object.entries(applications)) {
    const server = await opener({ name, application }, t)();
    await server.ask('GET', '/version', { headers: { 'client-cert': ':AQID:' } });
  }
  assert.deepEqual(seen, Array(3).fill([new Uint8Array([1, 2, 3])]));
});
