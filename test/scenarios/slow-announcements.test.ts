import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identity } from '../../src/contract/api/identities.ts';
import { ForwardingTransaction } from '../../src/store/storage/forwarding.ts';
import type { Row } from '../../src/store/storage/port.ts';
import { withTransactions } from '../support/altered-storage.ts';
import { onEveryStore } from '../support/app.ts';
import { newStorage } from '../support/stores.ts';

const ann = { name: 'ann', type: 'User', isAdmin: false } as const;

/** Notes whether the transaction creates ann: the controller may write for its own reasons at any time. */
class WatchedTransaction extends ForwardingTransaction {
  createsAnn = false;

  override insert(kind: string, row: Row): Promise<void> {
    this.createsAnn ||= kind === identity.kind && row.name === ann.name;
    return super.insert(kind, row);
  }
}

onEveryStore('a change log that is slow to read', (open, store) => {
  test('a change that is committed is answered as such, although its caller does not wait for its announcement', async () => {
    const adapter = newStorage(store);
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: isCaughtUp, resolve: catchesUp } = Promise.withResolvers<void>();
    let isSlow = false;
    const storage = withTransactions(adapter, (store) => async (mode, work, options) => {
      if (mode === 'read' && isSlow) {
        catchesUp();
        await goesOn;
      }
      let createsAnn = false;
      const watchedWork: typeof work = async (tx) => {
        const watched = new WatchedTransaction(tx);
        const result = await work(watched);
        ({ createsAnn } = watched);
        return result;
      };
      const result = await store.transaction(mode, watchedWork, options);
      isSlow ||= createsAnn;
      return result;
    });
    await using app = await open({ storage });
    const heard: string[] = [];
    app.controller.events.on('identity', ({ action }) => heard.push(action));
    // Another controller has written: before the next change is announced, the log is read.
    await app.inStore('write', async (entities) => {
      const [admin] = await entities.list(identity, { where: { op: 'all' } });
      assert.ok(admin);
      await entities.update(identity, admin, { tags: { from: 'another controller' } });
    });
    const gone = new AbortController();
    const asked = app.request('POST', '/identities', { body: ann, signal: gone.signal });
    await isCaughtUp;
    gone.abort();
    assert.equal((await asked).status, 201);
    assert.deepEqual(heard, []);
    isSlow = false;
    goOn();
    await app.create('/identities', { ...ann, name: 'bob' });
    assert.deepEqual(heard, ['update', 'create', 'create'], 'each change is announced, in order');
  });
});
