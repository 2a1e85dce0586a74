import assert from 'node:assert/strict';
import { ALL, equals, has, type Predicate, stringField } from '../../../src/query/predicate.ts';
import type { IndexFault, Row, Store } from '../../../src/store/storage/port.ts';
import type { Sentences, TestDatabase } from '../storage.suite.ts';
import { allIds, note, read, save, write } from './sample.ts';

/** What holds whether or not anything can be wrong. */
export const verifying: Sentences = {
  'what only the store wrote has no faults, however it was written': async (store) => {
    await save(store, ...rows);
    await write(store, async (tx) => {
      await tx.update('note', { ...rows[0], version: 2, name: 'new', labels: ['z', 'x'], order: null } as Row, 1);
      await tx.delete('note', 'b');
      await assert.rejects(tx.insert('note', note('x', { name: 'new', labels: ['lost'] })));
    });
    assert.deepEqual(await faults(store), []);
    assert.deepEqual(await faults(store, 'group'), []);
    await assert.rejects(
      read(store, (tx) => tx.verify('nothing', { limit: 1 })),
      TypeError,
    );
  },

  'to repair what is right changes nothing': async (store) => {
    await save(store, ...rows);
    for (const id of ['a', 'b', 'nobody', undefined]) assert.equal(await write(store, (tx) => tx.repair('note', id)), true);
    assert.deepEqual(
      await read(store, (tx) => tx.list('note', { where: ALL })),
      rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
    assert.deepEqual([await count(store, has('labels', 'x')), await count(store, ALL)], [2, rows.length]);
    await assert.rejects(
      read(store, (tx) => tx.repair('note', 'a')),
      TypeError,
    );
  },

  'revisions can be drawn from a number on, and never go back': async (store) => {
    const drawn = await write(store, async (tx) => [await tx.nextRevision(40), await tx.nextRevision(7), await tx.nextRevision()]);
    assert.deepEqual(drawn, [40, 41, 42]);
    assert.equal(await write(store, (tx) => tx.nextRevision(43)), 43);
  },
};

/** What only a store can prove whose tables can be tampered with. */
export const repairing: Sentences = {
  'a column that says something else than the document is found, and made right': async (store, database) => {
    await save(store, ...rows);
    await tamper(
      database,
      "update overlay_note set owner_id = 'thief' where id = 'a'",
      "update overlay_note set name = null where id = 'b'",
      "update overlay_note set version = 9 where id = 'c'",
      "update overlay_note set is_open = null where id = 'd'",
    );
    assert.equal(await count(store, equals(stringField('ownerId'), 'thief')), 1);
    assert.deepEqual(await faults(store), [
      ['a', 'note a has a different ownerId in its index than in its document'],
      ['b', 'note b has a different name in its index than in its document'],
      ['c', 'note c has a different version in its index than in its document'],
      ['d', 'note d has a different isOpen in its index than in its document'],
    ]);
    await repairAll(store);
    assert.deepEqual(await faults(store), []);
    assert.deepEqual(
      [await count(store, equals(stringField('ownerId'), 'thief')), await count(store, equals(stringField('ownerId'), 'ann'))],
      [0, 1],
    );
    assert.deepEqual(
      await read(store, (tx) => tx.get('note', 'a')),
      rows.find(({ id }) => id === 'a'),
    );
  },

  'an element too many, one too few, and those of a row that is gone are found, and made right': async (store, database) => {
    await save(store, ...rows);
    await tamper(
      database,
      "delete from overlay_note__labels where id = 'a' and value = 'x'",
      "insert into overlay_note__labels (ns, value, id) values ('default', 'stray', 'b')",
      "insert into overlay_note__labels (ns, value, id) values ('default', 'stray', 'gone')",
      "insert into overlay_note__labels (ns, value, id) values ('other', 'stray', 'elsewhere')",
    );
    assert.deepEqual(await faults(store), [
      ['a', 'note a has different labels in its index than in its document'],
      ['b', 'note b has different labels in its index than in its document'],
      ['gone', 'note gone is indexed by labels, but does not exist'],
    ]);
    await repairAll(store);
    assert.deepEqual(await faults(store), []);
    assert.deepEqual(await read(store, (tx) => tx.distinct('note', 'labels')), ['x', 'y']);
    assert.equal(await count(store, has('labels', 'x')), 2);
  },

  'the same are found among documents that are too large to be verified together': async (store, database) => {
    await save(store, ...rows.map((row) => ({ ...row, text: 'x'.repeat(300_000) })));
    await tamper(
      database,
      "insert into overlay_note__labels (ns, value, id) values ('default', 'stray', 'aa')",
      "insert into overlay_note__labels (ns, value, id) values ('default', 'stray', 'b')",
      "delete from overlay_note__labels where id = 'a' and value = 'y'",
      "update overlay_note set version = 9 where id = 'd'",
      "insert into overlay_note__labels (ns, value, id) values ('default', 'stray', 'e')",
    );
    assert.deepEqual(await faults(store), [
      ['a', 'note a has different labels in its index than in its document'],
      ['aa', 'note aa is indexed by labels, but does not exist'],
      ['b', 'note b has different labels in its index than in its document'],
      ['d', 'note d has a different version in its index than in its document'],
      ['e', 'note e is indexed by labels, but does not exist'],
    ]);
  },

  'a row without its document is found, and goes': async (store, database) => {
    await save(store, ...rows);
    await tamper(database, "delete from overlay_note__document where id = (select document from overlay_note where id = 'a')");
    assert.deepEqual(await faults(store), [['a', 'note a is listed, but its document is missing']]);
    await repairAll(store);
    assert.deepEqual(await faults(store), []);
    assert.deepEqual(await allIds(store), ['b', 'c', 'd']);
    await save(store, note('a', { labels: ['x'] }));
    assert.equal(await count(store, ALL), 4);
  },

  'a number of rows that is wrong is found, and counted anew': async (store, database) => {
    await save(store, ...rows);
    await tamper(database, "update overlay_controller_state set value = 77 where name = 'rows of note'");
    assert.deepEqual(await faults(store), [[undefined, 'the count of note rows is wrong']]);
    await repairAll(store);
    assert.deepEqual(await faults(store), []);
    assert.equal(await count(store, ALL), 4);
  },

  'a document that cannot be kept as it is stays a fault, and nothing is written': async (store, database) => {
    await save(store, ...rows);
    const documentOf = (id: string) => `id = (select document from overlay_note where id = '${id}')`;
    await tamper(
      database,
      `update overlay_note__document set document = replace(document, '"name":"note a"', '"name":"note b"') where ${documentOf('a')}`,
      `update overlay_note__document set document = replace(document, '"id":"c"', '"id":"d"') where ${documentOf('c')}`,
    );
    const found = [
      ['a', 'note a has a different name in its index than in its document'],
      ['c', 'note c is listed, but its document is unreadable'],
    ];
    assert.deepEqual(await faults(store), found);
    assert.deepEqual(await repairAll(store), [false, false]);
    assert.deepEqual(await faults(store), found);
    assert.equal(await count(store, equals(stringField('name'), 'note b')), 1);
  },
};

const rows = [
  note('a', { ownerId: 'ann', labels: ['x', 'y'], isOpen: false }),
  note('b', { labels: ['x'], isOpen: true, order: 0.1, dueAt: '2024-05-05T00:00:00.000Z', externalKey: 5 }),
  note('c', { labels: null, select: ['s'] }),
  note('d', { isOpen: false, labels: [] }),
];

const tamper = async ({ tamper }: TestDatabase, ...statements: readonly string[]): Promise<void> => {
  if (!tamper) throw new TypeError('the tables of this store cannot be reached');
  for (const statement of statements) await tamper(statement);
};

/** The faults of a kind, found in small steps: each with its id and its words. */
const faults = async (store: Store, kind = 'note'): Promise<readonly (readonly [string | undefined, string])[]> =>
  (await allFaults(store, kind)).map(({ id, description }) => [id, description]);

const allFaults = async (store: Store, kind: string): Promise<readonly IndexFault[]> => {
  const found: IndexFault[] = [];
  let after: string | undefined;
  do {
    const page = { limit: 2, ...(after === undefined ? {} : { after }) };
    const { faults, next } = await read(store, (tx) => tx.verify(kind, page));
    found.push(...faults);
    after = next;
  } while (after !== undefined);
  return found;
};

const repairAll = async (store: Store): Promise<readonly boolean[]> => {
  const repaired: boolean[] = [];
  for (const { id } of await allFaults(store, 'note')) repaired.push(await write(store, (tx) => tx.repair('note', id)));
  return repaired;
};

const count = (store: Store, where: Predicate): Promise<number> => read(store, (tx) => tx.count('note', where));
