import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { FormerDatabaseError } from '../../adopt/reader/former-error.ts';
import { type BoltElement, writeBoltFile } from '../support/former-network/bolt-writer.ts';
import { type FormerNetworkOptions, formerTree, type NewFormerEntities, writeFormerNetwork } from '../support/former-network/index.ts';
import { formerNetworks } from '../support/former-network/random.ts';
import { readAll, temporaryFolder } from '../support/former-network/reading.ts';
import { int32Value, LIST_SIZE_KEY, textValue } from '../support/former-network/values.ts';

const path = join(temporaryFolder(), 'ctrl.db');
const PAGE = 1024;

/** Many identities on pages below branches, of which some have pages of their own. */
const identities = Array.from({ length: 40 }, (_, i) => ({
  id: `id-${String(i).padStart(2, '0')}`,
  name: `name ${i}`,
  appData: { a: 'x'.repeat(300) },
}));

const written = (options: FormerNetworkOptions = {}): Buffer => {
  writeFormerNetwork(path, { identities }, { pageSize: PAGE, ...options });
  return readFileSync(path);
};

/** The numbers of pages with these flags. */
const pagesWith = (file: Buffer, flags: number): number[] =>
  Array.from({ length: file.length / PAGE }, (_, id) => id).filter(
    (id) => id > 1 && file.readBigUInt64LE(id * PAGE) === BigInt(id) && file.readUInt16LE(id * PAGE + 8) === flags,
  );

const [BRANCH, LEAF] = [1, 2];

const refused = async (expected: { code: string; message: RegExp; page?: number }): Promise<void> => {
  await assert.rejects(readAll(path), (error) => {
    assert.ok(error instanceof FormerDatabaseError, String(error));
    assert.equal(error.code, expected.code);
    assert.match(error.message, expected.message);
    if (expected.page !== undefined) assert.equal(error.page, expected.page);
    return true;
  });
};

/** Changes the first page with these flags and several elements: `at` is where it begins. */
const spoiled = (flags: number, spoil: (file: Buffer, at: number, id: number) => void): number => {
  const file = written();
  const id = pagesWith(file, flags).find((page) => file.readUInt16LE(page * PAGE + 10) > 1) ?? assert.fail('there is such a page');
  spoil(file, id * PAGE, id);
  writeFileSync(path, file);
  return id;
};

describe('a damaged page is named in one sentence', () => {
  test('if it says that it is another one', async () => {
    const page = spoiled(LEAF, (file, at) => file.writeBigUInt64LE(7777n, at));
    await refused({ code: 'DAMAGED', message: /^page \d+ of the former database: it says that it is page 7777$/, page });
  });

  test('if it is neither branch nor leaf', async () => {
    const page = spoiled(LEAF, (file, at) => file.writeUInt16LE(3, at + 8));
    await refused({ code: 'DAMAGED', message: /its flags are 3/, page });
  });

  test('if it claims more elements than it can have', async () => {
    const page = spoiled(LEAF, (file, at) => file.writeUInt16LE(65_535, at + 10));
    await refused({ code: 'DAMAGED', message: /65535 elements/, page });
  });

  test('if it claims an overflow beyond the last page', async () => {
    const page = spoiled(LEAF, (file, at) => file.writeUInt32LE(0xffff_fffe, at + 12));
    await refused({ code: 'DAMAGED', message: /spans 4294967295 pages/, page });
  });

  for (const [what, offset] of Object.entries({ position: 4, key: 8, value: 12 }))
    test(`if the ${what} of an element is outside of it`, async () => {
      const page = spoiled(LEAF, (file, at) => file.writeUInt32LE(0xffff_ffff, at + 16 + offset));
      await refused({ code: 'DAMAGED', message: /element 0 is not inside it/, page });
    });

  test('if a branch leads to no page', async () => {
    spoiled(BRANCH, (file, at) => file.writeBigUInt64LE(2n ** 63n, at + 24));
    await refused({ code: 'DAMAGED', message: /there is no such page/ });
  });

  test('if a branch leads to itself', async () => {
    const page = spoiled(BRANCH, (file, at, id) => file.writeBigUInt64LE(BigInt(id), at + 24));
    await refused({ code: 'DAMAGED', message: /referenced twice/, page });
  });

  test('if a branch has two ways to one leaf', async () => {
    spoiled(BRANCH, (file, at) => file.writeBigUInt64LE(file.readBigUInt64LE(at + 24), at + 40));
    await refused({ code: 'DAMAGED', message: /referenced twice/ });
  });

  test('if a branch has no elements', async () => {
    const page = spoiled(BRANCH, (file, at) => file.writeUInt16LE(0, at + 10));
    await refused({ code: 'DAMAGED', message: /a branch to nowhere/, page });
  });

  test('if its keys are not in order', async () => {
    const page = spoiled(LEAF, (file, at) => file.fill(0xff, at + 16 + file.readUInt32LE(at + 20), at + 17 + file.readUInt32LE(at + 20)));
    await refused({ code: 'DAMAGED', message: /keys are not in order/, page });
  });
});

