import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { serve } from '../../../adapters/http/node.ts';
import { routerHandler, serveRouters } from '../../../adapters/routers/node.ts';
import { Eku } from '../../../src/crypto/pki/certificate.ts';
import { testNetwork } from '../../../testing/index.ts';
import { authority, party } from '../../support/pki.ts';

const ca = await authority('ca');
const pairFor = (...dnsNames: string[]) => party(dnsNames[0] ?? '', { by: ca, extendedKeyUsage: [Eku.serverAuth], names: { dnsNames } });
const [own, first, second, client] = await Promise.all([
  pairFor('own.example'),
  pairFor('first.example', '*.apps.example', 'own.example'),
  pairFor('second.example', 'first.example'),
  party('client', { by: ca }),
]);

/** The name in the certificate that a server presents. */
const presented = async (port: number, servername?: string): Promise<string> => {
  const { key, cert } = client;
  const socket = connect({
    host: '127.0.0.1',
    port,
    key,
    cert,
    rejectUnauthorized: false,
    ALPNProtocols: ['ziti-ctrl'],
    ...(servername ? { servername } : {}),
  });
  await once(socket, 'secureConnect');
  const name = socket.getPeerX509Certificate()?.subject.replace('CN=', '') ?? '';
  socket.destroy();
  return name;
};

const EXPECTED: readonly (readonly [name: string | undefined, presented: string])[] = [
  [undefined, 'own.example'],
  ['own.example', 'own.example'],
  ['unknown.example', 'own.example'],
  ['first.example', 'first.example'],
  ['FIRST.example', 'first.example'],
  ['a.apps.example', 'first.example'],
  ['second.example', 'second.example'],
];

test('a client gets the first certificate that has the name that it asks for, on the ports of the API and of routers', async (t) => {
  await using network = await testNetwork();
  const { controller } = network;
  const tls = { ...own, alternatives: [first, second] };
  const [api, routers] = [await serve({ controller, tls, routers: routerHandler(controller) }), await serveRouters({ controller, tls })];
  t.after(() => Promise.all([api.close(0), routers.close()]));
  for (const { port } of [api, routers]) for (const [name, expected] of EXPECTED) assert.equal(await presented(port, name), expected, name);
  routers.renewTls({ ...second, alternatives: [own] });
  assert.deepEqual(
    [await presented(routers.port), await presented(routers.port, 'own.example'), await presented(routers.port, 'a.apps.example')],
    ['second.example', 'own.example', 'second.example'],
  );
});

test('a client that asked for another name is known by its certificate all the same', async (t) => {
  const seen: (Uint8Array | undefined)[] = [];
  const controller = {
    handle: async ({ peerCertificates }: { readonly peerCertificates?: readonly Uint8Array[] }) => {
      seen.push(peerCertificates?.[0]);
      return { status: 200, headers: {}, body: '' };
    },
  };
  const serving = await serve({ controller, tls: { ...own, alternatives: [first] } });
  t.after(() => serving.close(0));
  const { key, cert } = client;
  for (const servername of ['own.example', 'first.example']) {
    const socket = connect({ host: '127.0.0.1', port: serving.port, key, cert, ca: ca.cert, servername });
    await once(socket, 'secureConnect');
    socket.end('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n').resume();
    await once(socket, 'close');
  }
  assert.deepEqual(
    seen.map(String),
    [client, client].map(({ certificate }) => String(certificate.der)),
  );
});
