import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { root } from '../../docs/documents.ts';
import { needsPostgres, newSchema } from '../../support/postgres.ts';

for (const example of ['drizzle-postgres', 'prisma-postgres'])
  test(`examples/${example}.ts commits a customer with its identity, and rolls both back together`, needsPostgres, async () => {
    await using place = await newSchema();
    const env = { ...process.env, DATABASE_URL: place.connectionString };
    const said = execFileSync(process.execPath, [`examples/${example}.ts`], { cwd: root, encoding: 'utf8', env });
    const lines = said.split('\n');
    assert.ok(lines.includes('refused'), said);
    assert.ok(lines.includes('identities: ann; customers: 1'), said);
  });
