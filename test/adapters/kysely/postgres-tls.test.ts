import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createSecureContext, TLSSocket } from 'node:tls';
import { newRoot, newServerCertificate } from '../../../src/index.ts';
import { needsPostgres, newSchema } from '../../support/postgres.ts';
import { idsOfNotes, pgNotes } from './postgres-support.ts';
import { note, noteSchema } from './support.ts';

/** The request of a client for TLS, before anything else (PostgreSQL, Message Formats: SSLRequest). */
const SSL_REQUEST_BYTES = 8;

/** A place whose server has TLS with a certificate for `localhost`. */
const withTls = async () => {
  const place = await newSchema();
  const direct = new URL(place.connectionString);
  const [root, other] = [await newRoot(), await newRoot()];
  const folder = mkdtempSync(join(tmpdir(), 'overlay-'));
  const files = { own: join(folder, 'own.pem'), other: join(folder, 'other.pem') };
  writeFileSync(files.own, root.cert);
  writeFileSync(files.other, other.cert);
  const { key, cert } = await newServerCertificate(root, ['localhost']);
  const secureContext = createSecureContext({ key, cert });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('readable', () => {
      socket.read(SSL_REQUEST_BYTES);
      socket.write('S');
      const decrypted = new TLSSocket(socket, { isServer: true, secureContext });
      const upstream = connect(Number(direct.port), direct.hostname);
      for (const each of [decrypted, upstream]) each.on('error', () => decrypted.destroy() && upstream.destroy());
      decrypted.pipe(upstream).pipe(decrypted);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    open: (host: string, mode: string, authority: keyof typeof files) => {
      const url = new URL(place.connectionString);
      [url.hostname, url.port] = [host, String(port)];
      for (const [name, value] of Object.entries({ sslmode: mode, sslrootcert: files[authority] })) url.searchParams.set(name, value);
      return pgNotes({ connectionString: url.href }).open(noteSchema);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      rmSync(folder, { recursive: true });
      await place[Symbol.asyncDispose]();
    },
  };
};

describe('PostgreSQL over TLS', needsPostgres, () => {
  test('with verify-full, the server must have a certificate of the authority, for the host of the connection string', async () => {
    await using place = await withTls();
    const store = await place.open('localhost', 'verify-full', 'own');
    await store.transaction('write', (tx) => tx.insert('note', note('a')));
    assert.deepEqual(await idsOfNotes(store), ['a']);
    await store.close();
    await assert.rejects(place.open('127.0.0.1', 'verify-full', 'own'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    await assert.rejects(place.open('localhost', 'verify-full', 'other'), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  });

  test('with verify-ca, the certificate may be for another host', async () => {
    await using place = await withTls();
    await (await place.open('127.0.0.1', 'verify-ca', 'own')).close();
    await assert.rejects(place.open('localhost', 'verify-ca', 'other'), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  });
});
