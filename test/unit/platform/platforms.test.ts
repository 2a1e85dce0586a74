import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nodePlatform } from '../../../adapters/platform/node.ts';
import { webPlatform } from '../../../src/runtime/platform/web.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

for (const [name, platform] of [
  ['node', nodePlatform],
  ['web', webPlatform],
] as const) {
  describe(`the platform (${name})`, () => {
    test('gives as many random bytes as asked for, never the same', () => {
      const { random } = platform();
      for (const length of [0, 1, 26, 256, 257, 4096, 200_000]) assert.equal(random.bytes(length).length, length);
      const seen = new Set(Array.from({ length: 2000 }, () => random.bytes(16).toString()));
      assert.equal(seen.size, 2000);
      assert.ok(
        random
          .bytes(200_000)
          .subarray(-1000)
          .some((byte) => byte !== 0),
      );
    });

    test('gives bytes that belong to the caller', () => {
      const { random } = platform();
      const first = random.bytes(16);
      assert.equal(first.buffer.byteLength, 16);
      const before = first.toString();
      random.bytes(16).fill(7);
      for (let i = 0; i < 1000; i++) random.bytes(16);
      assert.equal(first.toString(), before);
    });

    test('uses every byte value about as often', () => {
      const counts = new Array<number>(256).fill(0);
      const { random } = platform();
      for (let i = 0; i < 4000; i++) for (const byte of random.bytes(32)) counts[byte] = (counts[byte] ?? 0) + 1;
      // 500 expected each, standard deviation 22: seven of them off is nobody's bad luck.
      assert.ok(Math.min(...counts) > 340 && Math.max(...counts) < 660);
    });

    test('gives random UUIDs of version 4', () => {
      const { random } = platform();
      const ids = Array.from({ length: 100 }, () => random.uuid());
      for (const id of ids) assert.match(id, UUID);
      assert.equal(new Set(ids).size, 100);
    });

    test('knows the time', () => {
      const { clock } = platform();
      const [before, told, after] = [Date.now(), clock.now(), Date.now()];
      assert.ok(before <= told && told <= after);
    });

    test('takes parts from the host, and uses its randomness for salts', async () => {
      const clock = { now: () => 42 };
      const random = { bytes: (length: number) => new Uint8Array(length), uuid: () => 'id' };
      const own = platform({ clock, random });
      assert.equal(own.clock, clock);
      assert.equal(own.random, random);
      assert.match(await own.passwords.hash('x'), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$AAAAAAAAAAAAAAAAAAAAAA\$/);
      assert.ok(Object.isFrozen(own));
    });
  });
}

/**
 * What a logger of pino writes: details come first, and what follows a message are arguments of its format, which are dropped without one.
 */
const pinoLike = (lines: object[]) => {
  const level = (name: string) => (first: unknown, message?: unknown) =>
    void lines.push(typeof first === 'object' ? { level: name, ...first, msg: message } : { level: name, msg: first });
  return { error: level('error'), warn: level('warn'), info: level('info') };
};

for (const [name, mark] of [
  ['pino', { bindings: () => ({}) }],
  ['bunyan', { fields: {}, addStream: () => undefined }],
] as const)
  test(`a logger of ${name} gets message and details in its own order`, () => {
    for (const platform of [nodePlatform, webPlatform]) {
      const lines: object[] = [];
      const { logger } = platform({ logger: { ...pinoLike(lines), ...mark } });
      logger.error('broken', { entity: 'identity' });
      logger.warn('slow', { milliseconds: 3 });
      logger.info('ready');
      const error = new Error('a reason');
      logger.error('failed', { error, path: '/' });
      logger.error('failed', { error: String(error) });
      assert.deepEqual(lines, [
        { level: 'error', entity: 'identity', msg: 'broken' },
        { level: 'warn', milliseconds: 3, msg: 'slow' },
        { level: 'info', msg: 'ready' },
        { level: 'error', err: error, path: '/', msg: 'failed' }, // where both look for errors
        { level: 'error', error: 'Error: a reason', msg: 'failed' },
      ]);
    }
  });

test('any other logger is taken as it is', () => {
  const logger = { error: () => undefined, warn: () => undefined, info: () => undefined, fields: [], child: () => undefined };
  assert.equal(nodePlatform({ logger }).logger, logger);
});
