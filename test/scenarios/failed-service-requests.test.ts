import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { checkOf, client } from '../support/posture.ts';
import { assertRefused } from '../support/refusals.ts';
import { ask, begin, dialGround } from '../support/sessions.ts';

onEveryStore('failed service requests', (open) => {
  test('each session that posture refuses is listed, with what was asked and reported', proves(223, 224, 225, 226, 403), async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    const failures = async () => (await app.request('GET', `/identities/${ann.id}/failed-service-requests`)).body.data;
    assert.deepEqual(await failures(), []);
    const mac = await checkOf(app, 'mac', { typeId: 'MAC', macAddresses: ['aa:bb:cc:dd:ee:ff'] });
    const code = await checkOf(app, 'code', { typeId: 'MFA', timeoutSeconds: 60 });
    const passed = await checkOf(app, 'passed', { typeId: 'DOMAIN', domains: ['a.test'] });
    const policy = await net.dial({ ...staff, checks: [`@${mac}`, `@${code}`, `@${passed}`] });
    await ann.tell({ typeId: 'DOMAIN', id: passed, domain: 'a.test' });
    assertRefused(await ask(app, ann, wiki), 409, 'INVALID_POSTURE');
    const [failure, ...others] = await failures();
    assert.deepEqual(others, []);
    const { policyFailures, ...request } = failure;
    assert.deepEqual(request, {
      apiSessionId: ann.sessionId,
      serviceId: wiki,
      serviceName: 'wiki',
      sessionType: 'Dial',
      when: new Date(app.clock.now()).toISOString(),
    });
    assert.deepEqual(
      policyFailures.map(({ policyId, policyName }: { policyId: string; policyName: string }) => [policyId, policyName]),
      [[policy, 'policy 3']],
    );
    const checks = new Map<string, object>(
      policyFailures[0].checks.map((check: { postureCheckId: string }) => [check.postureCheckId, check]),
    );
    assert.deepEqual(checks.get(mac), {
      postureCheckId: mac,
      postureCheckName: 'mac',
      postureCheckType: 'MAC',
      actualValue: [],
      expectedValue: ['aabbccddeeff'],
    });
    assert.deepEqual(checks.get(code), {
      postureCheckId: code,
      postureCheckName: 'code',
      postureCheckType: 'MFA',
      actualValue: { passedMfa: false, passedOnWake: true, passedOnUnlock: true, timedOut: true },
      expectedValue: { passedMfa: true, passedOnWake: false, passedOnUnlock: false, timedOut: false },
      criteria: { passedMfaAt: null, wokenAt: null, unlockedAt: null, timeoutSeconds: 60, timeoutRemainingSeconds: 0 },
    });
    assert.equal(checks.size, 2);
    await net.bind({ ...staff, checks: [`@${mac}`] });
    assertRefused(await ask(app, ann, wiki, 'Bind'), 409, 'INVALID_POSTURE');
    assert.deepEqual(
      (await failures()).map(({ sessionType }: { sessionType: string }) => sessionType),
      ['Dial', 'Bind'],
    );
  });

  test('each identity has its own failed requests, and no others', proves(403), async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    const bob = await client(app, { roleAttributes: ['staff'] });
    await net.dial({ ...staff, checks: [`@${await checkOf(app, 'mac', { typeId: 'MAC', macAddresses: ['aa'] })}`] });
    for (const who of [ann, ann, bob]) assertRefused(await ask(app, who, wiki), 409, 'INVALID_POSTURE');
    for (const [{ id, sessionId }, count] of [
      [ann, 2],
      [bob, 1],
    ] as const)
      assert.deepEqual(
        (await app.request('GET', `/identities/${id}/failed-service-requests`)).body.data.map(
          ({ apiSessionId }: { apiSessionId: string }) => apiSessionId,
        ),
        Array.from({ length: count }, () => sessionId),
      );
  });

  test('of each identity the last fifty are kept, oldest first, and no change is recorded', proves(297, 463), async () => {
    await using app = await open();
    const { net, ann, staff } = await dialGround(app);
    const check = await checkOf(app, 'mac', { typeId: 'MAC', macAddresses: ['aa'] });
    await net.dial({ ...staff, checks: [`@${check}`] });
    const services: string[] = [];
    for (let i = 0; i < 4; i++) services.push(await net.service(`s${i}`, 'web'));
    const left = await app.trail(async () => {
      for (let i = 0; i < 52; i++) await ask(app, ann, services[i < 48 ? 0 : i - 48] ?? '');
    });
    assert.deepEqual(left, []);
    const { data } = (await app.request('GET', `/identities/${ann.id}/failed-service-requests`)).body;
    assert.equal(data.length, 50);
    assert.equal((await app.rows('failedServiceRequest')).length, 50);
    assert.deepEqual(
      data.slice(-4).map(({ serviceName }: { serviceName: string }) => serviceName),
      ['s0', 's1', 's2', 's3'],
    );
  });

  test('only posture leaves a failed request, of the type that was asked, and all go with the identity', proves(223, 403), async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    const check = await checkOf(app, 'mac', { typeId: 'MAC', macAddresses: ['aa'] });
    await ask(app, ann, wiki);
    await net.dial({ ...staff, checks: [`@${check}`] });
    await ask(app, ann, wiki, 'Bind');
    await net.bind(staff);
    await begin(app, ann, wiki, 'Bind');
    assert.deepEqual(await app.rows('failedServiceRequest'), []);
    await ask(app, ann, wiki);
    assert.equal((await app.rows('failedServiceRequest')).length, 1);
    await app.request('DELETE', `/identities/${ann.id}`);
    assert.deepEqual(await app.rows('failedServiceRequest'), []);
    assertRefused(await app.request('GET', `/identities/${ann.id}/failed-service-requests`), 404, 'NOT_FOUND');
  });
});
