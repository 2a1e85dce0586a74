/** `npm run check:deno`, after `npm run build`: the packed core on a runtime that is not Node. */
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { install, root, runNode } from '../pack.ts';

const deno = join(import.meta.dirname, 'node_modules/deno/bin.cjs');

test('the core runs on Deno, which allows it nothing, and where no code may be made of text', (t) => {
  const app = install(t);
  copyFileSync(join(root, 'test/package/portable.mjs'), join(app, 'main.mjs'));
  const flags = ['--node-modules-dir=manual', '--no-prompt', '--v8-flags=--disallow-code-generation-from-strings'];
  assert.match(runNode(app, deno, 'run', ...flags, 'main.mjs'), /^found ann\nconfigs 1 COULD_NOT_VALIDATE 22$/m);
  t.diagnostic(runNode(app, deno, '--version').split('\n')[0] ?? '');
});
