/** What bundlers make of the package for places without Node: that they can, how much it is, and that it runs. */
import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { install, root, runNode } from './pack.ts';

interface Bundle {
  readonly code: Uint8Array;
  /** Paths of the modules whose code is in it. */
  readonly modules: readonly string[];
}

/**
 * As an application does it that imports all of an entry point.
 * @throws when something of Node is imported, which no browser has, unless the application is one for Node
 */
const bundled = async (folder: string, entry: string, platform: 'browser' | 'node' = 'browser'): Promise<Bundle> => {
  // The package hashes passwords with a native module, which no bundle holds.
  const external = platform === 'node' ? ['@node-rs/argon2'] : [];
  const options = { bundle: true, minify: true, format: 'esm', platform, external, target: 'es2024', write: false } as const;
  const { outputFiles, warnings, metafile } = await build({
    ...options,
    absWorkingDir: folder,
    entryPoints: [entry],
    logLevel: 'silent',
    metafile: true,
  });
  assert.deepEqual(warnings, []);
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const modules = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  return { code: outputFiles[0]?.contents ?? new Uint8Array(), modules };
};

/** The packages of bundled modules; the application's own have none. */
const packagesOf = (modules: readonly string[]): ReadonlySet<string> =>
  new Set(modules.flatMap((path) => [...path.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, name = '']) => name).slice(-1)));

const KIB = 1024;

/**
 * Gzipped KiB that each may have: a little more than it has. Raise a bound knowingly. Of the adapters, 5 KiB are the catalog of errors,
 * which the core shares.
 */
const BOUNDS = {
  'overlay-controller': 494,
  'overlay-controller/tenants': 494,
  'overlay-controller/client': 18,
  'overlay-controller/http/fetch': 10,
  'overlay-controller/http/hono': 10,
  'overlay-controller/http/next': 10,
  'overlay-controller/storage/memory': 10,
  'overlay-controller/metrics': 4,
} as const;

/** The same for what needs Node. */
const BOUNDS_ON_NODE = { 'overlay-controller/adoption': 248 } as const;

for (const [name, bound] of Object.entries(BOUNDS_ON_NODE)) {
  test(`${name} is bundled for Node without a controller, and has ${bound} KiB gzipped at most`, async (t) => {
    const app = install(t);
    writeFileSync(join(app, 'main.js'), `export * from '${name}';\n`);
    const { code, modules } = await bundled(app, 'main.js', 'node');
    const gzipped = gzipSync(code).length;
    t.diagnostic(`${Math.round(code.length / KIB)} KiB, ${(gzipped / KIB).toFixed(1)} KiB gzipped`);
    assert.ok(gzipped <= bound * KIB, `${gzipped} bytes`);
    assert.ok(!modules.some((path) => path.endsWith('/src/controller.js')));
  });
}

for (const [name, bound] of Object.entries(BOUNDS)) {
  test(`${name} is bundled without Node, and has ${bound} KiB gzipped at most`, async (t) => {
    const app = install(t);
    writeFileSync(join(app, 'main.js'), `export * from '${name}';\n`);
    const { code } = await bundled(app, 'main.js');
    const gzipped = gzipSync(code).length;
    t.diagnostic(`${Math.round(code.length / KIB)} KiB, ${(gzipped / KIB).toFixed(1)} KiB gzipped`);
    assert.ok(gzipped <= bound * KIB, `${gzipped} bytes`);
  });
}

test('what browsers load has no dependency: the table of operations comes without the rules that need any', async (t) => {
  const app = install(t);
  writeFileSync(join(app, 'main.js'), "export * from 'overlay-controller/client';\n");
  const { modules } = await bundled(app, 'main.js');
  assert.deepEqual([...packagesOf(modules)], ['overlay-controller']);
});

test('JSON Schemas are validated without a compiler of schemas: there is none in the core', async (t) => {
  const app = install(t);
  writeFileSync(join(app, 'main.js'), "export * from 'overlay-controller';\n");
  const packages = packagesOf((await bundled(app, 'main.js')).modules);
  assert.ok(!packages.has('ajv') && !packages.has('ajv-formats'), [...packages].join(', '));
});

test('a bundle of the core refuses a runtime that is too old', async (t) => {
  const app = install(t);
  writeFileSync(join(app, 'main.js'), "import { ManagementController } from 'overlay-controller';\nconsole.log(ManagementController);\n");
  const { code } = await bundled(app, 'main.js');
  assert.match(new TextDecoder().decode(code), /overlay-controller needs Node 22\.18 or later/);
});

test('nothing of the console is in what does not import it, nor is it loaded from there', async (t) => {
  const app = install(t);
  const consoleOf = async (...names: readonly string[]): Promise<readonly string[]> => {
    writeFileSync(join(app, 'main.js'), names.map((name, i) => `export * as _${i} from '${name}';\n`).join(''));
    return (await bundled(app, 'main.js')).modules.filter((path) => path.includes('overlay-controller/dist/console/'));
  };
  assert.deepEqual(await consoleOf(...Object.keys(BOUNDS)), []);
  assert.notDeepEqual(await consoleOf('overlay-controller/console'), []);
});

test('a bundle of the core, with a store and a handler, runs without Node', async (t) => {
  const app = install(t);
  copyFileSync(join(root, 'test/package/portable.mjs'), join(app, 'main.mjs'));
  writeFileSync(join(app, 'bundle.mjs'), (await bundled(app, 'main.mjs')).code);
  const without = pathToFileURL(join(root, 'test/package/without-node.ts')).href;
  assert.match(
    runNode(app, '--disallow-code-generation-from-strings', '--import', without, 'bundle.mjs'),
    /^found ann\nconfigs 1 COULD_NOT_VALIDATE 22$/m,
  );
});
