import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { addressRule } from '../../../src/runtime/platform/addresses.ts';

/** No test waits for this time: what is to answer does, on a busy machine too. */
export const LIMITS = { maxBytes: 1000, timeoutMs: 60_000, permits: addressRule(['loopback']) } as const;

/** A server on loopback, and the paths that were asked for. */
export const serving = async (t: TestContext, answer: RequestListener) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, asked, server };
};

export const textOf = (body: Uint8Array) => new TextDecoder().decode(body);
