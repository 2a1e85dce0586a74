import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consoleHandler } from '../../console/index.ts';

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

test('a frame ancestor adds neither a directive nor a policy, and stands for one origin', async () => {
  for (const origin of [
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
  ])
    await assert.rejects(policyWith([origin]), TypeError, origin);
});
