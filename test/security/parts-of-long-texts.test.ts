/**
 * Of each text that a router reports about a link, the controller keeps 255 characters. V8 makes such a part refer to the whole text, so
 * that one router filled hundreds of megabytes that no limit of the heap counts, and that stayed after it had left.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { validationsBy } from '../../src/fabric/channels/validations.ts';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import { reportedLink } from '../../src/fabric/links/link-table.ts';
import type { ConnectedRouters } from '../../src/fabric/registry/connected-routers.ts';
import { copyText } from '../../src/runtime/platform/copy-text.ts';
import { mesh } from '../adapters/routers/mesh.ts';
import { letPass } from '../adapters/routers/support.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void; // the function that the flag adds

const usedBytes = (): number => {
  for (let i = 0; i < 3; i++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Bytes of texts, on the heap and beside it, that are kept by what `make` returns. */
const keptBy = (make: () => unknown): number => {
  const before = usedBytes();
  const kept = make();
  const after = usedBytes();
  assert.ok(kept);
  return after - before;
};

const LONG = 400_000;
const COUNT = 20;

describe('a part of a long text that is kept', () => {
  test('does not keep the whole text', () => {
    const part = (i: number) => copyText(`${i} `.repeat(LONG / 2), 255);
    assert.equal(part(7), '7 '.repeat(128).slice(0, 255));
    assert.ok(keptBy(() => Array.from({ length: COUNT }, (_, i) => part(i))) < LONG);
  });

  test('is what remains of a reported link', () => {
    const { routerLinks } = messages.links;
    const report = (i: number) => {
      const text = `${i} `.repeat(LONG / 2);
      const connState = { conns: [{ type: text, localAddr: text, remoteAddr: text }] };
      const body = routerLinks.encode({ links: [{ id: `${i}`, destRouterId: 'b', linkProtocol: text, dialAddress: text, connState }] });
      return routerLinks.decode(body).links.map((link) => reportedLink('a', link));
    };
    assert.ok(keptBy(() => Array.from({ length: COUNT }, (_, i) => report(i))) < LONG);
  });
});

test('of a long detail of a terminator, only the part that is shown stays', async () => {
  const { validateTerminatorsResponse } = messages.terminators;
  const validated = async (i: number) => {
    const states = new Map([['t', { valid: false, detail: `${i} `.repeat(45_000) }]]);
    const channel = { signal: { aborted: false }, request: async () => ({ body: validateTerminatorsResponse.encode({ states }) }) };
    const connected = { get: () => ({ channel }) } as object as ConnectedRouters; // it reads nothing else
    const { validateTerminators } = validationsBy(connected, { validate: async () => [] });
    return validateTerminators('r', [{ id: 't' }] as never, false);
  };
  const results: unknown[] = [];
  await validated(0);
  const before = usedBytes();
  for (let i = 0; i < COUNT; i++) results.push(await validated(i));
  assert.ok(usedBytes() - before < LONG);
  assert.equal(results.length, COUNT);
});

test('links of a router that has left stay for as long as it may come back', async () => {
  await using at = await mesh();
  await at.link('link', at.fra, at.ams);
  const links = async () => (await at.network.controller.api.links.list({})).data.length;
  at.fra.close();
  await letPass(at, at.ams, 4);
  assert.equal(await links(), 1);
  await letPass(at, at.ams, 2);
  assert.equal(await links(), 0);
});
