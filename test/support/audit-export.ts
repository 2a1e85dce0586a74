import assert from 'node:assert/strict';
import type { CoreRequest } from '../../src/http/message.ts';
import type { App } from './app.ts';

/** The parts of an export of the audit, as its reader takes them. */
export const partsOfExport = async (app: App, query: string, as = app.admin): Promise<AsyncIterator<Uint8Array>> => {
  const request: CoreRequest = {
    method: 'GET',
    target: `/edge/management/extensions/v1/audit/export${query}`,
    header: (name) => (name === 'zt-session' ? as : undefined),
    body: async () => new Uint8Array(),
    remoteAddress: '127.0.0.1',
  };
  const { status, body } = await app.controller.handle(request);
  assert.equal(status, 200);
  assert.ok(typeof body === 'object' && !(body instanceof Uint8Array));
  return body[Symbol.asyncIterator]();
};