describe('a forged file ends in an error', () => {
  const network = (...more: readonly BoltElement[]): void => writeBoltFile(path, formerTree({}, { others: more }), { pageSize: PAGE });
  const identity = (...fields: readonly BoltElement[]): BoltElement => ({
    key: Buffer.from('identities'),
    bucket: [{ key: Buffer.from('a'), bucket: fields }],
  });
  const value = (name: string, bytes: Buffer): BoltElement => ({ key: Buffer.from(name), value: bytes });

  test('if buckets are in themselves', async () => {
    // The bucket of appData is described by its own root page: it is in itself.
    const file = written({ inline: false });
    const leaves = pagesWith(file, LEAF);
    const own = leaves.find((id) => file.subarray(id * PAGE, (id + 1) * PAGE).includes('appData')) ?? assert.fail('an entity has a page');
    const at = own * PAGE;
    const index = Array.from({ length: file.readUInt16LE(at + 10) }, (_, i) => i).find((i) => keyAt(file, at, i) === 'appData') ?? -1;
    const head = at + 16 + index * 16;
    file.writeBigUInt64LE(BigInt(own), head + file.readUInt32LE(head + 4) + file.readUInt32LE(head + 8));
    writeFileSync(path, file);
    await refused({ code: 'DAMAGED', message: /referenced twice/, page: own });
  });

  test('if elements of a page share bytes, of which a small file could make any amount', async () => {
    // The value of the first element becomes longer by one byte: the first of the second one's key.
    const page = spoiled(LEAF, (file, at) => file.writeUInt32LE(file.readUInt32LE(at + 28) + 1, at + 28));
    await refused({ code: 'DAMAGED', message: /its element 1 overlaps what is before it/, page });
    // The key of the first element begins among the heads of the elements.
    const other = spoiled(LEAF, (file, at) => {
      const key = file.readUInt32LE(at + 24);
      file.writeUInt32LE(8, at + 20);
      file.writeUInt32LE(key + file.readUInt32LE(at + 20), at + 24);
    });
    await refused({ code: 'DAMAGED', message: /its element 0 overlaps what is before it/, page: other });
  });

  test('if a list claims a length that it does not have', async () => {
    network(
      identity({
        key: Buffer.from('appData'),
        bucket: [{ key: Buffer.from('l'), bucket: [value(LIST_SIZE_KEY, int32Value(2 ** 31 - 1))] }],
      }),
    );
    await refused({ code: 'DAMAGED', message: /identities\/a has a list in appData whose length is not the number of its values/ });
  });

  test('if an entity is larger than any of a network', async () => {
    const text = textValue('x'.repeat(2 ** 20));
    const many = Array.from({ length: 40 }, (_, i) => value(`k${String(i).padStart(2, '0')}`, text));
    network(identity({ key: Buffer.from('appData'), bucket: many }));
    await refused({ code: 'TOO_LARGE', message: /identities\/a is larger than 32 MiB/ });
  });

  test('if a value is larger than any of a network', async () => {
    network(identity(value('name', textValue('x'.repeat(33 * 2 ** 20)))));
    await refused({ code: 'TOO_LARGE', message: /with its overflow/ });
  });

  for (const [what, bytes, message] of [
    ['of no type', Buffer.of(9, 1), /unknown type 9/],
    ['cut', Buffer.of(2, 1), /1 bytes after its type, not 4/],
    ['not UTF-8', Buffer.of(5, 0xff), /a text is not UTF-8/],
    ['of another type', int32Value(3), /identities\/a has a value in name that is not of type text/],
    ['nothing', Buffer.of(7), /identities\/a has no createdAt/],
  ] as const)
    test(`if a value is ${what}`, async () => {
      network(identity(value('name', bytes)));
      await refused({ code: 'DAMAGED', message });
    });

  test('if there is a value where a bucket should be, or a bucket where a value should be', async () => {
    network(identity(value('roleAttributes', textValue('x'))));
    await refused({ code: 'DAMAGED', message: /has a value in roleAttributes, where a bucket should be/ });
    network(identity({ key: Buffer.from('name'), bucket: [] }));
    await refused({ code: 'DAMAGED', message: /has a bucket in name, where a value should be/ });
  });
});

