import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { singlePage } from '../../server/single-page.ts';
import { temporaryFolder } from '../examples/child.ts';
import { textOf } from '../support/static-files.ts';

const SECRET = 'only the operator may read this';

test('a link in the folder of an application leads to no hidden file, and to nothing in a hidden folder', {
  skip: process.platform === 'win32' && 'links need a right of their own',
}, async (t) => {
  const folder = join(temporaryFolder(t), '.build'); // how the folder itself is called does not matter
  mkdirSync(join(folder, '.git/objects'), { recursive: true });
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), 'the index');
  writeFileSync(join(folder, 'assets/logo.svg'), '<svg/>');
  for (const file of ['.env', '.git/config', '.git/objects/pack', 'assets/.htpasswd']) writeFileSync(join(folder, file), SECRET);
  const links = {
    'env.txt': '.env',
    'config.js': '.git/config',
    repository: '.git',
    objects: '.git/objects',
    'assets/passwords.txt': 'assets/.htpasswd',
    'twice.txt': 'env.txt',
    here: '',
    'shown.svg': 'assets/logo.svg',
  };
  for (const [link, target] of Object.entries(links)) symlinkSync(join(folder, target), join(folder, link));
  const route = await singlePage({ path: '/zac', folder });
  const ask = async (path: string) => {
    const answer = await route({ method: 'GET', target: `/zac/${path}`, header: () => undefined, body: async () => new Uint8Array() });
    assert.ok(answer, path);
    return { status: answer.status, text: await textOf(answer.body) };
  };

  const paths = [
    'env.txt',
    'config.js',
    'repository/config',
    'repository/objects/pack',
    'objects/pack',
    'assets/passwords.txt',
    'twice.txt',
    'here/env.txt',
    'here/here/repository/config',
  ];
  for (const path of paths) {
    const { status, text } = await ask(path);
    assert.deepEqual([path, status, text.includes(SECRET)], [path, 404, false]);
  }
  for (const path of ['shown.svg', 'here/shown.svg', 'here/assets/logo.svg'])
    assert.deepEqual(await ask(path), { status: 200, text: '<svg/>' });
});
