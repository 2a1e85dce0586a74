import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { nodeOutbound } from '../../../adapters/platform/node-outbound.ts';
import { addressRule } from '../../../src/runtime/platform/addresses.ts';
import { createOutbound, fetchTransport, type Outbound } from '../../../src/runtime/platform/outbound.ts';
import { LIMITS, serving, textOf } from './serving.ts';

for (const [name, outbound] of [
  ['node', nodeOutbound()],
  ['web', createOutbound(fetchTransport)],
] as readonly (readonly [string, Outbound])[]) {
  describe(`outbound requests (${name})`, () => {
    test('bring status and body', async (t) => {
      const { url } = await serving(t, (_, response) => void response.writeHead(404).end('{"keys":[]}'));
      const { status, body } = await outbound.request(`${url}/keys?a=b`, LIMITS);
      assert.deepEqual([status, textOf(body)], [404, '{"keys":[]}']);
    });

    test('connect to nothing that is not permitted', async (t) => {
      const { port, asked, server } = await serving(t, (_, response) => void response.end());
      let connections = 0;
      server.on('connection', () => connections++);
      for (const host of [
        '127.0.0.1',
        '0x7f.1',
        '2130706433',
        'localhost',
        'a.localhost',
        '[::ffff:127.0.0.1]',
        '[::1]',
        '169.254.169.254',
        '[fe80::1]',
        '10.0.0.1',
      ])
        await assert.rejects(
          outbound.request(`http://${host}:${port}/`, { ...LIMITS, permits: addressRule([]) }),
          { name: 'OutboundRefused' },
          host,
        );
      assert.deepEqual([asked, connections], [[], 0]);
    });

    test('are made to http and https addresses without credentials only', async () => {
      for (const url of [
        'file:///etc/passwd',
        'ftp://127.0.0.1/',
        'data:application/json,{}',
        'blob:x',
        '',
        '/keys',
        'http://',
        'http://user:pass@127.0.0.1/',
        'http://[fe80::1%25eth0]/',
      ])
        await assert.rejects(outbound.request(url, LIMITS), { name: 'OutboundRefused' }, url);
    });

    test('follow redirects within an origin, three at most', async (t) => {
      const { url, asked } = await serving(t, (request, response) => {
        const left = Number(request.url?.slice(1));
        if (left === 0) response.end('there');
        else response.writeHead(left % 2 ? 302 : 308, { location: `/${left - 1}` }).end();
      });
      assert.equal(textOf((await outbound.request(`${url}/3`, LIMITS)).body), 'there');
      assert.deepEqual(asked, ['/3', '/2', '/1', '/0']);
      await assert.rejects(outbound.request(`${url}/4`, LIMITS), { name: 'OutboundRefused', message: /3 redirects/ });
    });

    test('do not follow a redirect to another origin', async (t) => {
      const other = await serving(t, (_, response) => void response.end());
      for (const location of [
        other.url,
        `https://127.0.0.1:${other.port}`,
        'file:///etc/passwd',
        'http://169.254.169.254/',
        '//localhost/',
      ]) {
        const { url } = await serving(t, (_, response) => void response.writeHead(302, { location }).end());
        await assert.rejects(outbound.request(url, LIMITS), { name: 'OutboundRefused', message: /another origin/ }, location);
      }
      assert.deepEqual(other.asked, []);
    });

    test('name the controller and accept JSON, unless the caller says otherwise', async (t) => {
      const { url } = await serving(
        t,
        ({ headers }, response) => void response.end(JSON.stringify([headers['user-agent'], headers.accept])),
      );
      const asked = async (headers: Readonly<Record<string, string>>) =>
        JSON.parse(new TextDecoder().decode((await outbound.request(url, { ...LIMITS, headers })).body));
      assert.deepEqual(await asked({}), ['overlay-controller', 'application/json']);
      assert.deepEqual(await asked({ accept: 'application/jwk-set+json', 'User-Agent': 'x' }), ['x', 'application/jwk-set+json']);
    });

    test('read an answer that is compressed although nobody asked for it, up to the limit of what comes out', async (t) => {
      const answering = (bytes: Buffer) =>
        serving(t, (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes));
      const ask = async (bytes: Buffer) =>
        textOf((await outbound.request((await answering(bytes)).url, { ...LIMITS, maxBytes: 1000 })).body);
      assert.equal(await ask(gzipSync('{"keys":[]}')), '{"keys":[]}');
      await assert.rejects(ask(gzipSync(' '.repeat(1_000_000))), { name: 'OutboundRefused', message: /more than 1000 bytes/ });
    });

    test('carry a method, headers and a body as they are given', async (t) => {
      const { url } = await serving(t, async (request, response) => {
        const parts: string[] = [];
        for await (const part of request.setEncoding('utf8')) parts.push(part);
        const { method, headers } = request;
        response.end(JSON.stringify([method, headers['content-type'], headers['x-signature'], headers.accept, parts.join('')]));
      });
      const headers = { 'Content-Type': 'text/plain', 'x-signature': 'a=b', accept: 'text/plain' };
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const { body } = await outbound.request(url, { ...LIMITS, method, headers, body: new TextEncoder().encode('grüße') });
        assert.deepEqual(JSON.parse(textOf(body)), [method, 'text/plain', 'a=b', 'text/plain', 'grüße']);
      }
      const { status, body } = await outbound.request(url, { ...LIMITS, method: 'HEAD' });
      assert.deepEqual([status, body.length], [200, 0]);
      const plain = JSON.parse(textOf((await outbound.request(url, { ...LIMITS, method: 'POST' })).body));
      assert.deepEqual([plain[0], plain[3], plain[4]], ['POST', 'application/json', '']);
    });

    test('are not sent a second time where a redirect says so, unless it is a GET', async (t) => {
      const { url, asked } = await serving(t, (_, response) => void response.writeHead(307, { location: '/elsewhere' }).end());
      for (const method of ['POST', 'PUT', 'DELETE', 'HEAD']) {
        const { status, header } = await outbound.request(`${url}/${method}`, { ...LIMITS, method });
        assert.deepEqual([status, header?.('location')], [307, '/elsewhere']);
      }
      assert.deepEqual(asked, ['/POST', '/PUT', '/DELETE', '/HEAD']);
    });

    test('with a method, headers or a body that the rules forbid reach no server', async (t) => {
      const { url, asked } = await serving(t, (_, response) => void response.end());
      const body = new Uint8Array(1);
      const forbiddens = [
        { method: 'CONNECT' },
        { method: 'trace' },
        { method: 'GET /x HTTP/1.1\r\nx:' },
        { method: '' },
        { method: 'GET', body },
        { method: 'HEAD', body },
        { method: 'POST', body: new Uint8Array(1_048_577) },
        { headers: { Host: 'inside.example' } },
        { headers: { 'content-length': '5' } },
        { headers: { 'transfer-encoding': 'chunked' } },
        { headers: { 'proxy-authorization': 'x' } },
        { headers: { 'x\r\ny': 'z' } },
        { headers: { x: 'a\r\nhost: inside.example' } },
        { headers: { x: 'a'.repeat(8193) } },
      ];
      for (const forbidden of forbiddens)
        await assert.rejects(
          outbound.request(url, { ...LIMITS, ...forbidden }),
          { name: 'OutboundRefused' },
          Object.keys(forbidden).join(),
        );
      const secret = outbound.request(url, { ...LIMITS, headers: { authorization: 'Bearer a\nb' } });
      await assert.rejects(secret, (error: Error) => !error.message.includes('Bearer'));
      assert.deepEqual(asked, []);
      const { status } = await outbound.request(url, { ...LIMITS, method: 'POST', body: new Uint8Array(1_048_576) });
      assert.equal(status, 200);
    });

    test('with any method connect to nothing that is not permitted', async (t) => {
      const { url, asked } = await serving(t, (_, response) => void response.end());
      for (const method of ['POST', 'DELETE'])
        await assert.rejects(outbound.request(url, { ...LIMITS, method, permits: addressRule([]) }), { name: 'OutboundRefused' });
      assert.deepEqual(asked, []);
    });

    test('take no more than so many bytes, however many are announced', async (t) => {
      const { url } = await serving(t, (request, response) => {
        if (request.url === '/fits') response.end('x'.repeat(1000));
        else if (request.url === '/announced') response.end('x'.repeat(1001));
        else {
          const flood = () => {
            while (response.write('x'.repeat(64_000)));
          };
          response.on('drain', flood);
          flood();
        }
      });
      assert.equal((await outbound.request(`${url}/fits`, LIMITS)).body.length, 1000);
      for (const path of ['/announced', '/endless'])
        await assert.rejects(outbound.request(url + path, LIMITS), { name: 'OutboundRefused', message: /1000 bytes/ });
    });

    test('are over when their time is, whether nothing comes or little by little', async (t) => {
      const { url } = await serving(t, (request, response) => {
        if (request.url !== '/drip') return;
        const timer = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(timer));
      });
      for (const path of ['/silence', '/drip'])
        await assert.rejects(outbound.request(url + path, { ...LIMITS, timeoutMs: 150 }), /timeout|abort/i, path);
    });

    test('fail where the answer switches to another protocol, which nobody has asked for', async (t) => {
      const { url, server } = await serving(t, () => undefined);
      server.on('connection', (socket) =>
        socket.once('data', () => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\nother')),
      );
      await assert.rejects(outbound.request(`${url}/`, LIMITS));
    });

    test('end when the caller ends them, and leave no connection open', async (t) => {
      const { url, server } = await serving(t, (_, response) => void response.write('x'));
      const caller = new AbortController();
      const asking = outbound.request(url, { ...LIMITS, signal: caller.signal });
      await new Promise((connected) => server.once('request', connected));
      caller.abort();
      await assert.rejects(asking);
      for (let open = 1; open > 0; )
        open = await new Promise<number>((told) => setTimeout(() => server.getConnections((_, count) => told(count)), 5));
    });
  });
}
