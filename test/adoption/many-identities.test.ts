import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeFormerNetwork } from '../support/former-network/index.ts';
import { temporaryFolder } from '../support/former-network/reading.ts';

const path = join(temporaryFolder(), 'ctrl.db');
const program = join(import.meta.dirname, '../support/former-network/read-in-process.ts');

const MANY = 100_000;

function* identities() {
  for (let i = 0; i < MANY; i++)
    yield {
      id: `id${String(i).padStart(6, '0')}`,
      name: `identity ${i}`,
      type: 'Default',
      roleAttributes: ['all', `group-${i % 100}`],
      tags: { number: i },
      appData: { floor: i % 10, doors: ['a', 'b'] },
    };
}

function* authenticators() {
  const certPem = `-----BEGIN CERTIFICATE-----\n${'A'.repeat(1000)}\n-----END CERTIFICATE-----\n`;
  for (let i = 0; i < MANY; i++) {
    const number = String(i).padStart(6, '0');
    yield { id: `au${number}`, method: 'cert', identity: `id${number}`, certFingerprint: number.repeat(7).slice(0, 40), certPem };
  }
}

test(`${MANY} identities with their authenticators are read in at most 256 MiB of memory`, (t) => {
  writeFormerNetwork(path, { identities: identities(), authenticators: authenticators() });
  const output = execFileSync(process.execPath, [program, path], { encoding: 'utf8' });
  t.diagnostic(output.trim());
  const { read, counted, mebibytes }: { readonly read: number; readonly counted: number; readonly mebibytes: number } = JSON.parse(output);
  assert.deepEqual([read, counted], [2 * MANY, 2 * MANY]);
  assert.ok(mebibytes <= 256, `${mebibytes} MiB`);
});
