/** Who failed to log in could write a reason into the change log, four kilobytes each time, which auditors read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';

onEveryStore('reasons of strangers', (open) => {
  test('a login that failed is recorded without the words of who tried', async () => {
    await using app = await open();
    const { status } = await app.request('POST', '/authenticate?method=password', {
      as: null,
      headers: { 'x-change-reason': 'approved by the board' },
      body: { username: 'nobody', password: 'wrong-password' },
    });
    assert.equal(status, 401);
    const { data } = await app.controller.api.audit.list({ kind: 'securityEvent' });
    assert.deepEqual(
      data.map(({ actor, reason }) => [actor, reason]),
      [['anonymous', null]],
    );
  });

  test('a caller with a session who is refused is recorded with the reason', async () => {
    await using app = await open();
    const as = await (await app.user()).login();
    const headers = { 'x-change-reason': 'ticket 7' };
    assert.equal((await app.request('GET', '/identities', { as, headers })).status, 401);
    const { data } = await app.controller.api.audit.list({ kind: 'securityEvent' });
    assert.deepEqual(
      data.map(({ reason }) => reason),
      ['ticket 7'],
    );
  });
});
