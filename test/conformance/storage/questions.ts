import assert from 'node:assert/strict';
import {
  ALL,
  and,
  booleanField,
  dateField,
  equals,
  type FieldRef,
  not,
  oneOf,
  or,
  type Predicate,
  stringField,
} from '../../../src/query/predicate.ts';
import type { Sentences } from '../storage.suite.ts';
import { asked, each, note, read, save, write } from './sample.ts';

const order: FieldRef = { path: ['order'], type: 'number' };

/** Filtering, order, pages, and long questions. What each predicate means is the filter suite's subject. */
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
        const where: Predicate = { op: 'compare', field: stringField('id'), is, value: from };
        const right = ids.filter((id) => (is === '>' ? id > from : id >= from));
        assert.equal(await asked(store, where), right.join(' '), `${is} ${from}`);
        assert.equal(await asked(store, where, { offset: 2, limit: 3 }), right.slice(2, 5).join(' '));
        assert.equal(await read(store, (tx) => tx.count('note', where)), right.length);
        const open = right.filter((id) => Number(id) % 3 === 0);
        assert.equal(await asked(store, and(equals(booleanField('isOpen'), true), where), { limit: 4 }), open.slice(0, 4).join(' '));
      }
  },

  'a question may have more alternatives than an engine takes lists in a row': async (store) => {
    await save(store, note('a', { labels: ['v7', 'x'] }), note('b', { labels: ['v598'] }), note('c', { labels: ['other'] }));
    const values = Array.from({ length: 600 }, (_, i) => `v${i}`);
    const pairs = or(...values.map((value): Predicate => ({ op: 'overlaps', set: 'labels', values: [value, `${value}!`] })));
    const arrays = or(...values.map((value): Predicate => ({ op: 'covers', set: 'labels', values: [value, 'x'] })));
    assert.equal(await asked(store, pairs), 'a b');
    assert.equal(await asked(store, arrays), 'a');
    assert.equal(await read(store, (tx) => tx.count('note', pairs)), 2);
    assert.equal(await read(store, (tx) => tx.count('note', arrays)), 1);
  },

  'ranges of a column are cut with each other, in any order, whichever bounds belong to them': async (store) => {
    const names = ['b', 'd', 'f', 'h', 'j'];
    await save(store, ...names.map((name, i) => note(`id-${i}`, { name, externalKey: i - 2 })));
    const bounds = ['a', 'b', 'c', 'f', 'g', 'j', 'k'];
    const by = { field: stringField('name'), descending: false };
    const holds = {
      '<': (a: string, b: string) => a < b,
      '<=': (a: string, b: string) => a <= b,
      '>': (a: string, b: string) => a > b,
      '>=': (a: string, b: string) => a >= b,
    };
    for (const low of bounds)
      for (const high of bounds)
        for (const from of ['>', '>='] as const)
          for (const to of ['<', '<='] as const) {
            const right = names.filter((name) => holds[from](name, low) && holds[to](name, high));
            const lower: Predicate = { op: 'compare', field: by.field, is: from, value: low };
            const upper: Predicate = { op: 'compare', field: by.field, is: to, value: high };
            for (const where of [and(lower, upper), and(upper, lower), and(upper, { ...lower, value: 'a' }, lower)]) {
              const found = await read(store, (tx) => tx.list('note', { where, sort: [by] }));
              assert.deepEqual(
                found.map(({ name }) => name),
                right,
                `${from} ${low} and ${to} ${high}`,
              );
              const last = await read(store, (tx) => tx.list('note', { where, sort: [{ ...by, descending: true }], limit: 1 }));
              assert.equal(last[0]?.name, right.at(-1));
              assert.equal(await read(store, (tx) => tx.count('note', where)), right.length);
            }
          }
    const key: FieldRef = { path: ['externalKey'], type: 'number' };
    const numbers = and({ op: 'compare', field: key, is: '>', value: -2 }, { op: 'compare', field: key, is: '<=', value: 1 });
    assert.equal(await asked(store, numbers, { sort: [{ field: key, descending: true }] }), 'id-3 id-2 id-1');
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
    assert.equal(await asked(store, ALL, { sort: [{ field: booleanField('isOpen'), descending: false }] }), 'c b d a');
    assert.equal(await asked(store, ALL, { sort: [{ field: booleanField('isOpen'), descending: true }] }), 'a b d c');
  },

  'rows that the sort keys leave equal come by id ascending, whatever the direction': async (store) => {
    await save(
      store,
      note('a', { ownerId: 'x', order: 1 }),
      note('b', { ownerId: 'y', order: 1 }),
      note('c', { ownerId: 'x', order: 2 }),
      note('d', { ownerId: 'x', order: 2 }),
    );
    assert.equal(await asked(store, ALL, { sort: [{ field: stringField('ownerId'), descending: true }] }), 'b a c d');
    const sort = [stringField('ownerId'), order].map((field) => ({ field, descending: field === order }));
    assert.equal(await asked(store, ALL, { sort }), 'c d a b');
  },

  'text and dates are ordered by code point, not by locale or case': async (store) => {
    await save(
      store,
      ...['b', 'B', '😀', '\uff5e', 'é', 'a', ''].map((name, index) =>
        note(String(index), { name, dueAt: `20${10 + index}-01-01T00:00:00.000Z` }),
      ),
    );
    assert.equal(await asked(store, ALL, { sort: [{ field: stringField('name'), descending: false }] }), '6 1 5 0 4 3 2');
    assert.equal(await asked(store, { op: 'compare', field: dateField('dueAt'), is: '<', value: '2012-01-01T00:00:00.000Z' }), '0 1');
    assert.equal(await asked(store, { op: 'compare', field: stringField('name'), is: '>=', value: '\uff5e' }), '2 3');
  },

  'texts in fields of any type, as tags are, are ordered by code point, not by locale or case': async (store) => {
    const tag: FieldRef = { path: ['tags', 'key'], type: 'tag' };
    const texts = ['b', 'B', '😀', '\uff5e', 'é', 'a', '', '-', 'a b', 'ab'];
    await save(store, ...texts.map((key, index) => note(String(index), { tags: { key } })), note('none', { tags: {} }));
    const ascending = 'none 6 7 1 5 8 9 0 4 3 2';
    assert.equal(await asked(store, ALL, { sort: [{ field: tag, descending: false }] }), ascending);
    assert.equal(await asked(store, ALL, { sort: [{ field: tag, descending: true }] }), ascending.split(' ').reverse().join(' '));
    assert.equal(await asked(store, { op: 'compare', field: tag, is: '>=', value: '\uff5e' }), '2 3');
    assert.equal(await asked(store, { op: 'compare', field: tag, is: '<', value: 'a' }), '1 6 7');
  },

  'offset and limit cut a page out of the matching rows': async (store) => {
    await save(store, ...[...'abcdefgh'].map((id, index) => note(id, { isOpen: index % 2 === 0, order: -index })));
    const open = equals(booleanField('isOpen'), true);
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

  'long lists are asked at once': async (store) => {
    await save(store, ...Array.from({ length: 20 }, (_, index) => note(String(index), { labels: [`l${index}`], order: index })));
    const values = Array.from({ length: 40_000 }, (_, index) => String(index * 2));
    assert.equal(await read(store, (tx) => tx.count('note', oneOf(stringField('id'), values))), 10);
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

  'a kind without fields of its own is stored like any other': async (store) => {
    await write(store, (tx) => tx.insert('group', note('g', { free: { form: [1] } })));
    assert.deepEqual(await read(store, (tx) => tx.get('group', 'g')), note('g', { free: { form: [1] } }));
    assert.equal(await read(store, (tx) => tx.count('group', equals({ path: ['free', 'form'], type: 'string' }, 'x'))), 0);
  },
};
