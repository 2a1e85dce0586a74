import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createLinkTable, type RouterLink } from '../../../../src/domain/traffic/links/link-table.ts';
import { cheapestPaths, type RouterCost } from '../../../../src/domain/traffic/links/paths.ts';

const link = (from: string, to: string, id = `${from}-${to}`): RouterLink => ({
  id,
  from,
  to,
  iteration: 1,
  protocol: 'tls',
  dialAddress: `tls:${to}.test:6000`,
  connections: [],
});
const routers = (names: string, special: Readonly<Record<string, Partial<RouterCost>>> = {}): ReadonlyMap<string, RouterCost> =>
  new Map([...names].map((name) => [name, { cost: 0, noTraversal: false, ...special[name] }]));

describe('ways between routers', () => {
  test('the one with the fewest links is taken, in either direction of a link', () => {
    const links = [link('a', 'b'), link('c', 'b'), link('a', 'd'), link('d', 'e'), link('e', 'c')];
    const paths = cheapestPaths('a', links, routers('abcde'));
    assert.deepEqual(paths.get('c'), { cost: 2, routers: ['a', 'b', 'c'], links: ['a-b', 'c-b'] });
    assert.deepEqual(paths.get('a'), { cost: 0, routers: ['a'], links: [] });
  });

  test('routers that cost more are avoided, and those not to be traversed are ends only', () => {
    const links = [link('a', 'b'), link('b', 'c'), link('a', 'd'), link('d', 'e'), link('e', 'c')];
    assert.deepEqual(cheapestPaths('a', links, routers('abcde', { b: { cost: 5 } })).get('c')?.routers, ['a', 'd', 'e', 'c']);
    const ends = cheapestPaths('a', links, routers('abcde', { b: { noTraversal: true }, a: { noTraversal: true } }));
    assert.deepEqual(
      [ends.get('c')?.routers, ends.get('b')?.routers],
      [
        ['a', 'd', 'e', 'c'],
        ['a', 'b'],
      ],
    );
  });

  test('routers that are not there are no way, nor is a link to itself', () => {
    const links = [link('a', 'b'), link('b', 'c'), link('a', 'a')];
    assert.deepEqual([...cheapestPaths('a', links, routers('ac')).keys()], ['a']);
    assert.deepEqual([...cheapestPaths('x', links, routers('abc')).keys()], []);
  });

  test('no way is dearer than that of a search through all', () => {
    const names = 'abcdef';
    const anyLinks = fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)), { maxLength: 12 });
    const anyCosts = fc.array(fc.nat({ max: 5 }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(anyLinks, anyCosts, (pairs, costs) => {
        const known = routers(names, Object.fromEntries([...names].map((name, i) => [name, { cost: costs[i] ?? 0 }])));
        const links = pairs.map(([from, to], i) => link(from, to, `link ${i}`));
        // Bellman and Ford: as many rounds as there are routers.
        const least = new Map([['a', 0]]);
        for (const _ of names)
          for (const { from, to } of links)
            for (const [one, other] of [
              [from, to],
              [to, from],
            ] as const) {
              const cost = (least.get(one) ?? Infinity) + 1 + (known.get(other)?.cost ?? 0);
              if (one !== other && cost < (least.get(other) ?? Infinity)) least.set(other, cost);
            }
        assert.deepEqual(
          new Map([...cheapestPaths('a', links, known)].map(([to, { cost }]) => [to, cost] as const).sort()),
          new Map([...least].sort()),
        );
      }),
    );
  });
});

describe('links', () => {
  test('a router reports its own, and no older iteration', () => {
    const links = createLinkTable();
    links.report({ ...link('a', 'b', 'l'), iteration: 2 });
    links.report({ ...link('a', 'c', 'l'), iteration: 1 });
    links.report({ ...link('x', 'b', 'l'), iteration: 3 });
    assert.deepEqual(links.get('l'), { ...link('a', 'b', 'l'), iteration: 2 });
    links.report({ ...link('a', 'b', 'l'), iteration: 3 });
    assert.equal(links.get('l')?.iteration, 3);
  });

  test('those that a router does not name any more are forgotten', () => {
    const links = createLinkTable();
    for (const one of [link('a', 'b'), link('a', 'c'), link('b', 'a')]) links.report(one);
    links.removeExcept('a', new Set(['a-c']));
    assert.deepEqual(
      links.all().map(({ id }) => id),
      ['a-c', 'b-a'],
    );
  });
});
