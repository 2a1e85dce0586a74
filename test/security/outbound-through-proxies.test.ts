/**
 * A proxy reaches further than the controller. It must lead to nothing that the controller would refuse, and what it says itself is not the
 * provider's answer.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodePlatform } from '../../adapters/platform/node.ts';
import { nodeOutbound } from '../../adapters/platform/node-outbound.ts';
import { addressRule } from '../../src/runtime/platform/addresses.ts';
import { startServer, temporaryFolder } from '../examples/child.ts';
import { openApp } from '../support/app.ts';
import { connectProxy, leadingTo, type OnConnect, saying } from '../support/connect-proxy.ts';
import { AUDIENCE, claimsOf, keyServer, loginByToken, providerKey, sign } from '../support/provider.ts';

/** No test waits for this time. */
const LIMITS = { maxBytes: 1000, timeoutMs: 60_000, permits: addressRule([]) } as const;
const CREDENTIALS = 'me:a-secret-of-the-proxy';

/** A proxy with a password, and outbound requests through it, where every name leads to an address. */
const through = async (t: Parameters<typeof connectProxy>[0], onConnect: OnConnect, ...addresses: readonly string[]) => {
  const proxy = await connectProxy(t, onConnect);
  const address = `http://${CREDENTIALS}@127.0.0.1:${proxy.port}`;
  const outbound = nodeOutbound({ HTTP_PROXY: address, HTTPS_PROXY: address }, (_, found) =>
    found(
      null,
      addresses.map((each) => ({ address: each, family: each.includes(':') ? 6 : 4 })),
    ),
  );
  return { proxy, outbound };
};

const INSIDE = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:10.0.0.1', 'fd00::1', '100.100.100.200', '0.0.0.0'];

for (const protocol of ['http', 'https'])
  test(`a proxy is not asked for what leads inside (${protocol})`, async (t) => {
    for (const inside of INSIDE) {
      const { proxy, outbound } = await through(t, saying(''), inside);
      const literal = inside.includes(':') ? `[${inside}]` : inside;
      for (const host of ['keys.example', literal])
        await assert.rejects(outbound.request(`${protocol}://${host}/`, LIMITS), { name: 'OutboundRefused' }, host);
      assert.deepEqual([proxy.asked, proxy.forwarded], [[], []], inside);
    }
  });

test('a proxy is asked for the public addresses of a name only', async (t) => {
  const { proxy, outbound } = await through(t, saying('HTTP/1.1 503 x\r\n\r\n'), '10.0.0.1', '93.184.216.34', '169.254.169.254');
  await assert.rejects(outbound.request('http://keys.example/', LIMITS), /status 503/);
  assert.deepEqual(proxy.asked, ['93.184.216.34:80']);
});

