import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startServer, temporaryFolder } from '../examples/child.ts';

/** A service for this machine only, and how often it was asked. */
const local = async (t: { after(then: () => void): void }) => {
  let asked = 0;
  const service = createServer((_, response) => {
    asked++;
    response.end('{"keys":[]}');
  }).listen(0, '127.0.0.1');
  t.after(() => void service.close());
  await new Promise((listening) => service.once('listening', listening));
  return { port: (service.address() as AddressInfo).port, asked: () => asked }; // a TCP server that listens has one
};

for (const [what, options, isAsked] of [
  ['behind a proxy, whose address is another', ['--address', 'https://overlay.example.com'], false],
  ['on loopback alone', ['--host', 'localhost'], true],
] as const)
  test(`a server that clients reach ${what} ${isAsked ? 'asks' : 'asks no'} services of this machine for keys of signers`, async (t) => {
    const service = await local(t);
    const server = await startServer(t, temporaryFolder(t), ['--storage', 'memory', '--tls', 'off', ...options], {
      ADMIN_PASSWORD: 'a-good-password',
    });
    const token = await server.login('a-good-password');
    for (const [i, host] of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f000001'].entries()) {
      const body = {
        name: `signer ${i}`,
        issuer: `https://issuer.example/${i}`,
        audience: 'us',
        enabled: true,
        jwksEndpoint: `http://${host}:${service.port}/keys`,
      };
      assert.equal((await server.request('POST', '/external-jwt-signers', { token, body })).status, 201);
      // A token that names an unknown key asks for the keys again, and its answer waits for them.
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const jwt = `${part({ alg: 'ES256', kid: 'k' })}.${part({ iss: body.issuer, aud: 'us', exp: 4_000_000_000 })}.AA`;
      const answer = await fetch(`${server.url}/edge/management/v1/authenticate?method=ext-jwt`, {
        method: 'POST',
        headers: { authorization: `Bearer ${jwt}` },
      });
      assert.equal(answer.status, 401);
    }
    assert.equal(service.asked() > 0, isAsked);
  });
