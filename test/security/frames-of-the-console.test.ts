import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { consoleHandler } from '../../console/index.ts';
import { ManagementController } from '../../src/index.ts';

const controller = { handle: () => assert.fail() };
const policyWith = async (frameAncestors: readonly string[]): Promise<unknown> => {
  const request = { method: 'GET', target: '/console/', header: () => undefined, body: async () => new Uint8Array() };
  return (await consoleHandler(controller, { frameAncestors }).handle(request)).headers['content-security-policy'];
};

test('nobody frames the console unless the host names an origin', async () => {
  assert.match(String(await policyWith([])), /(^|; )frame-ancestors 'none'(;|$)/);
  for (const origin of ['https://portal.example.com', 'http://127.0.0.1:8080', 'https://[::1]:8443'])
    assert.ok(String(await policyWith([origin])).includes(`; frame-ancestors ${origin};`), origin);
});

test('nobody frames a login page unless the host names an origin for it', async () => {
  const address = 'https://overlay.example.com';
  const pageWith = async (frameAncestors?: readonly string[]): Promise<Headers> => {
    const oidc = { pages: frameAncestors ? { frameAncestors } : {} };
    const provider = await ManagementController.open({ storage: memoryStorage(), settings: { address }, oidc });
    const request = new Request(`${address}/oidc/login/username`, { headers: { accept: 'text/html' } });
    const { headers } = await fetchHandler(provider)(request);
    await provider.close();
    return headers;
  };
  const closed = await pageWith();
  assert.match(closed.get('content-security-policy') ?? '', /; frame-ancestors 'none';/);
  assert.equal(closed.get('x-frame-options'), 'DENY');
  const open = await pageWith(['https://portal.example.com']);
  assert.match(open.get('content-security-policy') ?? '', /; frame-ancestors https:\/\/portal\.example\.com;/);
  assert.equal(open.get('x-frame-options'), null);
  for (const origin of NO_ORIGINS) await assert.rejects(pageWith([origin]), TypeError, origin);
});

test('a frame ancestor adds neither a directive nor a policy, and stands for one origin', async () => {
  for (const origin of NO_ORIGINS) await assert.rejects(policyWith([origin]), TypeError, origin);
});

const NO_ORIGINS = [
  'https://a;sandbox',
  'https://a,sandbox',
  'https://*.example.com',
  'https://*',
  'https:',
  '*',
  "'self'",
  'https://a.example/path',
  'https://user@a.example',
  'https://a.example:*',
  'javascript:alert(1)',
];
