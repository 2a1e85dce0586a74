/** Whoever may create signers has the controller request an address: only that of the metadata of an issuer, and few at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApp } from '../support/app.ts';
import { keyServer } from '../support/provider.ts';

const ANYWHERE = { settings: { outboundAllow: ['loopback'] } };

test('no address with a query, a fragment or credentials is requested', async (t) => {
  await using app = await openApp('memory', ANYWHERE);
  const provider = await keyServer(t, []);
  const { origin, host } = new URL(provider.url);
  for (const issuer of [`${origin}/admin?delete=all&x=`, `${origin}/admin#`, `${origin}/?`, `http://a:b@${host}`, `http://a@${host}/`]) {
    const { isFound } = await app.controller.api.externalJwtSigners.discover({ body: { issuer } });
    assert.equal(isFound, false, issuer);
  }
  assert.equal(provider.hits, 0);
});

test('a controller makes four requests at a time, and refuses callers beyond those that wait', async (t) => {
  await using app = await openApp('memory', ANYWHERE);
  const provider = await keyServer(t, []);
  let running = 0;
  let peak = 0;
  provider.answer = async () => {
    peak = Math.max(peak, ++running);
    await new Promise((later) => setTimeout(later, 20));
    running--;
    return { body: '{}' };
  };
  const body = { issuer: new URL(provider.url).origin };
  const calls = Array.from({ length: 40 }, () => app.controller.api.externalJwtSigners.discover({ body }));
  const refused = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected');
  assert.equal(peak, 4);
  assert.equal(refused.length, 16);
  assert.equal((await app.controller.api.externalJwtSigners.discover({ body })).isFound, false);
});
