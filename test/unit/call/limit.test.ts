import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Grant, isLimited, narrowedBy, OWN_RIGHT } from '../../../src/call/grant.ts';
import {
  EVERY_ENTITY,
  type Limit,
  limitIn,
  NO_ENTITY,
  satisfying,
  textOfLimit,
  withinAll,
  withinAny,
  withinBoth,
} from '../../../src/call/limit.ts';
import { fits, predicateOf } from '../../../src/call/resources/granted.ts';
import { service } from '../../../src/contract/api/kinds.ts';
import { compileMatcher } from '../../../src/query/index.ts';
import type { Row } from '../../../src/store/storage/port.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const named = (name: string) => satisfying(`name = "${name}"`);

/** A limit, and which of the names satisfy it. */
interface Sample {
  readonly limit: Limit;
  readonly names: ReadonlySet<string>;
}

const leaf: fc.Arbitrary<Sample> = fc.oneof(
  fc.constant({ limit: EVERY_ENTITY, names: new Set(NAMES) }),
  fc.constant({ limit: NO_ENTITY, names: new Set<string>() }),
  fc.constantFrom(...NAMES).map((name) => ({ limit: named(name), names: new Set([name]) })),
  fc
    .constantFrom(...NAMES)
    .map((name) => ({ limit: satisfying(`name != "${name}"`), names: new Set(NAMES.filter((each) => each !== name)) })),
);
const { sample } = fc.letrec<{ sample: Sample; list: Sample[] }>((tie) => ({
  list: fc.array(tie('sample'), { maxLength: 4 }),
  sample: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    tie('list').map((all) => ({
      limit: withinAll(all.map(({ limit }) => limit)),
      names: new Set(NAMES.filter((name) => all.every(({ names }) => names.has(name)))),
    })),
    tie('list').map((all) => ({
      limit: withinAny(all.map(({ limit }) => limit)),
      names: new Set(NAMES.filter((name) => all.some(({ names }) => names.has(name)))),
    })),
  ),
}));

const namesWithin = (limit: Limit) => {
  const matches = compileMatcher(predicateOf(service, limit));
  return new Set(NAMES.filter((name) => matches({ name } as unknown as Row)));
};

describe('limits', () => {
  test('an entity is within all limits if it is within each, and within any if it is within one', () => {
    fc.assert(
      fc.property(sample, ({ limit, names }) => {
        assert.deepEqual(namesWithin(limit), names);
        assert.deepEqual(namesWithin(satisfying(textOfLimit(limit))), names, 'the text is a filter that means the same');
      }),
    );
  });

  test('without limits everything is within all of them, and nothing within any', () => {
    assert.equal(withinAll([]), EVERY_ENTITY);
    assert.equal(withinAny([]), NO_ENTITY);
    assert.equal(withinAll([EVERY_ENTITY, named('a'), NO_ENTITY]), NO_ENTITY);
    assert.equal(withinAny([NO_ENTITY, named('a'), EVERY_ENTITY]), EVERY_ENTITY);
    assert.deepEqual(withinAll([named('a'), EVERY_ENTITY, named('a')]), named('a'));
  });

  test('more than twenty different filters on a kind allow nothing', () => {
    const numbered = (count: number) => Array.from({ length: count }, (_, i) => named(`s${i}`));
    assert.equal(withinAll(numbered(20)).is, 'and');
    assert.equal(withinAll(numbered(21)), NO_ENTITY);
    assert.equal(withinAll([withinAll(numbered(20)), named('other')]), NO_ENTITY);
    assert.equal(withinAll([...numbered(20), ...numbered(20)]).is, 'and');
  });

  test('a limit fits a kind if all its filters do, or those of one alternative', () => {
    const [good, bad] = [named('a'), satisfying('nonsense = 1')];
    assert.deepEqual([fits(good, service), fits(bad, service)], [true, false]);
    assert.deepEqual([fits(withinAll([good, bad]), service), fits(withinAny([good, bad]), service)], [false, true]);
    assert.deepEqual([fits(EVERY_ENTITY, service), fits(NO_ENTITY, service)], [true, true]);
    for (const filter of ['name = "a" limit 5', 'name = "a" skip 1', 'name = "a" sort by name'])
      assert.throws(() => predicateOf(service, satisfying(filter)), TypeError);
  });

  test('limits by kind are combined kind by kind; a kind that is missing has none', () => {
    const one = new Map<string, Limit>([['service', named('a')]]);
    const other = new Map<string, Limit>([
      ['service', named('b')],
      ['identity', named('c')],
    ]);
    const both = withinBoth(one, other);
    assert.deepEqual(limitIn(both, service), withinAll([named('a'), named('b')]));
    assert.deepEqual(limitIn(both, { kind: 'identity' }), named('c'));
    assert.equal(limitIn(both, { kind: 'router' }), EVERY_ENTITY);
    assert.equal(withinBoth(one, new Map()), one);
  });
});

describe('a grant that parts narrow', () => {
  const limited = (name: string, more: Partial<Grant> = {}): Grant => {
    const limits = new Map([['service', named(name)]]);
    return { ...OWN_RIGHT, right: 'service.update', visible: limits, changeable: limits, credentials: limits, ...more };
  };
  const narrowed = (...parts: readonly Grant[]) => parts.reduce<Grant>(narrowedBy, { ...OWN_RIGHT });

  test('is within the limits of each part', () => {
    const whole = narrowed(limited('a'), limited('b'));
    for (const limits of [whole.visible, whole.changeable]) assert.deepEqual(limitIn(limits, service), withinAll([named('a'), named('b')]));
    const tooMany = narrowed(...Array.from({ length: 21 }, (_, i) => limited(`s${i}`)), limited('other'));
    for (const limits of [tooMany.visible, tooMany.changeable]) assert.equal(limitIn(limits, service), NO_ENTITY);
  });

  test('is delegated if a part is, has the permissions of that part, and shows no credentials', () => {
    const whole = narrowed(limited('a', { isDelegated: true, permissions: ['service'] }), limited('b'));
    assert.deepEqual([whole.isDelegated, whole.permissions, whole.credentials.size], [true, ['service'], 0]);
    assert.equal(narrowed(limited('a')).isDelegated, false);
    assert.equal(narrowedBy(limited('a'), limited('b')).credentials.size, 0);
    assert.equal(narrowedBy(limited('a'), OWN_RIGHT).credentials.size, 1, 'a part with the own right of the caller changes nothing');
  });

  test('is limited if it is limited in what the caller sees, or in what it changes', () => {
    const limits = new Map([['service', named('a')]]);
    assert.deepEqual(
      [OWN_RIGHT, { ...OWN_RIGHT, visible: limits }, { ...OWN_RIGHT, changeable: limits }].map((grant) => isLimited(grant)),
      [false, true, true],
    );
  });
});
