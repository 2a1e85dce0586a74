import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { finished } from '../../../../src/control-channel/codec/message.ts';
import { createLinkTable, type RouterLink } from '../../../../src/domain/traffic/links/link-table.ts';
import { type CheapestPaths, cheapestPaths, type RouterCost } from '../../../../src/domain/traffic/links/paths.ts';

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

/** The paths from a router over links that were reported in this order. */
const pathsFrom = (from: string, links: readonly RouterLink[], known: ReadonlyMap<string, RouterCost>): CheapestPaths => {
  const table = createLinkTable();
  for (const one of links) table.report(one);
  return finished(cheapestPaths(from, table, known));
};

describe('ways between routers', () => {
  test('the one with the fewest links is taken, in either direction of a link', () => {
    const links = [link('a', 'b'), link('c', 'b'), link('a', 'd'), link('d', 'e'), link('e', 'c')];
    const paths = pathsFrom('a', links, routers('abcde'));
    assert.deepEqual(paths.to('c'), { cost: 2, routers: ['a', 'b', 'c'], links: ['a-b', 'c-b'] });
    assert.deepEqual(paths.to('a'), { cost: 0, routers: ['a'], links: [] });
  });

  test('routers that cost more are avoided, and those not to be traversed are ends only', () => {
    const links = [link('a', 'b'), link('b', 'c'), link('a', 'd'), link('d', 'e'), link('e', 'c')];
    assert.deepEqual(pathsFrom('a', links, routers('abcde', { b: { cost: 5 } })).to('c')?.routers, ['a', 'd', 'e', 'c']);
    const ends = pathsFrom('a', links, routers('abcde', { b: { noTraversal: true }, a: { noTraversal: true } }));
    assert.deepEqual(
      [ends.to('c')?.routers, ends.to('b')?.routers],
      [
        ['a', 'd', 'e', 'c'],
        ['a', 'b'],
      ],
    );
  });

  test('routers that are not there are no way, nor is a link to itself', () => {
    const links = [link('a', 'b'), link('b', 'c'), link('a', 'a')];
    const reached = (from: string, names: string) =>
      [...'abcx'].filter((to) => pathsFrom(from, links, routers(names)).costTo(to) !== undefined);
    assert.deepEqual(reached('a', 'ac'), ['a']);
    assert.deepEqual(reached('x', 'abc'), []);
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
          new Map([...names].map((to) => [to, pathsFrom('a', links, known).costTo(to)] as const).filter(([, cost]) => cost !== undefined)),
          new Map([...least].sort()),
        );
      }),
    );
  });
});

describe('the work for paths', () => {
  const known = routers('abc');
  test('does not grow with links between the same routers, nor with links to routers that do not exist', () => {
    const links = [link('a', 'b'), link('b', 'c')];
    const { steps } = pathsFrom('a', links, known);
    const parallel = Array.from({ length: 5000 }, (_, i) => link('a', 'b', `parallel ${i}`));
    assert.equal(pathsFrom('a', [...links, ...parallel], known).steps, steps);
    const invented = Array.from({ length: 5000 }, (_, i) => link('a', `router ${i}`));
    assert.ok(pathsFrom('a', [...links, ...invented], known).steps <= steps + known.size);
  });

  test('is done again only if links between routers come or go', () => {
    const links = createLinkTable();
    const changes = (change: () => void): boolean => {
      const before = links.generation;
      change();
      return links.generation !== before;
    };
    assert.ok(changes(() => links.report(link('a', 'b'))));
    assert.ok(!changes(() => links.report(link('b', 'a', 'other'))));
    assert.ok(!changes(() => links.report({ ...link('a', 'b'), iteration: 2 })));
    assert.ok(!changes(() => links.updateConnections({ id: 'a-b', from: 'a', iteration: 2, connections: [] })));
    assert.ok(changes(() => links.remove('a-b')));
    assert.deepEqual([...(links.neighbours('a').get('b') ?? [])], ['other']);
    assert.ok(changes(() => links.report(link('b', 'c', 'other'))));
    assert.deepEqual([links.neighbours('a').size, ...links.neighbours('c').keys()], [0, 'b']);
    assert.ok(changes(() => links.removeAll('c')));
    assert.deepEqual(links.all(), []);
  });
});

describe('links', () => {
  test('a router reports a bounded number of them, also to one router; others may report as many', () => {
    const links = createLinkTable();
    for (let i = 0; i < 100; i++) links.report(link('a', 'b', `parallel ${i}`));
    assert.equal(links.all().length, 16);
    links.report(link('b', 'a'));
    assert.equal(links.all().length, 17);
    for (let i = 0; i < 3000; i++) links.report(link('a', `router ${i}`));
    assert.equal(links.all().length, 2001);
  });

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
