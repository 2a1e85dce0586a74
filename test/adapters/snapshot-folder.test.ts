import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { snapshotFolder } from '../../adapters/platform/node.ts';
import { temporaryFolder } from '../examples/child.ts';

async function* parts(...texts: readonly (string | Error)[]) {
  for (const text of texts) {
    if (text instanceof Error) throw text;
    yield text;
  }
}

test('a snapshot is a file of its name, for the eyes of its owner, in a folder that is made when it is needed', async (t) => {
  const folder = join(temporaryFolder(t), 'deep', 'snapshots');
  await snapshotFolder(folder).save('20261121-100000-x', parts('a\n', 'é😀\n', ''));
  assert.deepEqual(readdirSync(folder), ['20261121-100000-x.ndjson']);
  const file = join(folder, '20261121-100000-x.ndjson');
  assert.equal(readFileSync(file, 'utf8'), 'a\né😀\n');
  assert.deepEqual([statSync(file).mode & 0o777, statSync(folder).mode & 0o777], [0o600, 0o700]);
});

test('of a snapshot that fails nothing is left, and another of the name may follow', async (t) => {
  const folder = temporaryFolder(t);
  const sink = snapshotFolder(folder);
  await assert.rejects(sink.save('x', parts('a\n', new Error('the store is gone'))), /the store is gone/);
  assert.deepEqual(readdirSync(folder), []);
  await sink.save('x', parts('a\n'));
  assert.deepEqual(readdirSync(folder), ['x.ndjson']);
});

test('a folder that cannot be written is the error that is reported', async (t) => {
  const folder = temporaryFolder(t);
  await snapshotFolder(folder).save('x', parts('a'));
  await assert.rejects(snapshotFolder(join(folder, 'x.ndjson')).save('y', parts('a')), /EEXIST|ENOTDIR/);
});
