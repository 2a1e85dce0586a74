/** A map by address, name, token or key that nothing bounds grows with each call of somebody who has no session. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { entries } from '../../src/controller/entries.ts';
import { ManagementController } from '../../src/index.ts';
import { webPlatform } from '../../src/runtime/platform/web.ts';
import { heldHasher } from '../support/hasher.ts';
import { largestFields } from '../support/largest-input.ts';
import { nameOf } from '../support/samples/index.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Calls of each operation, and characters of which a text is made that no other call has. */
const CALLS = 400;
const LENGTH = 3000;
/** What one map that keeps these texts would take at least is more than that. */
const MOST = (CALLS * LENGTH) / 4;

/** They store what they begin: strangers-fill-no-disk.test.ts bounds that. */
const KEPT: readonly string[] = ['oidc.authorize', 'oidc.authorizeByForm'];

const open = entries.filter(({ operation }) => operation.permission === 'open' && operation.answer.is !== 'events');

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };

/** The value, in which each text is one that was never there before. */
const distinct = (value: unknown, serial: string): unknown => {
  if (typeof value === 'string') return `${serial}${value}`.slice(0, Math.max(value.length, serial.length));
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => distinct(item, serial));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, distinct(item, serial)]));
};

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('the memory of a controller', () => {
  test('does not grow with calls that have no session, however many addresses, names, tokens and keys they tell', async () => {
    const controller = await ManagementController.open({
      storage: memoryStorage(),
      platform: webPlatform({ passwords: heldHasher(), logger: silent }),
      settings: { address: 'https://127.0.0.1:1280' },
      oidc: true,
      observe: () => undefined,
    });
    let serial = 0;
    const call = async ({ method, path, surfaces, query, body }: (typeof entries)[number]['operation']) => {
      const unique = `${++serial}-`.padEnd(LENGTH, String(serial));
      const [surface] = surfaces;
      const parameters = Object.entries(Object(distinct(Object.fromEntries(largestFields(query, 200)), `${serial}-`)));
      const target = `${surface?.prefix}${path.replace(/\{\w+\}/g, `id-${serial}`)}?${new URLSearchParams(Object.fromEntries(parameters.map(([name, value]) => [name, String(value)])))}`;
      const fields = distinct(Object.fromEntries(largestFields(body?.schema, LENGTH)), unique);
      const isForm = body?.media?.includes('application/json') === false;
      const text = isForm ? String(new URLSearchParams(Object.entries(Object(fields)))) : JSON.stringify(fields);
      const token = `${base64url({ alg: 'RS256', kid: unique })}.${base64url({ iss: `https://${serial}.example/${unique}`, sub: unique })}.${base64url('x')}`;
      const headers: Readonly<Record<string, string>> = {
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
        authorization: `Bearer ${token}`,
        'zt-session': unique,
        'user-agent': unique,
        origin: `https://${serial}.example`,
        'x-request-id': `request-${serial}`,
      };
      const { status } = await controller.handle({
        method,
        target,
        header: (name) => (name in headers ? headers[name] : undefined),
        body: async () => (body ? new TextEncoder().encode(text) : new Uint8Array()),
        remoteAddress: `2001:db8:${(serial >> 8).toString(16)}:${(serial & 255).toString(16)}::1`,
      });
      assert.ok(status < 500, `${method} ${path}: ${status}`);
    };
    const heap = async () => {
      // The test runner lets go of what it tracks of a call in a turn after the collection.
      for (let i = 0; i < 2; i++) {
        collect();
        await nextTurn();
      }
      collect();
      return process.memoryUsage().heapUsed;
    };
    const grown: Record<string, number> = {};
    for (const { operation, ...named } of open) {
      if (KEPT.includes(nameOf(named))) continue;
      const growth = async () => {
        const had = await heap();
        for (let i = 0; i < CALLS; i++) await call(operation);
        return (await heap()) - had;
      };
      // What keeps each call grows every time; buffers of the runtime come and go.
      let least = await growth();
      for (let again = 0; again < 3 && least > MOST; again++) least = Math.min(least, await growth());
      grown[nameOf(named)] = least;
    }
    await controller.close();
    const tooMuch = Object.entries(grown).filter(([, bytes]) => bytes > MOST);
    assert.deepEqual(tooMuch, []);
  });
});
