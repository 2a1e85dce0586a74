/** `npm run check:package`, after `npm run build`: not among the tests, which need no build. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { blocks, blockWith, decorating, documents, filesOf } from '../docs/documents.ts';
import { install, manifest, root, run, runNode } from './pack.ts';

/** The entry points that are nothing without an optional peer: they are made for it. */
const MADE_FOR: Readonly<Record<string, string>> = {
  'overlay-controller/storage/drizzle': 'drizzle-orm',
  'overlay-controller/opentelemetry': '@opentelemetry/api',
  'overlay-controller/events/amqp': 'amqplib',
};

const entryPoints = Object.keys(manifest.exports)
  .filter((name) => !name.endsWith('.json'))
  .map((name) => name.replace('.', 'overlay-controller'))
  .filter((name) => !(name in MADE_FOR));

test('the packed package runs and type-checks for those who install it, without its optional peers', (t) => {
  const app = install(t, ['@types/node']);
  const imports = entryPoints.map((name) => `await import('${name}');\n`).join('');
  const misuse = '// @ts-expect-error: types reach the installed package\nconst wrong = () => identities.create({ body: { name: 1 } });\n';
  writeFileSync(join(app, 'main.mts'), blockWith('README.md', 'ts', 'memoryStorage') + imports + misuse);
  assert.match(runNode(app, 'main.mts'), /^create ann$/m);
  typeCheck(app);
  typeCheck(app, { lib: ['es2024', 'esnext.disposable'] }); // without the types of browsers, and with all declarations checked
});

test('an entry point that is made for an optional peer names it where it is not installed, and loads where it is', (t) => {
  const loading = (name: string) => `await import('${name}').then(() => console.log('loaded'), (error) => console.log(error.message));\n`;
  for (const [name, peer] of Object.entries(MADE_FOR)) {
    assert.ok(runPeerless(t, loading(name)).includes(`Cannot find package '${peer}'`), name);
    const app = install(t, [peer]);
    writeFileSync(join(app, 'main.mts'), loading(name));
    assert.match(runNode(app, 'main.mts'), /^loaded$/m);
  }
});

test('a Node that is too old gets a message that names the version needed', (t) => {
  const old = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .find(isOld);
  if (!old) return t.skip('no Node older than 22 is in the PATH');
  const app = install(t);
  for (const name of ['overlay-controller', 'overlay-controller/storage/kysely', 'overlay-controller/http/node']) {
    writeFileSync(join(app, 'main.mjs'), `await import('${name}').catch((error) => console.log(error.message));\n`);
    assert.match(run(app, old, 'main.mjs'), /^overlay-controller needs Node 22\.18 or later/, name);
  }
});

const isOld = (path: string): boolean => {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return /^v1?\d\.|^v2[01]\./.test(stdout ?? '');
};

const runPeerless = (t: TestContext, code: string): string => {
  const app = install(t);
  writeFileSync(join(app, 'main.mts'), code);
  return runNode(app, 'main.mts');
};

test('the Express application of the README, and the code of every guide, type-check against the packed package and its peers', (t) => {
  const peers = Object.keys(manifest.peerDependencies).filter((name) => name !== 'koa'); // whose types are for itself
  const nest = ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express'];
  const others = ['@opentelemetry/api-logs', '@types/pg', 'reflect-metadata', '@libsql/client', '@prisma/adapter-libsql', 'openid-client'];
  const app = install(t, ['@types/node', '@types/express', ...others, ...nest, ...peers]);
  writeFileSync(join(app, 'readme.mts'), blockWith('README.md', 'ts', 'expressHandler'));
  for (const guide of documents.filter((file) => file.startsWith('docs/guides/'))) {
    const [name, files] = [basename(guide, '.md'), filesOf(guide)];
    for (const [path, code] of files) {
      mkdirSync(dirname(join(app, name, path)), { recursive: true });
      writeFileSync(join(app, name, path), code);
    }
    const code = blocks(guide, 'ts').join('\n');
    if (files.size === 0) writeFileSync(join(app, `${name}.mts`), `${code}\nexport {};\n`);
  }
  writeFileSync(join(app, 'enroll-device.ts'), blockWith('docs/guides/enrolling-a-device.md', 'typescript', 'export const renew'));
  mkdirSync(join(app, 'generated/prisma'), { recursive: true });
  writeFileSync(join(app, 'generated/prisma/client.ts'), GENERATED);
  typeCheck(app, { skipLibCheck: true }); // the peers' own types are for them to check
});

/** What `prisma generate` writes, as far as guides use it. */
const GENERATED = `import type { PrismaTransaction } from 'overlay-controller/storage/prisma';
export declare class PrismaClient {
  constructor(options: { readonly adapter: unknown });
  $disconnect(): Promise<void>;
  $transaction<T>(work: (transaction: PrismaTransaction) => Promise<T>, options?: { readonly timeout?: number }): Promise<T>;
}
`;

/** How the files of a guide import each other: by path, or by the alias of Next.js. */
const importing = { allowImportingTsExtensions: true, paths: { '@/*': ['./next/*.ts'] } } as const;

const typeCheck = (app: string, options: Readonly<Record<string, boolean | readonly string[]>> = {}): void => {
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    noEmit: true,
    types: ['node'],
    ...decorating,
    ...importing,
    ...options,
  };
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts', '*/**/*.ts'] }));
  writeFileSync(join(app, 'package.json'), JSON.stringify({ type: 'module' }));
  runNode(app, join(root, 'node_modules/typescript/bin/tsc'), '-p', '.');
};

test('the core runs where there is no Node, and no code may be made of text', (t) => {
  const app = install(t);
  copyFileSync(join(root, 'test/package/portable.mjs'), join(app, 'main.mjs'));
  const without = pathToFileURL(join(root, 'test/package/without-node.ts')).href;
  const said = runNode(app, '--disallow-code-generation-from-strings', '--import', without, 'main.mjs');
  assert.match(said, /^found ann\nconfigs 1 COULD_NOT_VALIDATE 22$/m);
  t.diagnostic(/^own code: .*$/m.exec(said)?.[0] ?? '');
});
