import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { fetchHandler } from '../../../adapters/http/fetch.ts';
import { type Handling, nodeHandler } from '../../../adapters/http/node.ts';
import { openApp } from '../../support/app.ts';

/** A host's own code around a controller, with a fault in it. */
const faulty = (logged: unknown[][]): Handling => ({
  handle: async () => {
    throw new Error('a fault of the host');
  },
  logger: { error: (...line) => void logged.push(line) },
});

/** The lines that something writes to the console's error output. */
const onConsole = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
  const lines: string[] = [];
  const { error } = console;
  console.error = (line: string) => void lines.push(line);
  await work().finally(() => {
    console.error = error;
  });
  return lines;
};

type Ask = (controller: Handling, target: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;
const ways: readonly (readonly [name: string, ask: Ask])[] = [
  [
    'web-standard requests',
    (controller, target, headers = {}) => fetchHandler(controller)(new Request(`http://host${target}`, { headers })),
  ],
  [
    'requests of Node',
    async (controller, target, headers = {}) => {
      const server = http.createServer(nodeHandler(controller)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo; // a TCP server that listens has one
      return fetch(`http://127.0.0.1:${port}${target}`, { headers }).finally(() => server.close());
    },
  ],
];

for (const [name, ask] of ways) {
  test(`an error in what a host has put around a controller is answered with 500 and logged, without the query (${name})`, async () => {
    const logged: unknown[][] = [];
    assert.equal((await ask(faulty(logged), '/edge/client/v1/enroll?token=secret')).status, 500);
    assert.equal(logged.length, 1);
    const [message, details] = logged[0] as [string, { method: string; path: string; error: Error }]; // as it is logged
    assert.match(message, /500/);
    assert.deepEqual([details.method, details.path, details.error.message], ['GET', '/edge/client/v1/enroll', 'a fault of the host']);
  });

  test(`the log has the request id of the answer: that of the client, or a new one that the wrapper sees, too (${name})`, async () => {
    const logged: unknown[][] = [];
    const seen: unknown[] = [];
    const inner = faulty(logged);
    const handle: Handling['handle'] = (request) => {
      seen.push(request.requestId);
      return inner.handle(request);
    };
    for (const headers of [{ 'x-request-id': 'req-7' }, { 'x-request-id': 'not one' }]) {
      const { error } = (await (await ask({ ...inner, handle }, '/', headers)).json()) as {
        readonly error: { readonly requestId: string };
      };
      const [, details] = logged.at(-1) as [string, { requestId: string }]; // as it is logged
      assert.deepEqual([details.requestId, seen.at(-1)], [error.requestId, error.requestId]);
    }
    assert.equal(seen[0], 'req-7');
    assert.match(String(seen[1]), /^[0-9a-f]{10}$/);
  });

  test(`it stands on the console where the host has no logger, and a logger that fails changes no answer (${name})`, async () => {
    const { handle } = faulty([]);
    const lines = await onConsole(async () => assert.equal((await ask({ handle }, '/')).status, 500));
    assert.equal(lines.filter((line) => line.includes('a fault of the host')).length, 1);
    const error = () => {
      throw new Error('a bad logger');
    };
    assert.equal((await ask({ handle, logger: { error } }, '/')).status, 500);
  });
}

test('a controller has a logger, that of its platform, also as one of its APIs', async () => {
  const lines: string[] = [];
  const logger = { error: () => undefined, warn: (line: string) => void lines.push(line), info: () => undefined };
  await using app = await openApp('memory', { platform: { logger } });
  assert.equal(app.controller.logger, logger);
  assert.equal(app.controller.only('client').logger, logger);
});
