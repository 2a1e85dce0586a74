import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { FormerJson } from '../../adopt/reader/fields/field.ts';
import { openFormerDatabase } from '../../adopt/reader/former-database.ts';
import { FormerDatabaseError } from '../../adopt/reader/former-error.ts';
import { writeBoltFile } from '../support/former-network/bolt-writer.ts';
import { FORMER_DATE, type FormerNetworkOptions, writeFormerNetwork } from '../support/former-network/index.ts';
import { readAll, temporaryFolder } from '../support/former-network/reading.ts';
import { int64Value, LIST_SIZE_KEY, textValue } from '../support/former-network/values.ts';

const folder = temporaryFolder();
const path = join(folder, 'ctrl.db');

const entities = {
  identities: [
    { id: 'b.-c', name: 'Zoë\0\uFEFF', roleAttributes: ['x', 'y'] },
    { id: 'a', name: 'first' },
  ],
  configs: [{ id: 'c', name: 'c', type: 't', data: { ['__proto__']: 1, list: [], nested: { empty: {} } } }],
};

const write = (options?: FormerNetworkOptions): void => writeFormerNetwork(path, entities, options);

const refusal =
  (code: string, message: RegExp) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof FormerDatabaseError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  };

test('entities have their fields, and defaults where the database has none', async () => {
  write();
  const database = await openFormerDatabase(path);
  assert.deepEqual(
    [...database.entities('identities')].map(({ id, name, roleAttributes, createdAt }) => ({ id, name, roleAttributes, createdAt })),
    [
      { id: 'a', name: 'first', roleAttributes: [], createdAt: FORMER_DATE },
      { id: 'b.-c', name: 'Zoë\0\uFEFF', roleAttributes: ['x', 'y'], createdAt: FORMER_DATE },
    ],
  );
  const identity = database.entity('identities', 'a');
  assert.equal(identity?.authPolicyId, 'default');
  assert.equal(identity?.externalId, null);
  assert.deepEqual(identity?.serviceConfigs, new Map());
  const data = database.entity('configs', 'c')?.data ?? {};
  assert.deepEqual(Object.keys(data).sort(), ['__proto__', 'list', 'nested']);
  assert.deepEqual(data['list'], []);
  assert.deepEqual(data['nested'], { empty: {} });
  assert.deepEqual([...database.entities('routers')], [], 'a bucket that is not there has no entities');
  await database.close();
});

test('a time that is none is null, and a key may be named as that of the length of lists', async () => {
  const none = new Date('0001-01-01T00:00:00Z');
  writeFormerNetwork(
    path,
    {
      revocations: [{ id: 'r', expiresAt: none, issuedBefore: none }],
      configs: [{ id: 'c', name: 'c', type: 't', data: { [LIST_SIZE_KEY]: 3, list: [[], {}, null] } }],
    },
    { is20: true },
  );
  const database = await openFormerDatabase(path);
  const { expiresAt, issuedBefore } = database.entity('revocations', 'r') ?? assert.fail('it is there');
  assert.deepEqual([expiresAt, issuedBefore], [none, null]);
  assert.deepEqual(database.entity('configs', 'c')?.data, { [LIST_SIZE_KEY]: 3, list: [[], {}, null] });
  await database.close();
});

test('an entity is found by its id in a deep tree, and an id before, between or after all others is not', async () => {
  const ids = Array.from({ length: 200 }, (_, i) => `i${String(i * 2).padStart(3, '0')}`);
  writeFormerNetwork(path, { identities: ids.map((id) => ({ id, name: id })) }, { pageSize: 1024, fan: 2, perLeaf: 2 });
  const database = await openFormerDatabase(path);
  for (const id of ids) assert.equal(database.entity('identities', id)?.name, id);
  for (const id of ['', 'i', 'i001', 'i397', 'i399', 'j']) assert.equal(database.entity('identities', id), undefined);
  await database.close();
});

