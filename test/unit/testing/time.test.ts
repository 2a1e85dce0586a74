import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../../../adapters/storage/memory/index.ts';
import { webPlatform } from '../../../src/index.ts';
import { argon2idHasher } from '../../../src/runtime/platform/password-hasher.ts';
import { fastPasswordHasher, frozenClock, testNetwork } from '../../../testing/index.ts';

test('a clock that is advanced in steps awaits each task before the next, and stands at its end', async () => {
  const clock = frozenClock();
  const start = clock.now();
  const seen: (string | number)[] = [];
  const work = async (name: string, settle: Promise<void>) => {
    await settle;
    seen.push(name, clock.now() - start);
  };
  let under: Promise<void> = Promise.resolve();
  const later = (name: string, milliseconds: number, then?: () => void) =>
    clock.after(milliseconds, () => {
      under = work(
        name,
        Promise.resolve().then(() => then?.()),
      );
    });
  later('second', 2000, () => void later('third', 500));
  later('first', 1000);
  later('never', 4000);
  await clock.advanceInSteps('3s', () => under);
  assert.deepEqual(seen, ['first', 1000, 'second', 2000, 'third', 2500]);
  assert.equal(clock.now() - start, 3000);
  await assert.rejects(
    clock.advanceInSteps('3 weeks', async () => undefined),
    { name: 'TypeError', message: /such as 31m, got '3 weeks'/ },
  );
});

test('after a suspension, each timer that is due runs once, in order, at its end', () => {
  const clock = frozenClock();
  const start = clock.now();
  const seen: (string | number)[] = [];
  const repeat = (name: string, milliseconds: number): void => {
    clock.after(milliseconds, () => {
      seen.push(name, clock.now() - start);
      repeat(name, milliseconds);
    });
  };
  repeat('later', 2000);
  repeat('first', 1000);
  repeat('never', 86_400_001);
  const cancel = clock.after(500, () => seen.push('cancelled'));
  cancel();
  clock.suspend('1d');
  assert.deepEqual(seen, ['first', 86_400_000, 'later', 86_400_000]);
  clock.advance('1s');
  assert.deepEqual(seen.slice(4), ['never', 86_400_001, 'first', 86_401_000]);
});

test('a session ends with its time', async () => {
  await using network = await testNetwork();
  const session = await (await network.identity('ann')).login();
  await network.advance('29m');
  await session.currentIdentity.get();
  await network.advance('29m');
  await session.currentIdentity.get();
  await network.advance('31m');
  await assert.rejects(session.currentIdentity.get(), { code: 'UNAUTHORIZED' });
});

test('a member renews its lease as time passes, and is offline once it is closed', async () => {
  const [clock, storage] = [frozenClock(), memoryStorage()];
  await using one = await testNetwork({ clock, storage, member: { name: 'one' } });
  const two = await testNetwork({ clock, storage, member: { name: 'two' } });
  const online = async () => {
    const { data } = await one.controller.api.controllers.list({ filter: 'sort by name' });
    return data.filter(({ isOnline }) => isOnline).map(({ name }) => name);
  };
  assert.deepEqual(await online(), ['one', 'two']);
  await one.advance('3h');
  assert.deepEqual(await online(), ['one', 'two']);
  assert.deepEqual((await one.controller.health()).reasons, []);
  await two.close();
  await one.advance('2m');
  assert.deepEqual(await online(), ['one']);
});

test('a consumer of changes is over with what it consumes when the network has settled', async () => {
  await using network = await testNetwork();
  const names: (string | undefined)[] = [];
  const consumer = network.controller.changes.consume('copy', async ({ after }) => void names.push(after?.name), { kinds: ['identity'] });
  await consumer.ready;
  await network.identity('ann');
  await network.settled();
  assert.deepEqual(names, ['ann']);
  await consumer.close();
});

test('a platform that is given keeps the clock of the network', async () => {
  await using network = await testNetwork({ platform: webPlatform({ passwords: fastPasswordHasher() }) });
  const session = await (await network.identity('ann')).login();
  assert.match((await session.currentApiSession.get()).createdAt, /^2026-11-21T10:00:00/);
  await network.advance('31m');
  await assert.rejects(session.currentIdentity.get(), { code: 'UNAUTHORIZED' });
});

test('a clock of a test may come with the platform, or beside it', async () => {
  const clock = frozenClock('2030-01-01T00:00:00.000Z');
  for (const options of [{ clock }, { platform: webPlatform({ clock, passwords: fastPasswordHasher() }) }, { platform: { clock } }]) {
    await using network = await testNetwork(options);
    assert.equal(network.clock, clock);
    const { id } = await network.service('crm');
    assert.match((await network.controller.api.services.get({ id })).createdAt, /^2030-01-01T00:00:00/);
  }
});

test('parts of a platform that are given are used, and a part that nothing knows is refused', async () => {
  const lines: string[] = [];
  const logger = { error: assert.fail, warn: (line: string) => void lines.push(line), info: () => undefined };
  let hashed = 0;
  const passwords = argon2idHasher(async () => {
    hashed++;
    return new Uint8Array(32);
  }, webPlatform().random);
  await using network = await testNetwork({ platform: { logger, passwords } });
  await network.identity('ann');
  assert.ok(hashed > 0);
  network.controller.logger.warn('a line', { of: 'a test' });
  assert.deepEqual(lines, ['a line']);
  assert.deepEqual(network.recorded.log, [{ level: 'warn', message: 'a line', details: { of: 'a test' } }]);
  await assert.rejects(testNetwork({ platform: { loger: logger } as never }), { name: 'TypeError', message: /did you mean 'logger'/ });
});
