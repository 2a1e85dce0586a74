import assert from 'node:assert/strict';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { nodeOutbound } from '../../../adapters/platform/node-outbound.ts';
import { type ProxyVariables, readProxies } from '../../../adapters/platform/proxies.ts';
import { addressRule } from '../../../src/runtime/platform/addresses.ts';
import { connectProxy, leadingTo, saying } from '../../support/connect-proxy.ts';
import { authority, type Party, party } from '../../support/pki.ts';
import { LIMITS, serving, textOf } from './serving.ts';

const PUBLIC = { ...LIMITS, permits: addressRule([]) };
const DATES = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000 };
const KEYS = '93.184.216.34';

/** Outbound requests where each name leads to the given addresses, by default to a public one. */
const outboundBy = (variables: ProxyVariables, ...addresses: readonly string[]) => {
  const resolved: string[] = [];
  const outbound = nodeOutbound(variables, (name, found) => {
    resolved.push(name);
    found(
      null,
      (addresses.length > 0 ? addresses : [KEYS]).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  });
  return { outbound, resolved };
};

describe('outbound requests through a proxy', () => {
  const usual = getCACertificates('default');
  let server: Party;
  before(async () => {
    const root = await authority('a root', DATES);
    server = await party('server', {
      ...DATES,
      by: root,
      names: { dnsNames: ['keys.example', 'localhost'], ipAddresses: ['127.0.0.1', KEYS] },
      extendedKeyUsage: ['1.3.6.1.5.5.7.3.1'],
    });
    setDefaultCACertificates([...usual, root.cert]);
  });
  after(() => setDefaultCACertificates(usual));

  /** A provider that speaks TLS, on loopback. */
  const securely = async (t: Parameters<typeof serving>[0]) => {
    const provider = createSecureServer({ cert: server.cert, key: server.key }, ({ headers, url }, response) => {
      if (url === '/') response.writeHead(302, { location: '/keys' }).end();
      else response.end(`${headers.host} ${headers['proxy-authorization'] ?? 'without credentials'}`);
    });
    const names: unknown[] = [];
    provider.on('secureConnection', ({ servername }) => names.push(servername));
    await new Promise<void>((ready) => provider.listen(0, '127.0.0.1', ready));
    t.after(() => {
      provider.closeAllConnections();
      provider.close();
    });
    return { port: (provider.address() as AddressInfo).port, names }; // a TCP server that listens has an address with a port
  };

  for (const secure of [false, true])
    test(`reach the address that was checked, by TLS for the name (${secure ? 'https' : 'http'} proxy)`, async (t) => {
      const provider = await securely(t);
      const proxy = await connectProxy(t, leadingTo(provider.port), secure ? server : undefined);
      const { outbound, resolved } = outboundBy({ HTTPS_PROXY: `http${secure ? 's' : ''}://me:p%40ss@127.0.0.1:${proxy.port}` });
      const { body } = await outbound.request('https://keys.example/keys', PUBLIC);
      assert.equal(textOf(body), 'keys.example without credentials');
      assert.deepEqual([proxy.asked, resolved, provider.names], [[`${KEYS}:443`], ['keys.example'], ['keys.example']]);
      assert.deepEqual([proxy.credentials, proxy.forwarded], [[`Basic ${Buffer.from('me:p@ss').toString('base64')}`], []]);
      await proxy.closed();
    });

  test('ask a proxy that speaks TLS for its own name, and for none where it is known by its address', async (t) => {
    const provider = await securely(t);
    const proxy = await connectProxy(t, leadingTo(provider.port), server);
    for (const host of ['localhost', '127.0.0.1'])
      await outboundBy({ HTTPS_PROXY: `https://${host}:${proxy.port}` }).outbound.request('https://keys.example/keys', PUBLIC);
    assert.deepEqual(
      [proxy.names, provider.names],
      [
        ['localhost', false],
        ['keys.example', 'keys.example'],
      ],
    ); // RFC 6066, 3: no addresses
  });

  test('take every successful status for a tunnel, and no other', async (t) => {
    const { port } = await serving(t, (_, response) => void response.end('there'));
    const asking = async (status: number) => {
      const proxy = await connectProxy(t, leadingTo(port, status));
      return outboundBy({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}` }).outbound.request('http://keys.example/', PUBLIC);
    };
    for (const status of [200, 204, 299]) assert.equal(textOf((await asking(status)).body), 'there', String(status));
    for (const status of [199, 300]) await assert.rejects(asking(status), new RegExp(`status ${status}$`));
  });

  test('are made by a tunnel for http addresses, too, and for each redirect', async (t) => {
    const { port, asked } = await serving(t, ({ url, headers }, response) => {
      if (url === '/') response.writeHead(302, { location: '/keys' }).end();
      else response.end(headers.host);
    });
    const proxy = await connectProxy(t, leadingTo(port));
    const { outbound } = outboundBy({ http_proxy: `127.0.0.1:${proxy.port}` });
    assert.equal(textOf((await outbound.request('http://keys.example:8080/', PUBLIC)).body), 'keys.example:8080');
    assert.deepEqual([proxy.asked, asked, proxy.forwarded], [[`${KEYS}:8080`, `${KEYS}:8080`], ['/', '/keys'], []]);
    await proxy.closed();
  });

  test('verify the certificate for the host in the URL', async (t) => {
    const provider = await securely(t);
    const proxy = await connectProxy(t, leadingTo(provider.port));
    const { outbound } = outboundBy({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    await assert.rejects(outbound.request('https://others.example/keys', PUBLIC), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    await assert.rejects(outbound.request('https://93.184.216.35/keys', PUBLIC), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    assert.equal(textOf((await outbound.request(`https://${KEYS}/keys`, PUBLIC)).body), `${KEYS} without credentials`);
  });

  test('tell nothing to a proxy whose certificate is not trusted', async (t) => {
    const stranger = await party('stranger', { ...DATES, names: { ipAddresses: ['127.0.0.1'] } });
    const proxy = await connectProxy(t, saying(''), stranger);
    const { outbound } = outboundBy({ HTTPS_PROXY: `https://me:pass@127.0.0.1:${proxy.port}` });
    await assert.rejects(outbound.request('https://keys.example/', PUBLIC), /cannot be used: .*certificate/);
    assert.deepEqual([proxy.asked, proxy.credentials], [[], []]);
    await proxy.closed();
  });

  test('go directly where the variables name no proxy, or exempt the address', async (t) => {
    const proxy = await connectProxy(t, saying(''));
    const address = `http://127.0.0.1:${proxy.port}`;
    const { port, asked } = await serving(t, (_, response) => void response.end());
    for (const [variables, url] of [
      [{ HTTPS_PROXY: address }, 'http://keys.example'],
      [{ HTTP_PROXY: address, http_proxy: '', NO_PROXY: 'example' }, 'http://keys.example'],
      [{ HTTP_PROXY: address, NO_PROXY: 'nothing', no_proxy: 'keys.example' }, 'http://keys.example'],
      [{ HTTP_PROXY: '' }, 'http://keys.example'],
    ] as const)
      assert.equal((await outboundBy(variables, '127.0.0.1').outbound.request(`${url}:${port}/`, LIMITS)).status, 200);
    assert.deepEqual([proxy.asked, asked.length], [[], 4]);
  });

  test('read a variable in lower case first, and an empty one as none', () => {
    const [one, other] = ['http://one.example:3128', 'http://other.example:3128'];
    const proxyHost = (variables: ProxyVariables) => readProxies(variables)(new URL('http://keys.example/'))?.host;
    assert.equal(proxyHost({ HTTP_PROXY: one, http_proxy: other }), 'other.example');
    assert.equal(proxyHost({ HTTP_PROXY: one, http_proxy: '' }), 'one.example');
    assert.equal(proxyHost({ HTTP_PROXY: one, NO_PROXY: 'nothing', no_proxy: 'keys.example' }), undefined);
    assert.equal(proxyHost({ HTTP_PROXY: one, NO_PROXY: 'keys.example', no_proxy: 'nothing' }), 'one.example');
  });

  test('are not tried with other addresses where the proxy itself refuses', async (t) => {
    const proxy = await connectProxy(t, saying('HTTP/1.1 407 x\r\ncontent-length: 0\r\n\r\n'));
    const { outbound } = outboundBy({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}` }, KEYS, '192.0.9.2');
    await assert.rejects(outbound.request('http://keys.example/', PUBLIC), /does not accept the credentials/);
    assert.deepEqual(proxy.asked, [`${KEYS}:80`]);
  });

  test('never ask a proxy for loopback addresses, which are its own there', async (t) => {
    const proxy = await connectProxy(t, saying(''));
    const { port } = await serving(t, (_, response) => void response.end());
    for (const host of ['127.0.0.1', 'localhost', 'localhost.', 'keys.example', '[::ffff:127.0.0.1]']) {
      const { outbound } = outboundBy({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}` }, '127.0.0.1');
      assert.equal((await outbound.request(`http://${host}:${port}/`, LIMITS)).status, 200, host);
    }
    assert.deepEqual(proxy.asked, []);
  });

  test('try other addresses of a name, four at most, where the proxy reaches one not', async (t) => {
    const { port } = await serving(t, (_, response) => void response.end('there'));
    const addresses = ['2a00::1', '192.0.9.2', '192.0.9.3', KEYS, '192.0.9.5'];
    const open = leadingTo(port);
    const proxy = await connectProxy(t, (socket, request) =>
      request.url?.startsWith(KEYS) ? open(socket, request) : void socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 3\r\n\r\nno!'),
    );
    const variables = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    assert.equal(textOf((await outboundBy(variables, ...addresses).outbound.request('http://keys.example/', PUBLIC)).body), 'there');
    assert.deepEqual(proxy.asked, ['[2a00::1]:80', '192.0.9.2:80', '192.0.9.3:80', `${KEYS}:80`]);
    const unreachable = addresses.filter((address) => address !== KEYS).concat(KEYS);
    await assert.rejects(outboundBy(variables, ...unreachable).outbound.request('http://keys.example/', PUBLIC), {
      message: `the proxy 127.0.0.1:${proxy.port} refused a tunnel to 192.0.9.5:80: status 502`,
    });
    await proxy.closed();
  });

  test('leave names to the proxy if the rule says so, and then resolve none', async (t) => {
    const provider = await securely(t);
    const proxy = await connectProxy(t, leadingTo(provider.port));
    const { outbound, resolved } = outboundBy({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'inside.example' }, '10.0.0.1');
    const proxied = { ...LIMITS, permits: addressRule(['proxied']) };
    assert.equal(textOf((await outbound.request('https://keys.example/keys', proxied)).body), 'keys.example without credentials');
    assert.deepEqual([proxy.asked, resolved, provider.names], [['keys.example:443'], [], ['keys.example']]);
    // Addresses are checked nevertheless, and so is what is asked directly.
    for (const host of ['10.0.0.1', '169.254.169.254', '127.0.0.1', 'localhost', 'inside.example'])
      await assert.rejects(outbound.request(`https://${host}/keys`, proxied), { name: 'OutboundRefused' }, host);
    assert.equal(proxy.asked.length, 1);
  });

  test('say what to do about a name that only the proxy can resolve', async (t) => {
    const proxy = await connectProxy(t, saying(''));
    const failure = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
    const outbound = nodeOutbound({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }, (_, found) => found(failure, []));
    await assert.rejects(outbound.request('https://keys.example/', PUBLIC), {
      message: "keys.example cannot be resolved (ENOTFOUND): if only the proxy can resolve it, see 'proxied' of outboundAllow",
    });
    assert.deepEqual(proxy.asked, []);
  });
});
