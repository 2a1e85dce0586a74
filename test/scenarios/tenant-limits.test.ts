/** The bounds of tenants where a call does not come over HTTP, is not over at once, or meets the end of its tenant. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Overlays } from '../../src/controller/tenants/index.ts';
import type { CoreAnswer, CoreRequest } from '../../src/http/message.ts';
import { ApiError, surfaces } from '../../src/index.ts';
import { type Interleaved, interleaved } from '../support/interleaving.ts';
import { byHost, newTenant, onEveryTenantStore, openLost, openTenants, type TenantDatabase } from '../support/tenants.ts';
import { until } from '../support/until.ts';

const isCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;
const person = (name: string, note = '') => ({ name, type: 'User', isAdmin: false, tags: { note } }) as const;
const request = (target: string, headers: Readonly<Record<string, string>> = {}): CoreRequest => ({
  method: 'GET',
  target,
  host: 'acme.example.com',
  header: (name) => headers[name],
  body: async () => new Uint8Array(),
});
const VERSIONS = { management: '/edge/management/v1/version', client: '/edge/client/v1/version' } as const;

onEveryTenantStore("the quotas of a tenant, in a transaction of the host's own", (newDatabase) => {
  const hosted = async (database: TenantDatabase) => {
    const { storage, transaction } = database.hosted();
    const app = await openTenants(database, { storage });
    await app.overlays.create({ name: 'acme' });
    const {
      api: { identities },
    } = await app.overlays.open('acme');
    const usage = () => app.overlays.usage('acme');
    return { ...app, transaction, identities, usage, [Symbol.asyncDispose]: app[Symbol.asyncDispose] };
  };

  test('limit the identities: with what the transaction has made already, and not with what it rolls back', async () => {
    await using database = newDatabase();
    await using at = await hosted(database);
    await at.overlays.setQuotas('acme', { identities: 3 });
    await at.transaction(async (transaction) => {
      for (const name of ['ann', 'bob']) await at.identities.create({ body: person(name) }, { transaction });
      await assert.rejects(at.identities.create({ body: person('carl') }, { transaction }), isCode('QUOTA_EXCEEDED'));
    });
    assert.equal((await at.usage()).identities, 3);
    const { data } = await at.identities.list({ filter: 'isDefaultAdmin = false' });
    const failed = at.transaction(async (transaction) => {
      for (const { id } of data) await at.identities.delete({ id }, { transaction });
      await at.identities.create({ body: person('carl') }, { transaction });
      throw new Error('the host has changed its mind');
    });
    await assert.rejects(failed, /changed its mind/);
    await assert.rejects(at.identities.create({ body: person('carl') }), isCode('QUOTA_EXCEEDED'));
  });

  test('count bytes as other transactions do, those of several calls together', async () => {
    await using database = newDatabase();
    await using at = await hosted(database);
    const grown = async (work: () => Promise<unknown>) => {
      const before = (await at.usage()).storageBytes;
      await work();
      return (await at.usage()).storageBytes - before;
    };
    const expected = await grown(() => at.identities.create({ body: person('ann', 'x'.repeat(500)) }));
    const bytes = await grown(() =>
      at.transaction(async (transaction) => {
        for (const name of ['bob', 'eve']) await at.identities.create({ body: person(name, 'x'.repeat(500)) }, { transaction });
      }),
    );
    assert.equal(bytes, 2 * expected);
    const nothing = grown(() =>
      at
        .transaction(async (transaction) => {
          await at.identities.create({ body: person('joe') }, { transaction });
          throw new Error('the host has changed its mind');
        })
        .catch(() => undefined),
    );
    assert.equal(await nothing, 0);
  });

  test('refuse the call of a transaction that goes beyond the bytes, though each would be within them', async () => {
    await using database = newDatabase();
    await using at = await hosted(database);
    const note = 'x'.repeat(1000);
    const { storageBytes } = await at.usage();
    const { id } = await at.identities.create({ body: person('one', note) });
    const most = storageBytes + 1.5 * ((await at.usage()).storageBytes - storageBytes);
    await at.identities.delete({ id });
    await at.overlays.setQuotas('acme', { storageBytes: Math.round(most) });
    const failed = at.transaction(async (transaction) => {
      await at.identities.create({ body: person('ann', note) }, { transaction });
      await at.identities.create({ body: person('bob', note) }, { transaction });
    });
    await assert.rejects(failed, isCode('QUOTA_EXCEEDED'));
    assert.deepEqual([(await at.usage()).storageBytes, (await at.usage()).identities], [storageBytes, 1]);
  });

  test('and an erased tenant is written to by no transaction that joins it later', async () => {
    await using database = newDatabase();
    await using at = await hosted(database);
    const { id = '' } = (await at.overlays.find('acme')) ?? {};
    await at.overlays.erase('acme');
    const failed = at.transaction(async (transaction) => void (await at.identities.create({ body: person('ann') }, { transaction })));
    await assert.rejects(failed);
    assert.equal(await database.leftOf(id), 0);
  });
});

onEveryTenantStore('the request rate of a tenant', (newDatabase) => {
  test('is one for all surfaces, however they are mounted', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database, { quotas: { requestsPerMinute: 4 } });
    await app.overlays.create({ name: 'acme' });
    const controller = await app.overlays.open('acme');
    const mounts = {
      'all surfaces of the controller': [controller.handle, VERSIONS.management],
      'one of them': [controller.only(surfaces.client).handle, VERSIONS.client],
      'one that a request chooses': [app.overlays.handling(() => 'acme', { only: [surfaces.client] }).handle, VERSIONS.client],
      'all, chosen by a request': [byHost(app.overlays).handle, VERSIONS.management],
    } as const;
    const statuses = async () => {
      const all: number[] = [];
      for (const [handle, path] of Object.values(mounts)) all.push((await handle(request(path))).status);
      return all;
    };
    assert.deepEqual(await statuses(), [200, 200, 200, 200]);
    assert.deepEqual(await statuses(), [429, 429, 429, 429]);
    app.clock.advance('15s');
    assert.deepEqual(await statuses(), [200, 429, 429, 429]);
  });
});

onEveryTenantStore('a stream of a tenant', (newDatabase) => {
  const FOLLOW = '/edge/management/extensions/v1/changes/follow';
  const partsOf = ({ status, body }: CoreAnswer) => {
    assert.equal(status, 200);
    return (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator](); // as the operation is declared
  };
  const streaming = async (database: TenantDatabase, between: Interleaved[] = []) => {
    const storage = database.storage();
    const app = await openTenants(database, {
      maxOpen: 1,
      storage: (namespace) => {
        const wrapped = interleaved(storage(namespace));
        if (namespace.startsWith('tenant/')) between.push(wrapped);
        return wrapped.storage;
      },
    });
    const { admin } = await newTenant(app.overlays, 'acme');
    await app.overlays.create({ name: 'bravo' });
    const { handle } = byHost(app.overlays);
    const headers: Record<string, string> = { 'zt-session': admin, accept: 'text/event-stream' };
    /** @param asked called once, when the tenant asks for the session */
    const follow = (asked: () => void = () => undefined) => {
      let isAsked = false;
      const header = (name: string) => {
        if (name === 'zt-session' && !isAsked) asked();
        isAsked ||= name === 'zt-session';
        return headers[name];
      };
      return handle({ ...request(FOLLOW), header });
    };
    return { ...app, follow, [Symbol.asyncDispose]: app[Symbol.asyncDispose] };
  };
  /** Another tenant takes the only place. */
  const isClosed = async (overlays: Overlays): Promise<boolean> => {
    await overlays.use('bravo', ({ api: { identities } }) => identities.list());
    return overlays.opened.open === 1 && overlays.opened.inUse === 0;
  };

  test('that its client abandons keeps it open no longer, also before its first part', async () => {
    await using database = newDatabase();
    await using at = await streaming(database);
    for (const read of [0, 1, 2]) {
      const parts = partsOf(await at.follow());
      for (let i = 0; i < read; i++) {
        const next = parts.next();
        await at.overlays.use('acme', ({ api: { identities } }) => identities.create({ body: person(`ann ${read} ${i}`) }));
        await next;
      }
      assert.equal(at.overlays.opened.inUse, 1);
      await parts.return?.();
      await parts.return?.();
      assert.equal(at.overlays.opened.inUse, 0);
      assert.ok(await isClosed(at.overlays));
    }
  });

  test('that is abandoned beside another one leaves that one going', async () => {
    await using database = newDatabase();
    await using at = await streaming(database);
    const [one, other] = [partsOf(await at.follow()), partsOf(await at.follow())];
    await Promise.all([one.next(), other.next()]);
    for (let i = 0; i < 2; i++) await one.return?.();
    assert.equal(await isClosed(at.overlays), false);
    const next = other.next();
    await at.overlays.use('acme', ({ api: { identities } }) => identities.create({ body: person('ann') }));
    assert.ok(!(await next).done);
    await other.return?.();
  });

  for (const reads of [1, 2, 3])
    test(`is not begun when the tenant is erased before it is answered (after ${reads} reads)`, async () => {
      await using database = newDatabase();
      const between: Interleaved[] = [];
      await using at = await streaming(database, between);
      assert.ok(await isClosed(at.overlays));
      let erasing: Promise<unknown> | undefined;
      let isGone = false;
      const erase = async () => {
        erasing = at.overlays.erase('acme');
        await until(() => at.overlays.opened.open === 0);
        isGone = true;
      };
      // It is open again by the time that its session is looked for.
      const answer = await at.follow(() => between.at(-1)?.afterReads(erase, reads));
      // The last of these reads may be one of the background, which does not hold up the answer.
      const isAnsweredBefore = !isGone && answer.status === 200;
      if (isAnsweredBefore) {
        const parts = partsOf(answer);
        while (!(await parts.next()).done);
      }
      assert.deepEqual([answer.status, erasing !== undefined], [isAnsweredBefore ? 200 : 404, true]);
      await erasing;
      assert.equal(at.overlays.opened.inUse, 0);
    });
});

