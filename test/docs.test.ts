import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { startServer, temporaryFolder } from './examples/child.ts';

const root = resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const manifest = JSON.parse(read('package.json'));

/** Those written by hand. */
const documents = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.startsWith('api/'))
    .map((file) => join('docs', file)),
];

const blocks = (file: string, language: string): readonly string[] =>
  [...read(file).matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map((match) => match[1] ?? '');

/** The source of what a package name stands for, as examples import it: `overlay-controller/http/node` is `../adapters/http/node.ts`. */
const sourceOf = (specifier: string): string => {
  const target = manifest.exports[specifier.replace(manifest.name, '.')];
  assert.ok(target, `package.json exports no ${specifier}`);
  return target.default.replace('./dist/', '../').replace(/\.js$/, '.ts');
};

/** Code as a reader of the README writes it, as an example of this repository has it. */
const asSource = (code: string): string =>
  code.replace(/'(overlay-controller[^']*)'/g, (_, specifier: string) => `'${sourceOf(specifier)}'`);

/** What a guide says that its code prints: `console.log(x); // the text`. */
const promised = (code: string): readonly string[] => [...code.matchAll(/console\.log\(.*\);? \/\/ (.+)$/gm)].map(([, said = '']) => said);

describe('the code of a guide runs, from top to bottom as one program, and prints what it says', () => {
  for (const file of documents.filter((name) => name.startsWith('docs/guides/'))) {
    const code = blocks(file, 'ts').join('\n');
    if (code === '') continue;
    test(file, (t) => {
      // What is imported is this repository's, wherever the code runs.
      const source = asSource(code)
        .replaceAll("'../", `'${pathToFileURL(root)}/`)
        .replace(/(?<=^import .* from ')(?!node:|file:)[^']+/gm, (name) => import.meta.resolve(name));
      // In a folder of its own, which it may fill.
      const said = execFileSync(process.execPath, ['--input-type=module-typescript', '--eval', source], {
        cwd: temporaryFolder(t),
        encoding: 'utf8',
      });
      const lines = said.split('\n');
      for (const text of promised(code)) {
        const at = lines.indexOf(text);
        assert.notEqual(at, -1, `it does not print '${text}' where it says so, but: ${said}`);
        lines.splice(0, at + 1);
      }
    });
  }
});

test('the embedding in the README is examples/embed.ts, and runs', () => {
  const [embedding = ''] = blocks('README.md', 'ts');
  assert.equal(asSource(embedding), read('examples/embed.ts'));
  const said = execFileSync(process.execPath, ['examples/embed.ts'], { cwd: root, encoding: 'utf8' });
  assert.match(said, /^create ann\ncreate printer\n\w{22} ann \[ 'sales' \]\n$/);
});

test('the commands of the guide to backups take a snapshot, and restore it into a server of its own', {
  skip: spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed',
}, async (t) => {
  const folder = temporaryFolder(t);
  const [calls = '', restoring = ''] = blocks('docs/guides/backup.md', 'sh');
  const server = await startServer(t, folder, [], { ADMIN_PASSWORD: 'a-good-password' });
  const token = await server.login('a-good-password');
  const api = `${server.url}/edge/management/v1`;
  const said = execFileSync('sh', ['-c', calls], { cwd: folder, encoding: 'utf8', env: { ...process.env, token, api, no_proxy: '*' } });
  assert.deepEqual(
    said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).data),
    [{}, {}],
  );
  await server.stop();

  const [snapshot = ''] = readdirSync(join(folder, 'data/snapshots'));
  const [program, script, ...args] = restoring
    .trim()
    .replace(/\S+example\.ndjson/, `data/snapshots/${snapshot}`)
    .split(' ')
    .slice(1);
  assert.deepEqual([program, script, args.shift()], ['run', 'restore', '--']);
  const restore = () => spawnSync(process.execPath, [join(root, 'scripts/restore.ts'), ...args], { cwd: folder, encoding: 'utf8' });
  const { stdout, stderr, status } = restore();
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^restored \d+ rows of 20\S+, revision \d+, into sqlite:restored\/controller\.db\n$/);
  const again = restore();
  assert.deepEqual([again.status, again.stdout], [1, '']);
  assert.match(again.stderr, /^error: a snapshot is restored into an empty store only/);

  copyFileSync(join(folder, 'data/secret.key'), join(folder, 'restored/secret.key'));
  const restored = await startServer(t, folder, ['--storage', 'sqlite:restored/controller.db']);
  assert.equal((await restored.request('GET', '/current-identity', { token })).status, 200, 'the session of before goes on');
  await restored.login('a-good-password');
});

