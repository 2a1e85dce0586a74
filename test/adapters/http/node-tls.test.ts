import assert from 'node:assert/strict';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import tls from 'node:tls';
import { refuseConnection, type Serving, serve } from '../../../adapters/http/node.ts';
import { type Behaviour, handlerOf } from '../../unit/http/fake-api.ts';
import { issuedByIntermediate, type Pair, selfSigned } from './certificates.ts';
import { connect, SOON } from './sockets.ts';

let serving: Serving;
let server: Pair;
const seen: (readonly Uint8Array[])[] = [];
const remember: Behaviour = (source) => {
  seen.push(source.peerCertificates ?? []);
  return { from: source.remoteAddress };
};

before(async () => {
  server = selfSigned('server');
  serving = await serve({ controller: { handle: handlerOf({ version: remember }) }, tls: { key: server.key, cert: server.cert } });
});
after(() => serving.close(100));

const get = (options: https.RequestOptions = {}): Promise<{ readonly body: string; readonly certificate: Uint8Array }> =>
  new Promise((resolve, reject) => {
    const request = https.get(
      { host: '127.0.0.1', port: serving.port, path: '/version', rejectUnauthorized: false, ...options },
      (response) => {
        const certificate = (response.socket as tls.TLSSocket).getPeerCertificate().raw;
        let body = '';
        response.on('data', (chunk) => (body += chunk)).on('end', () => resolve({ body, certificate }));
      },
    );
    request.on('error', reject);
  });

test('a resumed connection still has the whole chain', async () => {
  const { leaf, intermediate } = issuedByIntermediate('resumed');
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const agent = new https.Agent({
      keepAlive: false,
      maxCachedSessions: 10,
      key: leaf.key,
      cert: leaf.cert + intermediate.cert,
      rejectUnauthorized: false,
      maxVersion,
    });
    for (let i = 0; i < 3; i++) {
      await get({ agent });
      assert.deepEqual(seen.at(-1), [leaf.der, intermediate.der], `${maxVersion}, connection ${i}`);
    }
  }
});

test('certificates are read once for each connection', async () => {
  const client = selfSigned('kept');
  const agent = new https.Agent({ keepAlive: true, key: client.key, cert: client.cert, rejectUnauthorized: false });
  await get({ agent });
  await get({ agent });
  assert.equal(seen.at(-1), seen.at(-2));
  agent.destroy();
});

test('TLS 1.2 and 1.3 are spoken, older versions and HTTP/2 are not', async () => {
  const protocol = (options: tls.ConnectionOptions) =>
    new Promise<string | null>((resolve) => {
      const socket = tls.connect({ port: serving.port, host: '127.0.0.1', rejectUnauthorized: false, ...options }, () => {
        resolve(`${socket.getProtocol()} ${socket.alpnProtocol}`);
        socket.destroy();
      });
      socket.on('error', () => resolve(null));
    });
  assert.equal(await protocol({ maxVersion: 'TLSv1.2' }), 'TLSv1.2 false');
  assert.equal(await protocol({}), 'TLSv1.3 false');
  assert.equal(await protocol({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }), null);
  assert.equal(await protocol({ ALPNProtocols: ['h2', 'http/1.1'] }), 'TLSv1.3 http/1.1');
});

test('a client that speaks HTTP/1.0 is served', async () => {
  const socket = tls.connect({ host: '127.0.0.1', port: serving.port, rejectUnauthorized: false, ALPNProtocols: ['http/1.0'] });
  socket.write('GET /version HTTP/1.0\r\n\r\n');
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  assert.match(answer, /^HTTP\/1\.[01] 200 /);
});

test('a client that never finishes the handshake is dropped', async () => {
  const slow = await serve({
    controller: { handle: handlerOf() },
    tls: { key: server.key, cert: server.cert },
    limits: { handshakeTimeoutMs: 100 },
  });
  const bare = connect(slow, { plain: true });
  const { beats } = await bare.closed;
  assert.ok(beats < SOON, String(beats));
  await slow.close(100);
});

test('a renewed certificate serves new connections', async () => {
  const renewed = selfSigned('renewed');
  serving.renewTls({ key: renewed.key, cert: renewed.cert });
  const client = selfSigned('late client');
  const { certificate } = await get({ agent: false, key: client.key, cert: client.cert });
  assert.deepEqual(new Uint8Array(certificate), renewed.der);
  assert.deepEqual(seen.at(-1), [client.der]);
});

test('plain HTTP gets an answer saying that the port requires HTTPS, and the connection is closed', async () => {
  for (const method of ['GET', 'POST', 'DELETE', 'CONNECT']) {
    const bare = connect(serving, { plain: true });
    bare.write(`${method} /version HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
    const { text } = await bare.closed;
    assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/, method);
    assert.match(text, /\r\ncontent-type: application\/json\r\n/);
    const { error } = JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
    assert.equal(error.message, 'This port requires HTTPS: the address must begin with https://');
  }
  await new Promise<void>((none) => {
    const look = () => serving.server.getConnections((_, count) => (count === 0 ? none() : setImmediate(look)));
    look();
  });
});

test('what is neither TLS nor HTTP gets no answer', async () => {
  const bare = connect(serving, { plain: true });
  bare.write('\0\x01\x02 nothing of the sort\r\n\r\n');
  assert.doesNotMatch((await bare.closed).text, /HTTP/);
});

test('hosts with a server of their own refuse by the same function', async (t) => {
  const own = https.createServer({ key: server.key, cert: server.cert }).on('clientError', refuseConnection);
  await new Promise<void>((ready) => own.listen(0, '127.0.0.1', ready));
  t.after(() => own.close());
  const { port } = own.address() as AddressInfo; // a TCP server that listens has an address with a port
  const bare = connect({ port, address: `https://127.0.0.1:${port}` }, { plain: true });
  bare.write('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
  assert.match((await bare.closed).text, /^HTTP\/1\.1 400 .*This port requires HTTPS/s);
});
