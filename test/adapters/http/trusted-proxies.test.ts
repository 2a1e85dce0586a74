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
import { type CoreRequest, ManagementController } from '../../../src/index.ts';
import { fastPasswordHasher } from '../../../src/runtime/platform/testing.ts';
import { webPlatform } from '../../../src/runtime/platform/web.ts';
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
    handle: async ({ peerCertificates = [], remoteAddress = '', target }: CoreRequest) => ({
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: target === '/address' ? remoteAddress : peerCertificates.map(hex).join(' '),
    }),
  };
  const serving = await serve({ controller, ...options });
  servings.push(serving);
  return serving;
};
after(() => Promise.all(servings.map((serving) => serving.close(0))));

type Headers = Readonly<Record<string, string | string[]>>;

/** The certificates of the client as the controller sees them; with the path `/address`, its address. */
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

  test('comes as an element of x-forwarded-client-cert', async () => {
    const certificateHeader = 'x-forwarded-client-cert';
    const serving = await serveSeen({ trustedProxies: { ...loopback, certificateHeader } });
    const [pem, chain] = [encodeURIComponent(ann.cert), encodeURIComponent(ann.cert + root.cert)];
    const forged = encodeURIComponent(proxy.cert);
    const values: readonly (readonly [string, string])[] = [
      [`Hash=00;Cert="${pem}";Subject="CN=ann,O=\\"us\\"";URI=a;URI=b`, `${ANN}`],
      [`By=spiffe://us/gateway;Hash=00;Cert="${pem}";Chain="${chain}"`, `${ANN} ${ROOT}`],
      [`Subject="CN=eve;Cert=${forged};Chain=${forged}";Cert="${pem}"`, `${ANN}`],
      [`Cert="${pem}";Subject="CN=\\";Cert=\\"${forged}"`, `${ANN}`],
      // Elements before the last may come from the client, and with some settings of Envoy the last one, too.
      [`Cert="${forged}",Cert="${pem}"`, ''],
      // Envoy does not quote the URIs and DNS names of the client's certificate.
      [`Hash=00;Cert="${pem}";Subject="CN=ann";URI=x;Cert="${forged}"`, `${ANN}`],
      [`Hash=00;Cert="${pem}";URI=x;Chain="${forged}"`, `${ANN}`],
      [`Hash=00;Cert="${pem}";URI=;DNS=x;Chain="${forged}"`, `${ANN}`],
      [`Hash=00;DNS=x;Chain="${forged}"`, ''],
      [`Subject="CN=ann"`, ''],
      [`Cert="${pem}`, ''],
      [`Cert="${pem}"x`, ''],
    ];
    for (const [value, expected] of values) assert.equal(await seen(serving, { [certificateHeader]: value }), expected, value.slice(0, 40));
  });

  test('is none where the host says that there is no such header', async () => {
    const serving = await serveSeen({ trustedProxies: { ...loopback, certificateHeader: false } });
    for (const name of ['client-cert', 'false', 'undefined', 'client-cert-chain'])
      assert.equal(await seen(serving, { [name]: sequence(ann) }), '');
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
    const { id } = await controller.api.cas.create({
      body: {
        name: 'ours',
        certPem: root.cert,
        isAuthEnabled: true,
        isOttCaEnrollmentEnabled: false,
        isAutoCaEnrollmentEnabled: false,
        identityRoles: [],
      },
    });
    const { verificationToken } = await controller.api.cas.get({ id });
    await controller.api.cas.verify({ id, body: (await party(verificationToken ?? '', { by: root, ...validity })).cert });
    const identity = await controller.api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
    await controller.api.authenticators.create({ body: { identityId: identity.id, method: 'cert', certPem: ann.cert } });
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

describe('the address of a client', () => {
  const addressOf = async (trustedProxies: ServeOptions['trustedProxies'], headers: Headers) =>
    seen(await serveSeen(trustedProxies ? { trustedProxies } : {}), headers, { path: '/address' });
  const from = ['127.0.0.0/8', '10.0.0.0/8', 'fd00::/8'];

  test('is the last one in the header that is not a trusted proxy’s, so that what a client sends itself does not count', async () => {
    const trusted = { from, addressHeader: 'X-Forwarded-For' };
    const hops: readonly (readonly [string | string[], string])[] = [
      ['203.0.113.7', '203.0.113.7'],
      ['1.1.1.1, 203.0.113.7', '203.0.113.7'],
      ['1.1.1.1, 203.0.113.7, 10.0.0.9,10.1.0.9', '203.0.113.7'],
      [['1.1.1.1', '203.0.113.7, 10.0.0.9'], '203.0.113.7'],
      ['1.1.1.1, 2001:db8::7, fd00::9', '2001:db8::7'],
      ['[2001:db8::7]:4711', '2001:db8::7'],
      ['203.0.113.7:4711', '203.0.113.7'],
      ['10.0.0.7, 10.0.0.9', '10.0.0.7'],
      // What is no address hides all before it.
      ['203.0.113.7, unknown, 10.0.0.9', '10.0.0.9'],
      ['203.0.113.7, ', '127.0.0.1'],
      ['fe80::1%<script>', '127.0.0.1'],
      ['', '127.0.0.1'],
    ];
    for (const [value, expected] of hops) assert.equal(await addressOf(trusted, { 'x-forwarded-for': value }), expected, String(value));
    const many = Array(500).fill('10.0.0.9');
    assert.equal(await addressOf(trusted, { 'x-forwarded-for': ['203.0.113.7', ...many].join() }), '10.0.0.9', 'a chain has its end');
  });

  test('is that of the connection for any other header, and for a proxy that is not trusted', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7', 'x-real-ip': '203.0.113.7' };
    for (const trusted of [
      undefined,
      { from },
      { from, addressHeader: 'x-client' },
      { from: ['10.0.0.0/8'], addressHeader: 'x-forwarded-for' },
    ])
      assert.equal(await addressOf(trusted, headers), '127.0.0.1');
  });

  test('and the certificate come in the headers of the proxy that sent the request', async () => {
    const here = { from: ['127.0.0.0/8'], addressHeader: 'x-forwarded-for', certificateHeader: 'x-here' };
    const there = { from: ['10.0.0.0/8'], addressHeader: 'x-real-ip', certificateHeader: 'x-there' };
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-real-ip': '1.1.1.1', 'x-here': sequence(ann), 'x-there': sequence(proxy) };
    for (const trusted of [
      [here, there],
      [there, here],
    ]) {
      assert.equal(await addressOf(trusted, headers), '203.0.113.7');
      assert.equal(await seen(await serveSeen({ trustedProxies: trusted }), headers), ANN);
    }
  });
});

test('a range that would trust all clients is refused', async () => {
  const everybody = [
    '0.0.0.0/0',
    '0.0.0.0/1',
    '128.0.0.0/1',
    '10.0.0.0/7',
    '::/0',
    '2000::/3',
    '::/64',
    '::ffff:0:0/96',
    '::ffff:0.0.0.0/97',
    '0::/8',
  ];
  for (const entry of everybody)
    await assert.rejects(
      serveSeen({ trustedProxies: { from: ['10.0.0.1', entry] } }),
      { name: 'TypeError', message: /would trust all clients/ },
      entry,
    );
  await serveSeen({ trustedProxies: { from: ['10.0.0.0/8', 'fc00::/7', '::1', '::ffff:10.0.0.0/104', '2001:db8::/32'] } });
});

test('the option counts in the same way with frameworks on Node', async (t) => {
  const seen: unknown[] = [];
  const controller = { handle: handlerOf({ version: (source) => seen.push([source.remoteAddress, source.peerCertificates]) }) };
  const options = { trustedProxies: { from: ['127.0.0.1', '::ffff:127.0.0.1'], addressHeader: 'x-forwarded-for' } };
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
    await server.ask('GET', '/version', { headers: { 'client-cert': ':AQID:', 'x-forwarded-for': '203.0.113.7' } });
  }
  assert.deepEqual(seen, Array(3).fill(['203.0.113.7', [new Uint8Array([1, 2, 3])]]));
});
