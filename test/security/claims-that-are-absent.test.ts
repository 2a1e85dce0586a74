/**
 * #4063: a token without the claim for role attributes could not enroll. Claims are chosen by strangers: none of their forms is an error of
 * the controller.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { assertRefused } from '../support/refusals.ts';
import { enrollBy, enrollingSigner, identityNamed } from '../support/token-enrollment.ts';

onEveryStore('claims for role attributes', (open) => {
  const selectors = [
    'roles',
    '/roles',
    '/realm/roles',
    '/roles/0',
    '/roles/-',
    '/__proto__/x',
    '/constructor/name',
    'https://idp.example/role',
  ];

  test('that are absent, or lie where the selector does not lead, give no attributes', async () => {
    await using app = await open();
    for (const [i, selector] of selectors.entries()) {
      const signer = await enrollingSigner(app, { enrollAttributeClaimsSelector: selector });
      for (const [j, more] of [
        {},
        { realm: null },
        { realm: 'x' },
        { realm: [] },
        { roles: null },
        { roles: '' },
        { roles: [] },
      ].entries()) {
        const sub = `${i}.${j}`;
        assert.equal((await enrollBy(app, await signer.token({ sub, ...more }))).status, 200, `${selector} ${JSON.stringify(more)}`);
        assert.equal((await identityNamed(app, sub)).roleAttributes, null);
      }
    }
  });

  test('that are not texts are refused, and nothing is created', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app, { enrollAttributeClaimsSelector: 'roles' });
    for (const roles of [7, true, {}, { length: 1 }, { __proto__: ['x'], 0: 'a' }, [7], [['a']], [null], ['a', {}], ['\u0000'], '\u0000'])
      assertRefused(await enrollBy(app, await signer.token({ sub: 'eve', roles })), 400, 'INVALID_ENROLLMENT_TOKEN');
    for (const roles of [['#all'], ['@x'], 'x'.repeat(5000)])
      assertRefused(await enrollBy(app, await signer.token({ sub: 'eve', roles })), 400, 'COULD_NOT_VALIDATE');
    assert.equal(await app.count('identity'), 1);
  });
});
