/** A verification reported records as removed that never were, was silent about one that was, and read a hundred megabytes at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { config } from '../../src/contract/api/configs.ts';
import { changeId } from '../../src/contract/changes/events.ts';
import { hashOfRecord } from '../../src/store/changelog/chain.ts';
import type { StorageAdapter, Store, Transaction } from '../../src/store/storage/port.ts';
import { onEveryStore } from '../support/app.ts';
import { overheard } from '../support/overheard.ts';
import { spiedStorage } from '../support/spied-storage.ts';
import { newStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

/** A real store, and transactions that the controller does not know of, which draw no revision. */
const reachable = (name: string) => {
  const inner = newStorage(name);
  let store: Store | undefined;
  const storage: StorageAdapter = { ...inner, open: async (schema) => (store = await inner.open(schema)) };
  const raw = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    assert.ok(store);
    return await store.transaction('write', work);
  };
  return { storage, raw };
};

onEveryStore('verifications of the audit', (open, store) => {
  test('nothing is missing beyond the end of the log', async () => {
    await using app = await open();
    const { audit } = app.controller.api;
    const { revision } = await audit.head();
    assert.equal((await audit.verify({ from: revision })).isIntact, true);
    await assert.rejects(audit.verify({ from: revision + 1 }), { code: 'COULD_NOT_VALIDATE' });
    const { status } = await app.request('GET', '/edge/management/extensions/v1/audit/verify?from=9223372036854775807');
    assert.equal(status, 400);
  });

  test('the head of a log that an earlier release wrote may be kept', async () => {
    const { storage, raw } = reachable(store);
    await using app = await open({ storage });
    const { audit } = app.controller.api;
    await raw(async (tx) => {
      for (const row of await tx.list('change', { where: { op: 'all' } }))
        await tx.update('change', { ...row, hash: undefined, previousHash: undefined }, row.version);
    });
    const { revision, hash } = await audit.head();
    assert.deepEqual((await audit.verify({ revision, hash })).fault, null);
    assert.equal((await audit.verify({ revision, hash: '0'.repeat(64) })).fault?.fault, 'changed');
  });

  test('a record is missed whose head was kept, although the verification begins after it', async () => {
    const { storage, raw } = reachable(store);
    await using app = await open({ storage });
    const { audit, services } = app.controller.api;
    const { revision, hash } = await audit.head();
    for (const name of ['a', 'b']) await services.create({ body: { name, encryptionRequired: true } });
    const question = { from: revision + 1, revision, hash };
    assert.equal((await audit.verify(question)).isIntact, true);
    await raw(async (tx) => void (await tx.delete('change', changeId(revision))));
    const { fault } = await audit.verify(question);
    assert.deepEqual([fault?.fault, fault?.revision], ['removed', revision]);
  });

  test('a checkpoint that names a key that is not there proves nothing, and is counted', async () => {
    const { storage, raw } = reachable(store);
    await using app = await open({ storage, settings: { changesKeptForDays: 2 } });
    const { audit, services } = app.controller.api;
    const write = (name: string) => services.create({ body: { name, encryptionRequired: true } });
    for (const name of ['a', 'b']) await write(name);
    app.clock.advance('1d');
    await write('c');
    const checkpoints = async () => (await app.rows('change')).filter(({ entity }) => entity === 'logCheckpoint').length;
    // The clock waits for the job, which would otherwise write further checkpoints.
    let polls = 0;
    await until(async () => {
      if (polls++ % 50 === 0) app.clock.advance('1h');
      return (await checkpoints()) > 0;
    });
    assert.equal(await checkpoints(), 1);
    assert.partialDeepStrictEqual(await audit.verify(), { isIntact: true, unproved: 0 });
    const [checkpoint] = (await app.rows('change')).filter(({ entity }) => entity === 'logCheckpoint');
    const { proof: sealed } = (checkpoint ?? assert.fail())['after'] as { readonly proof: string }; // of a checkpoint
    // Somebody who has only the database rewrites a record, all hashes, and the seal that disagrees.
    const forged = await raw(async (tx) => {
      let previousHash: unknown;
      let proofs = 0;
      const rows = await tx.list('change', { where: { op: 'all' } });
      for (const row of rows.toSorted((a, b) => a.version - b.version)) {
        const after = row.after as { readonly proof?: string } | null; // an entity, or nothing
        if (after?.proof) proofs++;
        const rewritten = {
          ...row,
          ...(previousHash === undefined ? { actor: 'nobody' } : { previousHash }),
          ...(after?.proof ? { after: { ...after, proof: after.proof.replace(/\.[0-9a-f]{8}\./, '.00000000.') } } : {}),
        };
        previousHash = hashOfRecord(rewritten);
        await tx.update('change', { ...rewritten, hash: previousHash }, row.version);
      }
      return proofs;
    });
    assert.equal(forged, 1);
    assert.equal((await audit.verify()).unproved, forged);
    // A seal under a key that is there cannot be one that was lost.
    await raw(async (tx) => {
      const row = (await tx.list('change', { where: { op: 'all' } })).find(({ entity }) => entity === 'logCheckpoint') ?? assert.fail();
      const { proof, ...rest } = row.after as { readonly proof: string }; // of a checkpoint
      const broken = { ...row, after: { ...rest, proof: `${sealed.slice(0, -6)}AAAAAA` } };
      assert.notEqual(proof, sealed);
      await tx.update('change', { ...broken, hash: hashOfRecord(broken) }, row.version);
    });
    assert.equal((await audit.verify()).fault?.fault, 'changed');
  });

  test('one that its time did not suffice for is continued from the record it ended with, which is checked with what follows', async () => {
    let isSlow = false;
    const storage = spiedStorage(newStorage(store), (method, [about]) => {
      if (isSlow && method === 'list' && about === 'change') app.clock.advance('61s');
    });
    await using app = await open({ storage });
    const { audit, services } = app.controller.api;
    for (let i = 0; i < 10; i++) await services.create({ body: { name: `s${i}`, encryptionRequired: true } });
    isSlow = true;
    const interrupted = (await app.request('GET', '/edge/management/extensions/v1/audit/verify')).body.data;
    isSlow = false;
    assert.partialDeepStrictEqual(interrupted, { isIntact: true, fault: null, oldest: 1, newest: interrupted.next });
    const { newest } = await audit.verify();
    assert.ok(interrupted.next < (newest ?? 0), `${interrupted.next} of ${newest}`);
    const rest = await audit.verify({ from: interrupted.next });
    assert.partialDeepStrictEqual(rest, { isIntact: true, next: null, oldest: interrupted.next, newest });
    await app.tamper(async (tx) => {
      const row = (await tx.get('change', changeId(interrupted.next))) ?? assert.fail();
      const forged = { ...row, actor: 'forged' };
      await tx.update('change', { ...forged, hash: hashOfRecord(forged) }, row.version);
    });
    const { fault } = await audit.verify({ from: interrupted.next });
    assert.deepEqual([fault?.fault, fault?.revision], ['changed', interrupted.next]);
  });

  test('retention that drops records while it is under way removes nothing that should be there', async () => {
    await using app = await open({ settings: { changesKept: 40 } });
    const { audit, services } = app.controller.api;
    const writeMany = async () => {
      for (let i = 0; i < 200; i++) await services.create({ body: { name: crypto.randomUUID(), encryptionRequired: true } });
    };
    await writeMany();
    const writing = writeMany();
    for (let i = 0; i < 5; i++) assert.deepEqual((await audit.verify()).fault, null);
    await writing;
  });

  test('takes a revision with its hash only, and the hash of the first record that is kept', async () => {
    await using app = await open();
    const { audit } = app.controller.api;
    const { revision, hash } = await audit.head();
    for (const half of [{ revision }, { hash }]) await assert.rejects(audit.verify(half), { code: 'COULD_NOT_VALIDATE' });
    assert.equal((await audit.verify({ revision, hash })).isIntact, true);
  });

  test('large records are read a few at a time', async () => {
    const { storage, asked } = overheard(store);
    await using app = await open({ storage });
    const [{ id: configTypeId } = { id: '' }] = (await app.controller.api.configTypes.list()).data;
    await app.inStore('write', async (entities) => {
      for (let i = 0; i < 40; i++) await entities.insert(config, { name: `large ${i}`, configTypeId, data: { text: 'x'.repeat(200_000) } });
    });
    const { newest } = await app.controller.api.audit.verify();
    asked.length = 0;
    assert.equal((await app.controller.api.audit.verify({ from: (newest ?? 0) - 39 })).records, 40);
    assert.ok(Math.max(...asked.map(({ limit = Infinity }) => limit)) <= 10);
  });
});
