import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { publint } from 'publint';
import ts from 'typescript';
import { archive, install, manifest, root } from './pack.ts';

test('publint finds nothing to better', async (t) => {
  const bytes = readFileSync(archive());
  const { messages } = await publint({ pack: { tarball: new Uint8Array(bytes).buffer }, strict: true });
  assert.deepEqual(messages, []);
  t.diagnostic(`the archive has ${Math.round(bytes.length / 1024)} KiB`);
});

test('types are found and true, however they are resolved', () => {
  const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [attw, archive(), '--profile', 'esm-only', '--format', 'ascii'], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout + stderr);
});

test('nothing is imported that is not declared, in code or in types', (t) => {
  const dist = join(install(t), 'node_modules/overlay-controller/dist');
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const strange = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(js|d\.ts)$/.test(file))
    .flatMap((file) => importsOf(join(dist, file)).map((specifier) => [file, specifier] as const))
    .filter(([, specifier]) => !specifier.startsWith('.') && !isBuiltin(specifier))
    .filter(([, specifier]) => !declared.some((name) => specifier === name || specifier.startsWith(`${name}/`)));
  assert.deepEqual(strange, []);
});

test('the core imports nothing of Node, nor does what it imports', (t) => {
  const dist = join(install(t), 'node_modules/overlay-controller/dist');
  const seen = new Set<string>();
  const walk = (file: string): readonly string[] => {
    if (seen.has(file)) return [];
    seen.add(file);
    return importsOf(file).flatMap((specifier) => {
      if (specifier.startsWith('.')) return walk(join(dirname(file), specifier));
      return isBuiltin(specifier) ? [`${file} imports ${specifier}`] : [];
    });
  };
  for (const portable of [
    'src/index.js',
    'src/adapter-kit.js',
    'client/index.js',
    'adapters/storage/memory/index.js',
    'adapters/http/fetch.js',
    'adapters/http/hono.js',
    'adapters/http/next.js',
  ])
    assert.deepEqual(walk(join(dist, portable)), [], portable);
});

const importsOf = (file: string): readonly string[] =>
  ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles.map(({ fileName }) => fileName);
