import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { anotherSession, checkOf, client } from '../support/posture.ts';
import { aService, domain, policyWith } from '../support/posture-access.ts';

onEveryStore('posture checks and time', (open) => {
  test('a code counts for its own session, until the timeout of the check and no other', proves(247), async () => {
    await using app = await open();
    const user = await client(app);
    const other = await anotherSession(app, user);
    const wiki = await aService(app);
    await policyWith(app, 'short', [await checkOf(app, 'short', { typeId: 'MFA', timeoutSeconds: 60 })]);
    await policyWith(app, 'long', [await checkOf(app, 'long', { typeId: 'MFA' })], { type: 'Bind' });
    await user.passCode();
    assert.deepEqual(
      [await user.isPassing(wiki), await other.isPassing(wiki)],
      [
        [true, true],
        [false, false],
      ],
    );
    app.clock.advance('61s');
    assert.deepEqual((await user.isPassing(wiki)).toSorted(), [false, true]);
    await user.passCode();
    assert.deepEqual(await user.isPassing(wiki), [true, true]);
  });

  test(
    'five minutes after waking or unlocking a check that prompts fails, until a code comes',
    proves(16, 249, 250, 252, 464),
    async () => {
      await using app = await open();
      const user = await client(app);
      const wiki = await aService(app);
      await policyWith(app, 'p', [await checkOf(app, 'c', { typeId: 'MFA', promptOnWake: true, promptOnUnlock: true })]);
      await user.passCode();
      for (const event of [{ woken: true }, { unlocked: true }]) {
        app.clock.advance('1m');
        const services = await user.tell({ typeId: 'ENDPOINT_STATE', id: '0', ...event });
        assert.deepEqual(services, [{ id: wiki, name: 'wiki', postureQueryType: 'MFA', timeout: -1, timeoutRemaining: 300 }]);
        app.clock.advance('300s');
        assert.deepEqual(await user.isPassing(wiki), [true]);
        app.clock.advance('1s');
        assert.deepEqual(await user.isPassing(wiki), [false]);
        await user.passCode();
        assert.deepEqual(await user.isPassing(wiki), [true]);
      }
    },
  );

  test('the answer to waking names the services of the caller that prompt, with the nearest timeout, and no others', async () => {
    await using app = await open();
    const user = await client(app, { roleAttributes: ['mine'] });
    const [wiki] = [await aService(app, 'wiki'), await aService(app, 'other')];
    const check = (name: string, timeoutSeconds: number, prompts: object = { promptOnWake: true }) =>
      checkOf(app, name, { typeId: 'MFA', timeoutSeconds, ...prompts });
    const mine = { identityRoles: ['#mine'], serviceRoles: [`@${wiki}`] };
    await policyWith(app, 'a', [await check('none', 0), await check('900', 900), await check('ends anyway', 200)], mine);
    await policyWith(app, 'b', [await check('500', 500)], { ...mine, type: 'Bind' });
    await policyWith(app, 'theirs', [await check('theirs', 400)], { identityRoles: ['#theirs'] });
    await policyWith(app, 'silent', [await check('silent', 400, {})]);
    const woken = { typeId: 'ENDPOINT_STATE', id: '0', woken: true };
    assert.deepEqual(await user.tell(woken), []);
    await user.passCode();
    const [named, ...others] = await user.tell([domain('x'), woken]);
    assert.deepEqual([named, others], [{ id: wiki, name: 'wiki', postureQueryType: 'MFA', timeout: 500, timeoutRemaining: 300 }, []]);
    assert.deepEqual(await user.tell({ ...woken, woken: false, unlocked: true }), []);
    assert.deepEqual(await user.tell(domain('y')), []);
  });
});