const keyAt = (file: Buffer, page: number, index: number): string => {
  const head = page + 16 + index * 16;
  const start = head + file.readUInt32LE(head + 4);
  return file.toString('latin1', start, start + file.readUInt32LE(head + 8));
};

test('a cut file is refused with the page where it ends, wherever it is cut', async () => {
  const { length } = written();
  for (let size = length - 1; size > 2 * PAGE; size -= 7 * PAGE + 13) {
    written();
    truncateSync(path, size);
    await refused({ code: 'DAMAGED', message: /the file ends within it/, page: Math.floor(size / PAGE) });
  }
});

/** Where mutations hurt most: headers of pages and of their elements, and values; and any word of them. */
const mutations = fc.array(
  fc.record({
    page: fc.nat(),
    offset: fc.oneof(fc.nat({ max: 15 }), fc.nat({ max: 200 }), fc.nat({ max: PAGE - 9 })),
    value: fc.oneof(
      fc.nat({ max: 255 }).map((byte) => Buffer.of(byte)),
      fc.constantFrom(0n, 2n, 3n, 2n ** 31n - 1n, 2n ** 64n - 1n).map(word),
    ),
  }),
  { minLength: 1, maxLength: 3 },
);

function word(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

test('of 1,000 mutated files, each is read or refused with an error of the reader', async () => {
  const networks = fc.sample(formerNetworks({ schemaVersion: 44, is20: true }), { numRuns: 10, seed: 1 });
  const files = networks.map((network, i) => {
    writeFormerNetwork(path, network as NewFormerEntities, { pageSize: PAGE, is20: true, inline: i % 2 === 0, perLeaf: 3, fan: 3 });
    return readFileSync(path);
  });
  const seen = { read: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...files), mutations, async (original, changes) => {
      const file = Buffer.from(original);
      for (const { page, offset, value } of changes) value.copy(file, (page % (file.length / PAGE)) * PAGE + offset);
      writeFileSync(path, file);
      await readAll(path).then(
        () => seen.read++,
        (error) => {
          assert.ok(error instanceof FormerDatabaseError, String(error.stack));
          seen.refused++;
        },
      );
    }),
    { numRuns: Number(process.env['FORMER_MUTATIONS'] ?? 1000) },
  );
  assert.ok(seen.refused > 100 && seen.read > 100, `both happen: ${JSON.stringify(seen)}`);
});
