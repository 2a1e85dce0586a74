import assert from 'node:assert/strict';
import {
  ALL,
  and,
  booleanField,
  ELEMENT,
  equals,
  type FieldRef,
  has,
  NONE,
  not,
  oneOf,
  or,
  type Predicate,
  stringField,
} from '../../../src/query/predicate.ts';
import type { Read } from '../../../src/store/storage/port.ts';
import type { Sentences } from '../storage.suite.ts';
import { asked, each, group, idsOf, note, read, save, write } from './sample.ts';

const _order: FieldRef = { path: ['order'], type: 'number' };

/** Questions about the elements of sets, and about rows that sets refer to. */
export const sets: Sentences = {
  'rows that hold all of many values are found, and those that lack one, by themselves and within other questions': async (store) => {
    for (const size of [2, 8, 9, 10, 40]) {
      const all = Array.from({ length: size }, (_, i) => `${size}-${String(i).padStart(2, '0')}`);
      const [first = '', last = ''] = [all[0], all.at(-1)];
      await save(
        store,
        note(`${size}-all`, { labels: all, isOpen: true }),
        note(`${size}-and-more`, { labels: [...all, 'more'], isOpen: false }),
        note(`${size}-without-first`, { labels: all.slice(1), isOpen: true }),
        note(`${size}-without-last`, { labels: all.slice(0, -1), isOpen: true }),
        note(`${size}-last`, { labels: [last], isOpen: true }),
        note(`${size}-none`, { isOpen: true }),
      );
      const covers: Predicate = { op: 'covers', set: 'labels', values: all };
      const ofSize: Predicate = { op: 'compare', field: stringField('id'), is: '>=', value: `${size}-` };
      const here = and(ofSize, { op: 'compare', field: stringField('id'), is: '<', value: `${size}.` });
      const holding = [`${size}-all`, `${size}-and-more`];
      const others = ['last', 'none', 'without-first', 'without-last'].map((name) => `${size}-${name}`);
      const cases: readonly (readonly [Predicate, readonly string[]])[] = [
        [covers, holding],
        [{ ...covers, values: all.toReversed() }, holding],
        [and(here, not(covers)), others],
        [and(covers, equals(booleanField('isOpen'), true)), [`${size}-all`]],
        [and(covers, not(has('labels', 'more'))), [`${size}-all`]],
        [or(covers, oneOf(stringField('id'), [`${size}-none`])), [...holding, `${size}-none`]],
        [and(here, not(or(covers, has('labels', first)))), [`${size}-last`, `${size}-none`, `${size}-without-first`]],
        [{ op: 'covers', set: 'labels', values: [...all, 'nobody holds it'] }, []],
      ];
      for (const [where, right] of cases) {
        assert.equal(await asked(store, where), right.join(' '), `${size}: ${JSON.stringify(where).slice(0, 80)}`);
        assert.equal(await asked(store, where, { sort: [{ field: stringField('name'), descending: true }], limit: 1 }), right.at(-1) ?? '');
        assert.equal(await read(store, (tx) => tx.count('note', where)), right.length);
      }
    }
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
    assert.equal(await asked(store, or(has('labels', 'z'), oneOf(stringField('id'), ['d', 'e']))), 'b d e');
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
    assert.equal(await holding(equals(booleanField('isOpen'), true), 1), 'one');
    assert.equal(await holding(equals(booleanField('isOpen'), true), 2), 'two');
    assert.equal(await holding(ALL, 2), 'one two');
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
    assert.deepEqual(await referenced(['ann', 'bob'], equals(booleanField('isOpen'), true)), ['ann']);
    assert.deepEqual(await referenced([]), []);
    assert.deepEqual(await read(store, (tx) => tx.referenced('note', 'id', ['a', 'z'])), ['a']);
  },

  'a value to which very many rows refer is found by the one that satisfies a condition, wherever it is': async (store) => {
    const ids = Array.from({ length: 150 }, (_, i) => `of-many-${String(i).padStart(3, '0')}`);
    await save(store, ...ids.map((id, i) => note(id, { ownerId: i % 2 ? 'odd' : 'even', isOpen: i === 149 })));
    const referenced = (where?: Predicate) =>
      read(store, async (tx) => [...(await tx.referenced('note', 'ownerId', ['odd', 'even', 'none'], where))]);
    assert.deepEqual((await referenced()).toSorted(), ['even', 'odd']);
    assert.deepEqual(await referenced(equals(booleanField('isOpen'), true)), ['odd']);
  },

  'several questions at once have the answers that they have alone, in their order': async (store) => {
    await save(
      store,
      note('b', { ownerId: 'ann', isOpen: true, labels: ['x', 'y'] }),
      note('a', { ownerId: 'bob', labels: ['y'] }),
      note('c', { ownerId: 'ann' }),
    );
    const reads: readonly Read[] = [
      { read: 'list', kind: 'note', query: { where: ALL } },
      { read: 'referenced', kind: 'note', field: 'ownerId', values: ['bob', 'eve'] },
      { read: 'list', kind: 'noteGroup', query: { where: ALL } },
      { read: 'list', kind: 'note', query: { where: has('labels', 'y') } },
      { read: 'list', kind: 'note', query: { where: oneOf(stringField('id'), ['c', 'b', 'z']) } },
      {
        read: 'list',
        kind: 'note',
        query: { where: ALL, sort: [{ field: stringField('ownerId'), descending: true }], offset: 1, limit: 1 },
      },
      { read: 'referenced', kind: 'note', field: 'ownerId', values: [] },
      { read: 'referenced', kind: 'note', field: 'ownerId', values: ['ann', 'bob'], where: equals(booleanField('isOpen'), true) },
      { read: 'list', kind: 'note', query: { where: NONE } },
      ...Array.from({ length: 12 }, (_, i): Read => ({ read: 'referenced', kind: 'note', field: 'id', values: [i % 2 ? 'a' : 'z'] })),
    ];
    const answers = await read(store, (tx) => tx.readAll(reads));
    assert.deepEqual(
      answers.map((answer) => answer.map((each) => (typeof each === 'string' ? each : each.id)).join(' ')),
      ['a b c', 'bob', '', 'a b', 'b c', 'b', '', 'ann', '', ...Array.from({ length: 12 }, (_, i) => (i % 2 ? 'a' : ''))],
    );
    assert.deepEqual(answers[3], await read(store, (tx) => tx.list('note', { where: has('labels', 'y') })));
    assert.deepEqual(await read(store, (tx) => tx.readAll([])), []);
  },
};
