import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openFormerDatabase, readFormerDatabase } from '../../adopt/reader/former-database.ts';
import { FormerDatabaseError } from '../../adopt/reader/former-error.ts';
import { commitFormerNetwork, writeFormerNetwork } from '../support/former-network/index.ts';
import { temporaryFolder } from '../support/former-network/reading.ts';

const folder = temporaryFolder();
const path = join(folder, 'ctrl.db');

const changed = { name: 'FormerDatabaseError', code: 'CHANGED' };

/** Every identity has the number of the transaction as its name. */
const generation = (txid: number) => ({ identities: Array.from({ length: 200 }, (_, i) => ({ id: `id-${i}`, name: `of ${txid}` })) });

/** A running controller: the state of each transaction is written over that of the one before the last. */
const running = () => {
  let txid = 8;
  writeFormerNetwork(path, generation(txid), { txid: BigInt(txid) });
  const half = 200;
  return {
    commit: () => {
      txid++;
      commitFormerNetwork(path, generation(txid), { txid: BigInt(txid), firstPage: txid % 2 ? half : 2 });
    },
    get txid() {
      return txid;
    },
  };
};

test('a database that changes while it is read is read again, and what is read is of one state', async () => {
  const controller = running();
  let reads = 0;
  const names = await readFormerDatabase(path, {}, (database) => {
    const found = new Set<string>();
    for (const { name } of database.entities('identities')) {
      // The first three reads are overtaken: by one transaction, and by several, which write over the pages that are read.
      if (found.size === 1 && reads < 3) for (let i = 0; i <= reads; i++) controller.commit();
      found.add(name);
    }
    reads++;
    return found;
  });
  assert.deepEqual([...names], [`of ${controller.txid}`]);
  assert.ok(reads > 1);
});

test('a database that changes during each of five reads is refused', async () => {
  const controller = running();
  let reads = 0;
  await assert.rejects(
    readFormerDatabase(path, {}, () => {
      reads++;
      controller.commit();
    }),
    { ...changed, message: /was written to while it was read, at each of 5 attempts: .* read a snapshot, .*, or stop the controller$/ },
  );
  assert.equal(reads, 5);
});

test('an error of the reader of an unchanged database is its error, and nothing is read again', async () => {
  running();
  for (const failure of [new Error('of the caller'), new FormerDatabaseError('DAMAGED', 'an element has no place')]) {
    let reads = 0;
    await assert.rejects(
      readFormerDatabase(path, {}, () => {
        reads++;
        throw failure;
      }),
      failure,
    );
    assert.equal(reads, 1);
  }
});

test('a database that was replaced while it was read is noticed', async () => {
  running();
  const database = await openFormerDatabase(path);
  renameSync(path, `${path}.old`);
  assert.throws(() => database.assertUnchanged(), changed);
  writeFormerNetwork(path, generation(9));
  assert.throws(() => database.assertUnchanged(), changed);
  await database.close();
});

test('a gzipped snapshot that is written to while it is read is noticed by its size or by its date', async () => {
  running();
  const zipped = join(folder, 'state.bin');
  for (const write of [
    () => appendFileSync(zipped, 'more'),
    () => {
      const { atime, mtime } = statSync(zipped);
      appendFileSync(zipped, 'more');
      utimesSync(zipped, atime, mtime);
    },
    () => utimesSync(zipped, 1, 1),
  ]) {
    writeFileSync(zipped, gzipSync(readFileSync(path)));
    // Without fractions of a millisecond, which a date that is set again would lose.
    utimesSync(zipped, 1000, 1000);
    const database = await openFormerDatabase(zipped);
    database.assertUnchanged();
    write();
    assert.throws(() => database.assertUnchanged(), changed);
    await database.close();
  }
});

test('nothing of a database is changed by reading it', async () => {
  running();
  const before = [readFileSync(path), statSync(path).mtimeMs] as const;
  await readFormerDatabase(path, {}, (database) => [...database.entities('identities')]);
  assert.deepEqual([readFileSync(path), statSync(path).mtimeMs], before);
});

const canLock = process.platform === 'linux' && spawnSync('flock', ['--version']).status === 0;

test('a database that its owner has open is refused with the owner, except for a plan', {
  skip: canLock ? false : 'needs Linux and flock',
}, async () => {
  running();
  const early = await openFormerDatabase(path);
  // As bbolt does: an advisory lock for as long as the file is open.
  const owner = spawn('flock', ['--exclusive', '--close', path, 'sh', '-c', 'echo locked; cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(owner.stdout, 'data');
  try {
    await assert.rejects(openFormerDatabase(path), (error) => {
      assert.ok(error instanceof FormerDatabaseError);
      assert.equal(error.code, 'IN_USE');
      assert.match(error.message, new RegExp(`^process ${owner.pid} has `));
      return true;
    });
    assert.throws(() => early.assertUnchanged(), { code: 'IN_USE' }, 'also if it was started meanwhile');
    assert.equal(await readFormerDatabase(path, { whileInUse: true }, (database) => database.counts().get('identities')), 200);
  } finally {
    owner.stdin.end();
    await once(owner, 'exit');
    await early.close();
  }
  assert.equal(await readFormerDatabase(path, {}, (database) => database.counts().get('identities')), 200);
});