onEveryTenantStore('a tenant that takes longer than an hour to make is given up', (newDatabase) => {
  /**
   * A process that makes a tenant, and what happens before it writes next: that the tenant is complete, or the first rows of the tenant
   * itself.
   */
  const makingWhile = async (database: TenantDatabase, meanwhile: () => Promise<unknown>, before: 'registry' | 'its own' = 'registry') => {
    const storage = database.storage();
    const ids: string[] = [];
    let registry: Interleaved | undefined;
    const app = await openTenants(database, {
      storage: (namespace) => {
        const wrapped = interleaved(storage(namespace));
        if (namespace === 'tenants') registry = wrapped;
        else if (before === 'its own' && ids.length > 0) wrapped.beforeWrite(meanwhile);
        return wrapped.storage;
      },
      each: ({ id }) => {
        ids.push(id);
        if (before === 'registry') registry?.beforeWrite(meanwhile);
        return { settings: { address: 'https://acme.example.com' } };
      },
    });
    const made = await app.overlays.create({ name: 'acme' }).catch((error: unknown) => error);
    return { ...app, made, id: ids[0] ?? '', [Symbol.asyncDispose]: app[Symbol.asyncDispose] };
  };

  test('it is not completed after another process has erased it, and nothing of it is left', async () => {
    await using database = newDatabase();
    await using other = await openTenants(database);
    await using at = await makingWhile(database, async () => {
      other.clock.advance('61m');
      await other.overlays.tidy();
    });
    assert.ok(isCode('NOT_FOUND')(at.made), String(at.made));
    assert.deepEqual([await other.overlays.list(), await database.leftOf(at.id)], [[], 0]);
    await newTenant(other.overlays, 'acme');
  });

  test('nor after one that was lost while it erased it: its key is gone', async () => {
    await using database = newDatabase();
    await using at = await makingWhile(database, async () => {
      const lost = await openLost(database, {}, 1);
      lost.clock.advance('61m');
      await lost.overlays.tidy();
      await lost.overlays.close().catch(() => undefined);
    });
    assert.ok(isCode('NOT_FOUND')(at.made), String(at.made));
    assert.deepEqual([await at.overlays.list(), await database.leftOf(at.id)], [[], 0]);
  });

  test('what still writes to it is refused', async () => {
    await using database = newDatabase();
    await using other = await openTenants(database);
    const giveUp = async () => {
      other.clock.advance('61m');
      await other.overlays.tidy();
    };
    await using at = await makingWhile(database, giveUp, 'its own');
    assert.ok(isCode('NOT_FOUND')(at.made), String(at.made));
    assert.deepEqual([await other.overlays.list(), await database.leftOf(at.id)], [[], 0]);
  });

  test('one that takes less is left alone by other processes', async () => {
    await using database = newDatabase();
    await using other = await openTenants(database);
    await using at = await makingWhile(database, async () => {
      other.clock.advance('59m');
      await other.overlays.tidy();
    });
    assert.partialDeepStrictEqual(at.made, { id: at.id, name: 'acme' });
    await other.overlays.use('acme', ({ api: { identities } }) => identities.list());
  });
});
