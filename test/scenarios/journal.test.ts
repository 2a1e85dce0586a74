/** Who sees the journal and usage: those who may read the identities and the services. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { journalEntry } from '../../src/contract/api/journal.ts';
import { usageSum } from '../../src/contract/api/usage.ts';
import { type App, onEveryStore } from '../support/app.ts';

const AT = '2026-11-30T10:00:00.000Z';
const bytes = { bytesSent: 1, bytesReceived: 2 };

/** An identity has used a service over a router. */
const usedBy = async (app: App, name: string) => {
  const identityId = await app.create('/identities', { name, type: 'User', isAdmin: false, roleAttributes: [name] });
  const serviceId = await app.create('/services', { name: `of ${name}`, encryptionRequired: true });
  const routerId = await app.create('/edge-routers', { name: `router of ${name}` });
  const who = { identityId, identityName: name, serviceId, serviceName: `of ${name}`, routerId };
  await app.inStore('write', async (entities) => {
    const circuit = { outcome: 'ended', begin: AT, end: AT, circuitId: name, dials: 1, cause: null, reason: null } as const;
    await entities.insert(journalEntry, {
      id: `${AT}-${name}`,
      ...{ ...who, ...circuit, ...bytes },
      routers: [routerId],
      policies: [{ id: 'p', name: 'secret' }],
      controllerId: 'c',
    });
    await entities.insert(usageSum, { id: `day/${AT}/${name}`, span: 'day', begin: AT, circuits: 1, ...who, ...bytes });
  });
  return { identityId, routerId };
};

onEveryStore('rights on the journal', (open) => {
  test('an auditor sees all; who may only operate, nothing; and a delegate what its scope covers', async () => {
    await using app = await open();
    const [ann, ben] = [await usedBy(app, 'ann'), await usedBy(app, 'ben')];
    const seenBy = async (fields: Parameters<App['user']>[0]) => {
      const user = await app.user(fields);
      const { journal, usage } = app.controller.as(await user.login());
      const { data: entries } = await journal.list({});
      const { data: groups } = await usage.list({ by: ['identity'] });
      assert.deepEqual(groups.map(({ identity }) => identity?.name).sort(), entries.map(({ identity }) => identity.name).sort());
      return { names: entries.map(({ identity }) => identity.name).sort(), entries, journal, usage };
    };
    const auditor = await seenBy({ permissions: ['admin_readonly'] });
    assert.deepEqual(auditor.names, ['ann', 'ben']);
    assert.deepEqual((await seenBy({ permissions: ['ops.read'] })).names, []);
    assert.deepEqual((await seenBy({ permissions: ['ops.read', 'service.read'] })).names, []);
    const reader = await seenBy({ permissions: ['ops.read', 'service.read', 'identity.read'] });
    assert.deepEqual(reader.names, ['ann', 'ben']);
    for (const { routers, policies } of reader.entries) assert.deepEqual({ routers, policies }, { routers: [], policies: [] });
    const { data } = await reader.usage.list({ by: ['router'] });
    assert.deepEqual(
      data.map(({ router, circuits }) => ({ router, circuits })),
      [{ router: null, circuits: 2 }],
    );
    // A condition on a router that the caller may not see finds nothing.
    assert.equal((await reader.journal.list({ filter: `routerId = "${ben.routerId}"` })).pagination.totalCount, 0);
    const scopedPermissions = { 'identity.read': { roleAttributes: ['ann'] } };
    const delegate = await seenBy({ permissions: ['ops.read', 'service.read'], scopedPermissions });
    assert.deepEqual(
      delegate.entries.map(({ identity }) => identity.id),
      [ann.identityId],
    );
  });

  test('sums that routers have driven up to the largest exact number stay exact in groups', async () => {
    await using app = await open();
    const { identityId, routerId } = await usedBy(app, 'ann');
    const most = Number.MAX_SAFE_INTEGER;
    await app.inStore('write', async (entities) => {
      for (const serviceId of ['one', 'two'])
        await entities.insert(usageSum, {
          ...{ id: `day/${AT}/${serviceId}`, span: 'day', begin: AT, identityId, serviceId, routerId },
          ...{ identityName: 'ann', serviceName: serviceId, circuits: most, bytesSent: most, bytesReceived: most },
        });
    });
    const { data } = await app.controller.api.usage.list({ by: ['identity'] });
    assert.deepEqual(
      data.map(({ circuits, bytesSent, bytesReceived }) => [circuits, bytesSent, bytesReceived]),
      [[most, most, most]],
    );
  });

  test('exports without entries have the heading of their columns in CSV, and nothing in lines', async () => {
    await using app = await open();
    const { journal, usage } = app.controller.api;
    const heading = async ({ body }: { readonly body?: unknown }) => {
      const parts: string[] = [];
      for await (const part of body as AsyncIterable<string>) parts.push(part); // exports are streamed
      return parts.join('');
    };
    assert.match(
      await heading(await journal.export({ format: 'csv' })),
      /^id,outcome,begin,end,circuitId,identityId,identity,serviceId,service,[\w,]+\r\n$/,
    );
    assert.equal(
      await heading(await usage.export({ by: ['service'], format: 'csv' })),
      'begin,identityId,identity,serviceId,service,routerId,router,circuits,bytesSent,bytesReceived\r\n',
    );
    assert.equal(await heading(await journal.export({})), '');
  });

  test('an export of usage comes part by part', async () => {
    await using app = await open();
    const { identityId, routerId } = await usedBy(app, 'ann');
    await app.inStore('write', async (entities) => {
      for (let i = 0; i < 1200; i++)
        await entities.insert(usageSum, {
          ...{ id: `day/${AT}/${i}`, span: 'day', begin: AT, identityId, serviceId: `s${i}`, routerId },
          ...{ identityName: 'ann', serviceName: `s${i}`, circuits: 1, ...bytes },
        });
    });
    for (const format of ['lines', 'csv'] as const) {
      const { body } = await app.controller.api.usage.export({ by: ['service'], format });
      const lines: number[] = [];
      for await (const part of body as AsyncIterable<string>) lines.push(part.trim().split('\n').length); // exports are streamed
      const all = lines.reduce((sum, count) => sum + count);
      assert.equal(all, format === 'csv' ? 1202 : 1201);
      assert.ok(Math.max(...lines) <= 501, `${Math.max(...lines)} lines in a part`);
    }
  });
});
