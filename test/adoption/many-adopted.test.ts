import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sqliteStorage } from '../../adapters/storage/kysely/sqlite/storage.ts';
import { defaultSettings } from '../../src/call/settings.ts';
import { ManagementController } from '../../src/controller/controller.ts';
import { formerAuthority } from '../support/former-in-memory.ts';
import { writeFormerNetwork } from '../support/former-network/index.ts';
import { temporaryFolder } from '../support/former-network/reading.ts';

const folder = temporaryFolder();
const program = join(import.meta.dirname, '../../server/main.ts');

/** Together with their authenticators more than the change log keeps. */
const MANY = 51_000;
/**
 * 200 to 247 were measured, of which a program without a network takes 140. The rest is for garbage that a busy machine collects later; 400
 * were too much.
 */
const MEBIBYTES = 288;
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

const numberOf = (i: number): string => String(i).padStart(6, '0');

function* identities(count: number) {
  for (let i = 0; i < count; i++)
    yield {
      id: `id${numberOf(i)}`,
      name: `identity ${i}`,
      type: 'Default',
      isAdmin: i === 0,
      isDefaultAdmin: i === 0,
      roleAttributes: ['all', `group-${i % 100}`],
      appData: { floor: i % 10, doors: ['a', 'b'] },
    };
}

function* authenticators(count: number) {
  for (let i = 0; i < count; i++)
    yield {
      id: `au${numberOf(i)}`,
      method: 'updb',
      identity: `id${numberOf(i)}`,
      updbUsername: `user-${i}`,
      updbSalt: 'MDEyMzQ1Njc4OQ==',
      updbPassword: 'bm90IHRoZSB0YWcgb2YgYW55IHBhc3N3b3JkISEhISE=',
    };
}

/** Runs the command `adopt`, and watches the memory of its process, in MiB. */
const adopt = async (database: string, storage: string) => {
  const { signer, roots, server = assert.fail('it has a server') } = await formerAuthority();
  const file = (name: string, text: unknown): string => {
    writeFileSync(join(folder, name), String(text), { mode: 0o600 });
    return join(folder, name);
  };
  const pair = (name: string, cert: unknown, key: unknown) => `${file(`${name}.pem`, cert)},${file(`${name}.key`, key)}`;
  const options = {
    database,
    storage,
    signer: pair('signer', signer.certificates, signer.key),
    roots: file('roots.pem', roots),
    server: pair('server', server.cert, server.key),
    address: 'https://controller.example.org:1280',
  };
  const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const env = { ...process.env, SECRET_KEY, NODE_COMPILE_CACHE: join(folder, 'compiled') };
  const child = spawn(process.execPath, [program, 'adopt', ...given], { env });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (out += part));
  let mebibytes = 0;
  const watch = setInterval(() => {
    const [, kibibytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    mebibytes = Math.max(mebibytes, Math.round(Number(kibibytes) / 1024));
  }, 20);
  child.on('exit', () => clearInterval(watch));
  const [code] = await once(child, 'close');
  return { code, out, mebibytes };
};

const isLinux = process.platform === 'linux';

test(`${MANY} identities with their passwords are adopted in at most ${MEBIBYTES} MiB of memory`, {
  skip: !isLinux && 'the memory of another process is read from /proc',
}, async (t) => {
  const adoptOf = (count: number, name: string) => {
    const database = join(folder, `${name}-ctrl.db`);
    writeFormerNetwork(database, { identities: identities(count), authenticators: authenticators(count) });
    return adopt(database, `sqlite:${join(folder, `${name}.db`)}`);
  };
  // The package is JavaScript, but these are sources: this run compiles them, which takes memory.
  assert.equal((await adoptOf(1, 'one')).code, 0);
  const { code, out, mebibytes } = await adoptOf(MANY, 'many');
  const file = join(folder, 'many.db');
  t.diagnostic(`${mebibytes} MiB`);
  assert.equal(code, 0, out);
  assert.ok(mebibytes <= MEBIBYTES, `${mebibytes} MiB`);

  const controller = await ManagementController.open({ storage: sqliteStorage({ file }), secretKey: SECRET_KEY });
  try {
    const { api } = controller;
    const { data } = await api.identities.list({ filter: `name = "identity ${MANY - 1}"` });
    assert.deepEqual(
      data.map(({ id }) => id),
      [`id${numberOf(MANY - 1)}`],
    );
    assert.equal((await api.authenticators.list({ limit: 1 })).pagination.totalCount, MANY);
    // Of the changes before those that the log keeps, none was written.
    const { isIntact, records, oldest, newest } = await api.audit.verify();
    assert.ok(isIntact);
    assert.equal(records, defaultSettings.changesKept);
    assert.ok(newest !== null && newest > 2 * MANY);
    assert.equal(oldest, newest - defaultSettings.changesKept + 1);
  } finally {
    await controller.close();
  }
});