test('the client in the README is examples/client.ts, and reaches a server', async (t) => {
  const [, client = ''] = blocks('README.md', 'ts');
  assert.equal(asSource(client), read('examples/client.ts'));
  const folder = temporaryFolder(t);
  const server = await startServer(t, folder);
  const said = execFileSync(process.execPath, ['examples/client.ts'], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...process.env,
      CONTROLLER_URL: server.url,
      ADMIN_PASSWORD: server.told('password') ?? '',
      NODE_EXTRA_CA_CERTS: server.told('root certificate') ?? '',
    },
  });
  assert.match(said, /^ann false$/m);
  assert.match(said, /^Default Admin true$/m);
});

test('the commands of the README log in, create an identity, and find it again after a restart', {
  skip: spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed',
}, async (t) => {
  const folder = temporaryFolder(t);
  const [calls = '', again = ''] = blocks('README.md', 'sh').filter((block) => block.includes('call '));
  const run = (script: string, port: string, password: string) =>
    execFileSync('sh', ['-c', script.replaceAll('1280', port)], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ADMIN_PASSWORD: password, no_proxy: '*' },
    })
      .trim()
      .split('\n');

  const first = await startServer(t, folder);
  const { port } = new URL(first.url);
  const password = first.told('password') ?? '';
  const [created = '', found = ''] = run(calls, port, password);
  const { id } = JSON.parse(created).data;
  assert.deepEqual(
    JSON.parse(found).data.map((identity: { id: string }) => identity.id),
    [id],
  );
  await first.stop();

  await startServer(t, folder, ['--port', port]);
  const definitions = calls
    .split('\n')
    .filter((line) => !line.startsWith('call '))
    .join('\n');
  const [still = ''] = run(`${definitions}\n${again}`, port, password);
  assert.equal(JSON.parse(still).data[0].id, id);
});

describe('links', () => {
  for (const file of documents) {
    test(`of ${file} lead to files that exist`, () => {
      const links = [...read(file).matchAll(/\]\(([^)\s]+)\)/g)]
        .map((match) => match[1] ?? '')
        .filter((link) => !/^(https?:|#)/.test(link));
      const dead = links.filter((link) => !existsSync(join(root, dirname(file), link.replace(/#.*/, ''))));
      assert.deepEqual(dead, []);
    });
  }
});

test('paths that documents name in code exist', () => {
  const named = documents.flatMap((file) =>
    [...read(file).matchAll(/`((?:src|adapters|examples|test|docs|scripts|bench)\/[\w./-]*)`/g)].map(
      (match) => [file, match[1] ?? ''] as const,
    ),
  );
  // What is generated and not committed need not be there.
  const dead = named.filter(([, path]) => path !== 'docs/api/' && !existsSync(join(root, path)));
  assert.deepEqual(dead, []);
});

test('every script that documents name exists', () => {
  const builtin = ['ci', 'cit', 'install'];
  const named = documents.flatMap((file) =>
    [...read(file).matchAll(/`(?:\w+=\w+ )?npm (?:run )?([\w:]+)/g)].map((match) => match[1] ?? ''),
  );
  assert.deepEqual(
    named.filter((name) => !builtin.includes(name) && !(name in manifest.scripts)),
    [],
  );
});

test('every entry point of the package has its source', () => {
  const targets = Object.entries<string | { default: string; types: string }>(manifest.exports).filter(
    ([name]) => name !== './package.json',
  );
  for (const [name, target] of targets) {
    assert.ok(typeof target === 'object' && target.types === target.default.replace(/\.js$/, '.d.ts'), name);
    assert.ok(existsSync(join(root, 'examples', sourceOf(name.replace('.', manifest.name)))), name);
  }
});