test('what the database has and the reader does not know is named, and times are moments, whatever their offset', async () => {
  writeBoltFile(path, [
    {
      key: Buffer.from('ziti'),
      bucket: [
        { key: Buffer.from('configTypes'), bucket: [{ key: Buffer.from('t'), bucket: oddConfigType }] },
        { key: Buffer.from('versions'), bucket: [{ key: Buffer.from('edge'), value: int64Value(44) }] },
      ],
    },
  ]);
  const database = await openFormerDatabase(path);
  const { createdAt, updatedAt, unknown } = database.entity('configTypes', 't') ?? assert.fail('it is there');
  assert.deepEqual([createdAt, updatedAt], [new Date('2001-09-09T01:46:40.123Z'), new Date('2001-09-09T01:46:40.123Z')]);
  assert.deepEqual(unknown, ['odd']);
  await database.close();
});

/** 10^9 seconds after 1970 and 123,999,999 ns: with an offset of an hour, and with one of an hour and 17 seconds. */
const moment = '0000000eb32cc100076416ff';
const oddConfigType = [
  { key: Buffer.from('createdAt'), value: Buffer.from(`0601${moment}003c`, 'hex') },
  { key: Buffer.from('name'), value: textValue('t') },
  { key: Buffer.from('odd'), value: textValue('x') },
  { key: Buffer.from('updatedAt'), value: Buffer.from(`0602${moment}003c11`, 'hex') },
];

describe('of one network', () => {
  for (const [what, options] of Object.entries({
    'a large page': { pageSize: 16_384 },
    'the largest page': { pageSize: 65_536 },
    'the smallest page': { pageSize: 1024 },
  }))
    test(`a file with ${what} is read`, async () => {
      write();
      const expected = await readAll(path);
      write(options);
      assert.deepEqual(await readAll(path), expected);
    });

  for (const pageSize of [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536])
    test(`a file with pages of ${pageSize} bytes is read by its second meta page if the first is damaged, and refused if both are`, async () => {
      // The first meta page has the newer transaction.
      write({ pageSize, txid: 8n });
      const expected = await readAll(path);
      const file = readFileSync(path);
      file.writeUInt8(file.readUInt8(40) ^ 1, 40);
      writeFileSync(path, file);
      assert.deepEqual(await readAll(path), expected);
      file.writeUInt8(file.readUInt8(pageSize + 40) ^ 1, pageSize + 40);
      writeFileSync(path, file);
      await assert.rejects(readAll(path), refusal('NOT_A_DATABASE', /neither of its two meta pages is valid/));
    });

  test('a snapshot is known as such', async () => {
    write({ isSnapshot: true });
    const database = await openFormerDatabase(path);
    assert.equal(database.isSnapshot, true);
    assert.equal(database.isCluster, false);
    await database.close();
  });

  test('a member of a cluster names all members', async () => {
    const members = [
      { id: 'ctrl1', address: 'tls:c1.example:6262', isVoter: true },
      { id: 'ctrl2', address: 'tls:c2.example:6262', isVoter: false },
    ];
    write({ members });
    const database = await openFormerDatabase(path);
    assert.equal(database.isCluster, true);
    assert.deepEqual(database.members, members);
    assert.equal(database.isSnapshot, false);
    await database.close();
  });
});

