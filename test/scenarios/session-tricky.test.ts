import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { enrollMfa } from '../support/mfa.ts';
import { anotherSession, checkOf } from '../support/posture.ts';
import { assertRefused } from '../support/refusals.ts';
import { ask, begin, dialGround } from '../support/sessions.ts';

/** Ann, the wiki, and a check that she fails until her endpoint tells that it is at a.test. */
const ground = async (app: App) => {
  const all = await dialGround(app);
  const check = await checkOf(app, 'at a.test', { typeId: 'DOMAIN', domains: ['a.test'] });
  return { ...all, strict: { ...all.staff, checks: [`@${check}`] } };
};

onEveryStore('rights and posture of sessions', (open) => {
  test('a policy that becomes a Bind policy keeps its posture checks', async () => {
    await using app = await open();
    const { net, ann, wiki, strict } = await ground(app);
    const policy = await net.dial(strict);
    await net.patch(`/service-policies/${policy}`, { type: 'Bind' });
    assert.deepEqual((await app.request('GET', `/service-policies/${policy}`)).body.data.postureCheckRoles, strict.checks);
    assertRefused(await ask(app, ann, wiki, 'Bind'), 409, 'INVALID_POSTURE');
    await ann.tell({ typeId: 'DOMAIN', id: 'any', domain: 'a.test' });
    await begin(app, ann, wiki, 'Bind');
  });

  test('one policy without checks lets in, beside others that fail', async () => {
    await using app = await open();
    const { net, ann, wiki, staff, strict } = await ground(app);
    await net.dial(strict);
    await net.dial(strict);
    assertRefused(await ask(app, ann, wiki), 409, 'INVALID_POSTURE');
    await net.dial(staff);
    await begin(app, ann, wiki);
  });

  test('a Bind policy that passes helps nobody to dial', async () => {
    await using app = await open();
    const { net, ann, wiki, staff, strict } = await ground(app);
    await net.dial(strict);
    await net.bind(staff);
    assertRefused(await ask(app, ann, wiki, 'Dial'), 409, 'INVALID_POSTURE');
    await begin(app, ann, wiki, 'Bind');
  });

  test('a code counts in the API session that gave it, and what the endpoint tells counts in all', async () => {
    await using app = await open();
    const { net, ann, wiki, staff, strict } = await ground(app);
    const code = await checkOf(app, 'code', { typeId: 'MFA' });
    const other = await anotherSession(app, ann);
    await net.dial({ ...staff, checks: [`@${code}`] });
    await net.bind(strict);
    await enrollMfa(app, ann.as);
    await begin(app, ann, wiki, 'Dial');
    assertRefused(await ask(app, other, wiki, 'Dial'), 409, 'INVALID_POSTURE');
    await ann.tell({ typeId: 'DOMAIN', id: 'any', domain: 'a.test' });
    await begin(app, other, wiki, 'Bind');
  });
});
