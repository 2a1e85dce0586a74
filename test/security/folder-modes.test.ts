import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServer, temporaryFolder } from '../examples/child.ts';

const modeOf = (file: string) => (statSync(file).mode & 0o7777).toString(8);
const onPosix = { skip: process.platform === 'win32' && 'no file modes' };

test(
  'a server changes the mode of no folder that it finds, and lets nobody else read the files that it keeps there',
  onPosix,
  async (t) => {
    const shared = join(temporaryFolder(t), 'shared');
    mkdirSync(join(shared, 'pki'), { recursive: true });
    mkdirSync(join(shared, 'snapshots'));
    chmodSync(shared, 0o1777);
    chmodSync(join(shared, 'pki'), 0o755);
    chmodSync(join(shared, 'snapshots'), 0o750);
    // A database that was left for others to read.
    writeFileSync(join(shared, 'x.db'), '');
    chmodSync(join(shared, 'x.db'), 0o644);

    const server = await startServer(t, temporaryFolder(t), ['--storage', `sqlite:${join(shared, 'x.db')}`]);
    const token = await server.login(server.told('password') ?? '');
    assert.equal((await server.request('POST', '/database/snapshot', { token })).status, 200);
    const folders = Object.fromEntries(['', 'pki', 'snapshots'].map((folder) => [folder, modeOf(join(shared, folder))]));
    assert.deepEqual(folders, { '': '1777', pki: '755', snapshots: '750' });

    const files = readdirSync(shared, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter((entry) => entry.isFile());
    assert.ok(files.length >= 7, files.map(({ name }) => name).join());
    for (const { parentPath, name } of files)
      assert.equal(
        modeOf(join(parentPath, name)),
        name === 'root-ca.pem' ? '644' : '600',
        `${name}: what all may read is the root's certificate`,
      );
  },
);

test('the folders that it makes are its owner’s only', onPosix, async (t) => {
  const shared = temporaryFolder(t);
  chmodSync(shared, 0o755);
  const folder = join(shared, 'a', 'b');
  await startServer(t, temporaryFolder(t), ['--storage', `sqlite:${join(folder, 'x.db')}`]);
  const made = [join(shared, 'a'), folder, join(folder, 'pki')];
  assert.deepEqual(made.map(modeOf), ['700', '700', '700']);
  assert.equal(modeOf(shared), '755');
});
