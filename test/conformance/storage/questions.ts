import assert from 'node:assert/strict';
import {
  ALL,
  and,
  date,
  ELEMENT,
  equals,
  type FieldRef,
  flag,
  has,
  not,
  oneOf,
  or,
  type Predicate,
  text,
} from '../../../src/query/predicate.ts';
import type { Query, Store } from '../../../src/storage/port.ts';
import type { Sentences } from '../storage.suite.ts';
import { each, group, idsOf, note, read, save, write } from './sample.ts';

const order: FieldRef = { path: ['order'], type: 'number' };
const asked = async (store: Store, where: Predicate, query: Omit<Query, 'where'> = {}): Promise<string> =>
  idsOf(await read(store, (tx) => tx.list('note', { where, ...query }))).join(' ');

/** Filtering, order, pages, and the operations that answer without rows. What each predicate means is the filter suite's subject. */
export const questions: Sentences = {
  'rows come by code point of their id: capitals first, emoji last': async (store) => {
    await save(store, ...['😀', 'b', '\uff5e', 'B', 'é', '10', '2', 'a', 'a b', 'aa'].map((id) => note(id)));
    assert.equal(await asked(store, ALL), '10 2 B a a b aa b é \uff5e 😀');
  },

  'a table is gone through from any id on, whether or not there is such a row': async (store) => {
    const ids = Array.from({ length: 300 }, (_, i) => String(i * 2).padStart(4, '0'));
    await write(store, (tx) => each(ids, (id) => tx.insert('note', note(id, { isOpen: Number(id) % 3 === 0 }))));
    for (const from of ['', '0000', '0001', '0298', '0299', '0597', '0598', '0599', 'a'])
      for (const is of ['>', '>='] as const) {
        const where: Predicate = { op: 'compare', field: text('id'), is, value: from };
        const right = ids.filter((id) => (is === '>' ? id > from : id >= from));
        assert.equal(await asked(store, where), right.join(' '), `${is} ${from}`);
        assert.equal(await asked(store, where, { offset: 2, limit: 3 }), right.slice(2, 5).join(' '));
        assert.equal(await read(store, (tx) => tx.count('note', where)), right.length);
        const open = right.filter((id) => Number(id) % 3 === 0);
        assert.equal(await asked(store, and(equals(flag('isOpen'), true), where), { limit: 4 }), open.slice(0, 4).join(' '));
      }
  },

  'all bounds of a field count, in whatever order they are given': async (store) => {
    const at = (i: number) => ({ dueAt: new Date(Date.UTC(2026, 0, 1 + i)).toISOString(), externalKey: i, id: String(i).padStart(3, '0') });
    const rows = Array.from({ length: 120 }, (_, i) => i);
    await write(store, (tx) => each(rows, (i) => tx.insert('note', note(at(i).id, at(i)))));
    const fields = [
      ['id', text('id')],
      ['dueAt', date('dueAt')],
      ['externalKey', { path: ['externalKey'], type: 'number' } as const],
    ] as const;
    const meanings = {
      '>': (a: number, b: number) => a > b,
      '>=': (a: number, b: number) => a >= b,
      '<': (a: number, b: number) => a < b,
      '<=': (a: number, b: number) => a <= b,
    } as const;
    const bounds = [
      [
        ['>', 10],
        ['<', 20],
      ],
      [
        ['>=', 10],
        ['<=', 20],
      ],
      [
        ['<=', 20],
        ['>=', 10],
        ['<', 15],
      ],
      [
        ['>', 5],
        ['>=', 7],
        ['<', 9],
        ['<=', 30],
      ],
      [
        ['>=', 7],
        ['>', 5],
        ['<=', 30],
        ['<', 9],
      ],
      [
        ['>=', 12],
        ['<=', 12],
      ],
      [
        ['>', 20],
        ['<', 10],
      ],
    ] as const;
    for (const [name, field] of fields)
      for (const given of bounds) {
        const where = and(...given.map(([is, i]): Predicate => ({ op: 'compare', field, is, value: at(i)[name] })));
        const right = rows.filter((row) => given.every(([is, i]) => meanings[is](row, i))).map((row) => at(row).id);
        assert.equal(await asked(store, where), right.join(' '), `${name} ${given.join(' ')}`);
        assert.equal(await asked(store, where, { offset: 1, limit: 2 }), right.slice(1, 3).join(' '));
        assert.equal(await read(store, (tx) => tx.count('note', where)), right.length);
      }
  },

  'null comes before every value, and false before true': async (store) => {
    await save(
      store,
      note('a', { order: 2, isOpen: true }),
      note('b', { order: null, isOpen: false }),
      note('c', { order: -1 }),
      note('d', { order: 10, isOpen: false }),
    );
    assert.equal(await asked(store, ALL, { sort: [{ field: order, descending: false }] }), 'b c a d');
    assert.equal(await asked(store, ALL, { sort: [{ field: order, descending: true }] }), 'd a c b');
    assert.equal(await asked(store, ALL, { sort: [{ field: flag('isOpen'), descending: false }] }), 'c b d a');
    assert.equal(await asked(store, ALL, { sort: [{ field: flag('isOpen'), descending: true }] }), 'a b d c');
  },

  'rows that the sort keys leave equal come by id ascending, whatever the direction': async (store) => {
    await save(
      store,
      note('a', { ownerId: 'x', order: 1 }),
      note('b', { ownerId: 'y', order: 1 }),
      note('c', { ownerId: 'x', order: 2 }),
      note('d', { ownerId: 'x', order: 2 }),
    );
    assert.equal(await asked(store, ALL, { sort: [{ field: text('ownerId'), descending: true }] }), 'b a c d');
    const sort = [text('ownerId'), order].map((field) => ({ field, descending: field === order }));
    assert.equal(await asked(store, ALL, { sort }), 'c d a b');
  },

  'text and dates are ordered by code point, not by locale or case': async (store) => {
    await save(
      store,
      ...['b', 'B', '😀', '\uff5e', 'é', 'a', ''].map((name, index) =>
        note(String(index), { name, dueAt: `20${10 + index}-01-01T00:00:00.000Z` }),
      ),
    );
    assert.equal(await asked(store, ALL, { sort: [{ field: text('name'), descending: false }] }), '6 1 5 0 4 3 2');
    assert.equal(await asked(store, { op: 'compare', field: date('dueAt'), is: '<', value: '2012-01-01T00:00:00.000Z' }), '0 1');
    assert.equal(await asked(store, { op: 'compare', field: text('name'), is: '>=', value: '\uff5e' }), '2 3');
  },

  'offset and limit cut a page out of the matching rows': async (store) => {
    await save(store, ...[...'abcdefgh'].map((id, index) => note(id, { isOpen: index % 2 === 0, order: -index })));
    const open = equals(flag('isOpen'), true);
    const byOrder = [{ field: order, descending: false }];
    assert.equal(await asked(store, ALL, { offset: 2, limit: 3 }), 'c d e');
    assert.equal(await asked(store, open, { offset: 1, limit: 2 }), 'c e');
    assert.equal(await asked(store, open, { offset: 3 }), 'g');
    assert.equal(await asked(store, open, { sort: byOrder, offset: 1, limit: 2 }), 'e c');
    assert.equal(await asked(store, ALL, { sort: byOrder, limit: 2 }), 'h g');
    assert.equal(await asked(store, ALL, { sort: byOrder, offset: 7 }), 'a');
    assert.equal(await asked(store, ALL, { offset: 9, limit: 5 }), '');
    assert.equal(await asked(store, ALL, { limit: 0 }), '');
    assert.equal(await read(store, (tx) => tx.count('note', open)), 4);
  },

  'a set is asked what it shares with a list, holds of it and has beyond it': async (store) => {
    await save(
      store,
      note('a', { labels: ['x', 'y'] }),
      note('b', { labels: ['y', 'z'] }),
      note('c', { labels: [] }),
      note('d', { labels: ['x'] }),
      note('e'),
    );
    const set = (op: 'overlaps' | 'covers' | 'coveredBy', ...values: string[]): Predicate => ({ op, set: 'labels', values });
    assert.equal(await asked(store, set('overlaps', 'x', 'z')), 'a b d');
    assert.equal(await asked(store, set('overlaps', 'x', 'z'), { offset: 1, limit: 1 }), 'b');
    assert.equal(await asked(store, set('overlaps', 'y')), 'a b');
    assert.equal(await asked(store, set('overlaps')), '');
    assert.equal(await asked(store, set('covers', 'x', 'y')), 'a');
    assert.equal(await asked(store, set('covers', 'x')), 'a d');
    assert.equal(await asked(store, set('covers')), 'a b c d e');
    assert.equal(await asked(store, set('coveredBy', 'x')), 'c d e');
    assert.equal(await asked(store, set('coveredBy')), 'c e');
    assert.equal(await asked(store, { op: 'some', set: 'labels', where: { op: 'compare', field: ELEMENT, is: '>', value: 'y' } }), 'b');
    assert.equal(await asked(store, { op: 'size', set: 'labels', is: '<=', value: 1 }), 'c d e');
    assert.equal(await asked(store, and(has('labels', 'x'), not(has('labels', 'y')))), 'd');
    assert.equal(await asked(store, or(has('labels', 'z'), oneOf(text('id'), ['d', 'e']))), 'b d e');
  },

  'a set of ids is counted by what its rows are': async (store) => {
    await save(store, note('a', { isOpen: true }), note('b', { isOpen: false }), note('c', { isOpen: true }));
    await write(store, (tx) =>
      each([group('none', []), group('one', ['a', 'b', 'gone']), group('two', ['a', 'c'])], (row) => tx.insert('noteGroup', row)),
    );
    const holding = async (of: Predicate, value: number) => {
      const where: Predicate = { op: 'size', set: 'noteIds', is: '=', value, of: { kind: 'note', where: of } };
      return idsOf(await read(store, (tx) => tx.list('noteGroup', { where }))).join(' ');
    };
    assert.equal(await holding(equals(flag('isOpen'), true), 1), 'one');
    assert.equal(await holding(equals(flag('isOpen'), true), 2), 'two');
    assert.equal(await holding(ALL, 2), 'one two');
  },

  'long lists are asked at once': async (store) => {
    await save(store, ...Array.from({ length: 20 }, (_, index) => note(String(index), { labels: [`l${index}`], order: index })));
    const values = Array.from({ length: 40_000 }, (_, index) => String(index * 2));
    assert.equal(await read(store, (tx) => tx.count('note', oneOf(text('id'), values))), 10);
    assert.equal(
      await read(store, (tx) => tx.count('note', { op: 'overlaps', set: 'labels', values: values.map((value) => `l${value}`) })),
      10,
    );
    assert.equal(await read(store, (tx) => tx.count('note', { op: 'in', field: order, values: values.map(Number) })), 10);
    assert.equal(
      await read(store, (tx) => tx.count('note', { op: 'coveredBy', set: 'labels', values: values.map((value) => `l${value}`) })),
      10,
    );
  },

  'questions of thousands of terms are answered': async (store) => {
    await save(store, note('a', { order: 7 }), note('b', { order: 5000 }));
    const terms = Array.from({ length: 3000 }, (_, index): Predicate => ({ op: 'compare', field: order, is: '=', value: index }));
    assert.equal(await asked(store, { op: 'or', terms }), 'a');
    assert.equal(await asked(store, { op: 'and', terms: terms.map(not) }), 'b');
  },

  'the elements in use of a set are listed once, by code point': async (store) => {
    await save(
      store,
      note('a', { labels: ['b', '😀'] }),
      note('b', { labels: ['B', 'b', '\uff5e', ''] }),
      note('c', { select: ['other'] }),
    );
    assert.deepEqual(await read(store, (tx) => tx.distinct('note', 'labels')), ['', 'B', 'b', '\uff5e', '😀']);
    assert.deepEqual(await read(store, (tx) => tx.distinct('noteGroup', 'noteIds')), []);
  },

  'those of many values are found that some row refers to': async (store) => {
    await save(
      store,
      note('a', { ownerId: 'ann', isOpen: true }),
      note('b', { ownerId: 'bob' }),
      note('c', { ownerId: 'ann' }),
      note('d', { ownerId: null }),
    );
    const referenced = (values: readonly string[], where?: Predicate) =>
      read(store, async (tx) => [...(await tx.referenced('note', 'ownerId', values, where))].sort());
    assert.deepEqual(await referenced(['ann', 'eve', 'bob', 'ann']), ['ann', 'bob']);
    assert.deepEqual(await referenced(['ann', 'bob'], equals(flag('isOpen'), true)), ['ann']);
    assert.deepEqual(await referenced([]), []);
    assert.deepEqual(await read(store, (tx) => tx.referenced('note', 'id', ['a', 'z'])), ['a']);
  },

  'a kind without fields of its own is stored like any other': async (store) => {
    await write(store, (tx) => tx.insert('group', note('g', { free: { form: [1] } })));
    assert.deepEqual(await read(store, (tx) => tx.get('group', 'g')), note('g', { free: { form: [1] } }));
    assert.equal(await read(store, (tx) => tx.count('group', equals({ path: ['free', 'form'], type: 'string' }, 'x'))), 0);
  },
};
