import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';

const body = (name: string) => ({ name, type: 'Device', isAdmin: false, roleAttributes: ['a'] });
const names = Array.from({ length: 12 }, (_, i) => `device ${i}`);

onEveryStore('writes that come at once', (open) => {
  test('each is announced once, in order of revision, when everybody can see it', async () => {
    await using app = await open();
    const revisions: number[] = [];
    const seen: Promise<boolean>[] = [];
    app.controller.events.on('identity', ({ revision, entityId }) => {
      revisions.push(revision);
      seen.push(app.rows('identity').then((rows) => rows.some(({ id }) => id === entityId)));
    });
    const ids = await Promise.all(names.map((name) => app.create('/identities', body(name))));
    assert.equal(new Set(ids).size, names.length);
    const first = revisions[0] ?? 0;
    assert.deepEqual(
      revisions,
      names.map((_, i) => first + i),
    );
    assert.ok((await Promise.all(seen)).every(Boolean));
  });

  test('one that is refused leaves no trace among the others, and the next reads see what each of them wrote', async () => {
    await using app = await open();
    const trail = await app.trail(async () => {
      const answers = await Promise.all(
        ['ann', 'bob', 'ann', 'cid'].map((name) => app.request('POST', '/identities', { body: body(name) })),
      );
      // Which of the two comes first is open: on PostgreSQL they come by different connections.
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 201, 201, 400]);
      for (const { body } of answers.filter(({ status }) => status === 201))
        assert.equal((await app.request('GET', `/identities/${body.data.id}`)).body.data.id, body.data.id);
    });
    assert.equal(trail.length, 3);
  });

  test('a right that one takes away, those after it do not have any more, and no other write is refused', async () => {
    await using app = await open();
    const user = await app.user({ isAdmin: true });
    const token = await user.login();
    const demote = app.request('PATCH', `/identities/${user.id}`, { body: { isAdmin: false } });
    const create = app.request('POST', '/identities', { body: body('too late'), as: token });
    const [demoted, created] = await Promise.all([demote, create]);
    assert.equal(demoted.status, 200);
    const rows = await app.rows('identity');
    const before = rows.find(({ name }) => name === 'too late');
    if (before) assert.ok(before.version < (rows.find(({ id }) => id === user.id)?.version ?? 0), 'it was written before');
    assert.equal(created.status, before ? 201 : 401);
  });
});
