/** What the types of the package cost those who import it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { blocks, blockWith } from '../docs/documents.ts';
import { install, root, runNode } from './pack.ts';

/** Instantiations of types at most: the same on every machine, unlike time. A little more than there are; raise a bound knowingly. */
const CONSUMERS: Readonly<Record<string, readonly [code: string, bound: number]>> = {
  'the embedding of the README': [blockWith('README.md', 'ts', 'memoryStorage'), 3200],
  'the client of the README': [blockWith('README.md', 'ts', 'createClient'), 426],
  'a page of code that uses ten groups of operations': [blocks('docs/guides/posture.md', 'ts').join('\n'), 200],
};

for (const [consumer, [code, bound]] of Object.entries(CONSUMERS)) {
  test(`types are checked for ${consumer} with ${bound.toLocaleString('en')} instantiations at most`, (t) => {
    const app = install(t, ['@types/node']);
    writeFileSync(join(app, 'main.mts'), code);
    const compilerOptions = { strict: true, module: 'nodenext', target: 'es2024', noEmit: true, skipLibCheck: true, types: ['node'] };
    writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.mts'] }));
    const said = runNode(app, join(root, 'node_modules/typescript/bin/tsc'), '-p', '.', '--extendedDiagnostics');
    const told = (label: string) => new RegExp(`^${label}: +(\\S+)`, 'm').exec(said)?.[1] ?? '';
    t.diagnostic(
      ['Files', 'Types', 'Instantiations', 'Memory used', 'Check time', 'Total time'].map((label) => `${label} ${told(label)}`).join(', '),
    );
    assert.ok(Number(told('Instantiations')) <= bound, told('Instantiations'));
  });
}