test('a redirect leads to nothing inside, and to no other origin', async (t) => {
  for (const location of ['http://10.0.0.1/', 'http://169.254.169.254/', 'http://others.example/', 'https://keys.example/']) {
    const answer = `HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`;
    const redirecting = saying('HTTP/1.1 200 x\r\n\r\n', answer);
    const { proxy, outbound } = await through(t, redirecting, '93.184.216.34');
    await assert.rejects(
      outbound.request('http://keys.example/', LIMITS),
      { name: 'OutboundRefused', message: /another origin/ },
      location,
    );
    assert.deepEqual(proxy.asked, ['93.184.216.34:80']);
    await proxy.closed();
  }
});

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"keys":[]}';
const MISBEHAVIOUR: Readonly<Record<string, readonly [says: string, error: RegExp]>> = {
  'answers in place of the provider': [ANSWER, /sent data into the tunnel/],
  'answers for the provider behind its own answer': [`HTTP/1.1 200 OK\r\n\r\n${ANSWER}`, /sent data into the tunnel/],
  'says garbage behind its answer': ['HTTP/1.1 200 OK\r\n\r\n\0garbage', /sent data into the tunnel/],
  'says garbage': ['garbage\r\n\r\n', /cannot be used: Parse Error/],
  'wants other credentials': [
    'HTTP/1.1 407 x\r\nproxy-authenticate: Basic\r\ncontent-length: 5\r\n\r\nwants',
    /does not accept the credentials/,
  ],
  refuses: ['HTTP/1.1 403 x\r\ncontent-length: 11\r\n\r\n{"keys":[]}', /refused a tunnel to 93\.184\.216\.34:\d+: status 403$/],
  redirects: ['HTTP/1.1 302 x\r\nlocation: http://93.184.216.34/\r\n\r\n', /refused a tunnel .* status 302$/],
  'sends a huge header': [`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`, /cannot be used: .*Header overflow/i],
  'sends many headers': [`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(100_000)}`, /cannot be used: .*Header overflow/i],
  'says nothing': ['', /timeout|abort/i],
  'does not end its answer': ['HTTP/1.1 200 OK\r\nx: ', /timeout|abort/i],
  'sends interim answers': ['HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000), /refused a tunnel .* status 103$/],
  'opens a tunnel to nobody': ['HTTP/1.1 200 OK\r\n\r\n', /timeout|abort/i],
};

for (const [what, [says, error]] of Object.entries(MISBEHAVIOUR))
  test(`a proxy that ${what} brings no answer, and keeps no connection`, async (t) => {
    for (const protocol of ['http', 'https']) {
      const { proxy, outbound } = await through(t, saying(says), '93.184.216.34');
      const timeoutMs = error.test('timeout') ? 150 : 60_000;
      await assert.rejects(outbound.request(`${protocol}://keys.example/`, { ...LIMITS, timeoutMs }), (fault: Error) => {
        assert.match(String(fault), error);
        const told = `${fault.stack} ${JSON.stringify(fault)} ${String(fault.cause)} ${Object.values(fault).map(String).join(' ')}`;
        assert.ok(!told.includes('a-secret') && !told.includes(btoa(CREDENTIALS)), told);
        return true;
      });
      assert.equal(proxy.asked.length, 1);
      await proxy.closed();
    }
  });

test('a proxy that says garbage in the tunnel breaks the handshake', async (t) => {
  const { proxy, outbound } = await through(t, saying('HTTP/1.1 200 OK\r\n\r\n', ANSWER), '93.184.216.34');
  await assert.rejects(outbound.request('https://keys.example/', LIMITS), /wrong version number/);
  await proxy.closed();
});

test('an address of a proxy that is none is refused without its password', async () => {
  for (const address of [
    'socks5://me:a-secret@proxy.example',
    'http://me:a-secret@',
    'http://me:%zz-a-secret@proxy.example',
    '://a-secret',
  ])
    await assert.rejects(nodeOutbound({ HTTPS_PROXY: address }).request('https://keys.example/', LIMITS), {
      name: 'OutboundRefused',
      message: 'the variable HTTPS_PROXY must be the address of an http or https proxy',
    });
});

test('behind a proxy, users of an external provider log in, and the log never holds the password of the proxy', async (t) => {
  const key = await providerKey('a');
  const keys = await keyServer(t, [key.jwk]);
  let isOpen = false;
  const open = leadingTo(Number(new URL(keys.url).port));
  const proxy = await connectProxy(t, (socket, request) =>
    isOpen ? open(socket, request) : void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n'),
  );
  const { outbound } = nodePlatform({ proxies: { HTTP_PROXY: `http://${CREDENTIALS}@127.0.0.1:${proxy.port}` } });
  await using app = await openApp('memory', { platform: { outbound }, settings: { outboundAllow: ['10.1.0.0/16'] } });
  const signer = {
    name: 'signer',
    issuer: 'https://a.example',
    audience: AUDIENCE,
    enabled: true,
    useExternalId: true,
    jwksEndpoint: 'http://10.1.2.3/keys',
  };
  await app.create('/external-jwt-signers', signer);
  await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false, externalId: 'ann' });
  const token = await sign(claimsOf(signer.issuer, { sub: 'ann' }), key);
  assert.equal((await loginByToken(app, token)).status, 401);
  assert.match(app.log.join('\n'), /the keys of an external JWT signer could not be loaded.*does not accept the credentials/);
  assert.doesNotMatch(app.log.join('\n'), /a-secret/);
  isOpen = true;
  app.clock.advance('1m');
  assert.equal((await loginByToken(app, token)).status, 200);
  assert.deepEqual([...new Set(proxy.asked)], ['10.1.2.3:80']);
});

test('a server takes the proxies from its environment', async (t) => {
  const key = await providerKey('a');
  const keys = await keyServer(t, [key.jwk]);
  const proxy = await connectProxy(t, leadingTo(Number(new URL(keys.url).port)));
  const server = await startServer(t, temporaryFolder(t), ['--storage', 'memory', '--tls', 'off', '--outbound-allow', '10.1.0.0/16'], {
    ADMIN_PASSWORD: 'a-good-password',
    http_proxy: '',
    HTTP_PROXY: `http://${CREDENTIALS}@127.0.0.1:${proxy.port}`,
    NO_PROXY: '10.1.2.4',
  });
  const token = await server.login('a-good-password');
  const body = { name: 'signer', issuer: 'https://a.example', audience: AUDIENCE, enabled: true, jwksEndpoint: 'http://10.1.2.3/keys' };
  assert.equal((await server.request('POST', '/external-jwt-signers', { token, body })).status, 201);
  const now = Math.floor(Date.now() / 1000);
  const jwt = await sign({ iss: body.issuer, aud: AUDIENCE, sub: 'nobody', iat: now, exp: now + 600 }, key);
  const login = { method: 'POST', headers: { authorization: `Bearer ${jwt}` } };
  assert.equal((await fetch(`${server.url}/edge/management/v1/authenticate?method=ext-jwt`, login)).status, 401); // there is no such identity
  assert.deepEqual([...new Set(proxy.asked)], ['10.1.2.3:80']);
  assert.ok(keys.hits > 0);
});