describe('a gzipped snapshot', () => {
  const zipped = join(folder, 'state.bin');
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);

  test('is read from a temporary file that nobody else can read, and that is gone when it is closed', async () => {
    write();
    const expected = await readAll(path);
    writeFileSync(zipped, gzipSync(readFileSync(path)));
    assert.deepEqual(await readAll(zipped), expected);
    const database = await openFormerDatabase(zipped, { temporaryFolder: temporary });
    assert.equal(database.isSnapshot, true);
    for (const left of readdirSync(temporary)) assert.equal(statSync(join(temporary, left)).mode & 0o077, 0);
    await database.close();
    assert.deepEqual(readdirSync(temporary), []);
  });

  test('has no name while it is expanded, so that a process that ends then leaves nothing behind', async () => {
    writeFileSync(zipped, gzipSync(Buffer.alloc(2 ** 26)));
    let isOpening = true;
    const opening = openFormerDatabase(zipped, { temporaryFolder: temporary }).catch(() => (isOpening = false));
    let largest = 0;
    for (; isOpening; await setImmediate())
      for (const left of readdirSync(temporary))
        largest = Math.max(largest, statSync(join(temporary, left, 'database'), { throwIfNoEntry: false })?.size ?? 0);
    await opening;
    assert.equal(largest, 0);
  });

  test('is refused if it expands beyond the bound, is cut, or is not a database, and leaves nothing behind', async () => {
    const options = { temporaryFolder: temporary, maxBytes: 100_000 };
    writeFileSync(zipped, gzipSync(Buffer.alloc(100_001)));
    await assert.rejects(openFormerDatabase(zipped, options), refusal('TOO_LARGE', /expands to more than 100000 bytes/));
    writeFileSync(zipped, gzipSync(Buffer.alloc(50_000, 'abc')).subarray(0, 60));
    await assert.rejects(openFormerDatabase(zipped, options), refusal('DAMAGED', /gzipped file is damaged or cut/));
    writeFileSync(zipped, gzipSync(Buffer.alloc(50_000)));
    await assert.rejects(openFormerDatabase(zipped, options), refusal('NOT_A_DATABASE', /meta pages/));
    assert.deepEqual(readdirSync(temporary), []);
  });
});

describe('is refused, and it is said why:', () => {
  for (const [schemaVersion, message] of [
    [37, /schema version 37, and versions 38 to 44 can be read: start the former controller once at release 1.7.2 or 2.0/],
    [45, /schema version 45, and versions 38 to 44 can be read: it was written by a release later than 2.0, which cannot be downgraded/],
  ] as const)
    test(`a database of schema version ${schemaVersion}`, async () => {
      write({ schemaVersion });
      await assert.rejects(openFormerDatabase(path), refusal('SCHEMA_UNSUPPORTED', message));
    });

  test('the log of a member of a cluster, and another database', async () => {
    writeBoltFile(path, [
      { key: Buffer.from('conf'), bucket: [] },
      { key: Buffer.from('logs'), bucket: [] },
    ]);
    await assert.rejects(openFormerDatabase(path), refusal('NOT_A_NETWORK', /ctrl-ha\.db/));
    writeBoltFile(path, []);
    await assert.rejects(openFormerDatabase(path), refusal('NOT_A_NETWORK', /no bucket "ziti"/));
  });

  test('an empty file, another file, and a folder', async () => {
    for (const contents of ['', 'x', 'x'.repeat(200_000)]) {
      writeFileSync(path, contents);
      await assert.rejects(openFormerDatabase(path), refusal('NOT_A_DATABASE', /not a bbolt database/));
    }
    await assert.rejects(openFormerDatabase(folder), refusal('NOT_A_DATABASE', /is not a file/));
  });

  test('a pipe, without waiting for its writer', { skip: process.platform === 'win32' }, async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await assert.rejects(openFormerDatabase(pipe), refusal('NOT_A_DATABASE', /is not a file/));
  });

  test('a file that is not there, with the error of the file system', async () => {
    await assert.rejects(openFormerDatabase(join(folder, 'nowhere')), { code: 'ENOENT' });
  });
});

test('objects and lists below 500 others are left out, and their field is reported', async () => {
  const nested = (depth: number): FormerJson => (depth === 0 ? 'end' : depth % 2 ? { o: nested(depth - 1) } : [nested(depth - 1)]);
  writeFormerNetwork(path, { configs: [{ id: 'c', name: 'deep', type: 't', data: { a: nested(300), b: nested(600) } }] });
  const database = await openFormerDatabase(path);
  const { data, cut } = database.entity('configs', 'c') ?? assert.fail('it is there');
  await database.close();
  assert.deepEqual(data['a'], nested(300));
  assert.doesNotMatch(JSON.stringify(data['b']), /end/);
  assert.deepEqual(cut, ['data']);
});
