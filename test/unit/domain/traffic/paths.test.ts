import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { finished } from '../../../../src/fabric/control-channel/codec/message.ts';
import { createLinkTable, type LinkChange, type ReportedLink } from '../../../../src/fabric/links/link-table.ts';
import { type CheapestPaths, cheapestPaths, type FabricPath, type RouterCost } from '../../../../src/fabric/links/paths.ts';

const link = (from: string, to: string, id = `${from}-${to}`): ReportedLink => ({
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
const pathsFrom = (
  from: string,
  links: readonly ReportedLink[],
  known: ReadonlyMap<string, RouterCost>,
  costs: Readonly<Record<string, number>> = {},
): CheapestPaths => {
  const table = createLinkTable();
  for (const one of links) table.report(one);
  for (const [id, staticCost] of Object.entries(costs)) table.set(id, { staticCost });
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

  test('links that cost more are avoided; of several between two routers, the cheapest in use is taken', () => {
    const table = createLinkTable();
    for (const one of [link('a', 'b'), link('b', 'a', 'second'), link('a', 'c'), link('c', 'b')]) table.report(one);
    const taken = () => finished(cheapestPaths('a', table, routers('abc'))).to('b')?.links;
    assert.deepEqual(taken(), ['a-b']);
    table.set('a-b', { staticCost: 2 });
    assert.deepEqual(taken(), ['second']);
    table.set('second', { isDown: true });
    assert.deepEqual(taken(), ['a-b']);
    table.set('a-b', { staticCost: 3 });
    assert.deepEqual(taken(), ['a-c', 'c-b']);
    table.set('second', { isDown: false });
    assert.deepEqual(taken(), ['second']);
  });

  test('what administrators set is kept while the link lives, and not when it leads elsewhere', () => {
    const links = createLinkTable();
    links.report(link('a', 'b', 'l'));
    assert.ok(links.set('l', { staticCost: 9, isDown: true }));
    links.report({ ...link('a', 'b', 'l'), iteration: 2 });
    links.updateConnections({ id: 'l', from: 'a', iteration: 2, connections: [] });
    assert.partialDeepStrictEqual(links.get('l'), { staticCost: 9, isDown: true, iteration: 2 });
    links.report({ ...link('a', 'c', 'l'), iteration: 3 });
    assert.partialDeepStrictEqual(links.get('l'), { staticCost: 1, isDown: false });
    assert.ok(!links.set('none', { staticCost: 9 }));
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
    const anyLinkCosts = fc.array(fc.nat({ max: 4 }), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(anyLinks, anyCosts, anyLinkCosts, (pairs, costs, linkCosts) => {
        const set = Object.fromEntries(linkCosts.map((cost, i) => [`link ${i}`, cost]));
        const known = routers(names, Object.fromEntries([...names].map((name, i) => [name, { cost: costs[i] ?? 0 }])));
        const links = pairs.map(([from, to], i) => link(from, to, `link ${i}`));
        // Bellman and Ford: as many rounds as there are routers.
        const least = new Map([['a', 0]]);
        for (const _ of names)
          for (const { from, to, id } of links)
            for (const [one, other] of [
              [from, to],
              [to, from],
            ] as const) {
              const cost = (least.get(one) ?? Infinity) + (set[id] ?? 1) + (known.get(other)?.cost ?? 0);
              if (one !== other && cost < (least.get(other) ?? Infinity)) least.set(other, cost);
            }
        assert.deepEqual(
          new Map(
            [...names].map((to) => [to, pathsFrom('a', links, known, set).costTo(to)] as const).filter(([, cost]) => cost !== undefined),
          ),
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

  test('is done again only if the first link between two routers comes or goes', () => {
    const links = createLinkTable();
    const changed: string[] = [];
    links.onChange(({ from }) => changed.push(from));
    const changes = (change: () => void): boolean => {
      change();
      return changed.splice(0).length > 0;
    };
    assert.ok(changes(() => links.report(link('a', 'b'))));
    assert.ok(!changes(() => links.report(link('b', 'a', 'other'))));
    assert.ok(!changes(() => links.report({ ...link('a', 'b'), iteration: 2 })));
    assert.ok(!changes(() => links.updateConnections({ id: 'a-b', from: 'a', iteration: 2, connections: [] })));
    assert.ok(changes(() => links.remove('a-b')));
    assert.equal(links.neighbours('a').get('b')?.used?.id, 'other');
    assert.ok(changes(() => links.set('other', { staticCost: 7 })));
    assert.ok(!changes(() => links.set('other', { staticCost: 7 })));
    assert.ok(changes(() => links.report(link('b', 'c', 'other'))));
    assert.deepEqual([links.neighbours('a').size, ...links.neighbours('c').keys()], [0, 'b']);
    assert.ok(changes(() => links.removeAll('c')));
    assert.deepEqual(links.all(), []);
  });

  test('is not done again for links that no path uses, and that make none cheaper', () => {
    const links = [link('a', 'b'), link('a', 'c'), link('b', 'c')];
    const paths = pathsFrom('a', links, routers('abcd', { c: { noTraversal: true } }));
    const removed = ({ id, from, to }: ReportedLink): LinkChange => ({ from, to, former: id, current: undefined });
    const added = ({ id, from, to }: ReportedLink, staticCost = 1): LinkChange => ({
      from,
      to,
      former: undefined,
      current: { id, staticCost, sourceLatency: 0, destLatency: 0 },
    });
    assert.deepEqual(
      links.map((one) => paths.isChangedBy(removed(one))),
      [true, true, false],
    );
    const others = [link('c', 'd'), link('d', 'b'), link('b', 'x'), link('x', 'd'), link('a', 'b', 'other')];
    assert.deepEqual(
      others.map((one) => paths.isChangedBy(added(one))),
      [false, true, false, false, false],
    );
    assert.ok(paths.isChangedBy(added(link('a', 'b', 'other'), 0)));
  });

  test('is done again if it has to: kept paths are as cheap as new ones, and use links that exist, also if links change while they are computed', () => {
    const names = 'abcdef';
    const anyChange = fc.record({
      do: fc.constantFrom('report', 'report', 'report', 'set', 'set', 'remove', 'leave', 'refresh'),
      staticCost: fc.nat({ max: 3 }),
      isDown: fc.boolean(),
      id: fc.nat({ max: 14 }),
      from: fc.constantFrom(...names),
      to: fc.constantFrom(...names),
    });
    const anyRouters = fc.array(fc.record({ cost: fc.nat({ max: 3 }), noTraversal: fc.boolean() }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 80 }), anyRouters, fc.nat({ max: 6 }), (changes, costs, during) => {
        const known = new Map([...names].flatMap((name, i) => (costs[i] ? [[name, costs[i]] as const] : [])));
        const table = createLinkTable();
        let kept: CheapestPaths | undefined;
        let pending: LinkChange[] = [];
        table.onChange((changed) => pending.push(changed));
        const apply = ({ do: action, id, from, to, staticCost, isDown }: (typeof changes)[number]) => {
          if (action === 'report') table.report({ ...link(from, to, `link ${id}`), iteration: 0 });
          else if (action === 'set') table.set(`link ${id}`, { staticCost, isDown });
          else if (action === 'remove') table.remove(`link ${id}`);
          else if (action === 'leave') table.removeAll(from);
          else table.removeExcept(from, new Set([`link ${id}`]));
        };
        for (let i = 0; i < changes.length; ) {
          if (kept && pending.some((changed) => kept?.isChangedBy(changed))) kept = undefined;
          pending = [];
          if (kept) {
            const current = finished(cheapestPaths('a', table, known));
            for (const to of names) {
              assert.equal(kept.costTo(to), current.costTo(to));
              const { routers: way, links: used }: Pick<FabricPath, 'routers' | 'links'> = kept.to(to) ?? { routers: [], links: [] };
              for (const [at, id] of used.entries())
                assert.deepEqual([table.get(id)?.from, table.get(id)?.to].sort(), [way[at], way[at + 1]].sort());
            }
          } else {
            const work = cheapestPaths('a', table, known);
            for (let step = work.next(), n = 0; ; step = work.next(), n++) {
              if (step.done) {
                kept = step.value;
                break;
              }
              const change = changes[i];
              if (n >= during || !change) continue;
              apply(change);
              i++;
            }
          }
          const change = changes[i++];
          if (change) apply(change);
        }
      }),
      { numRuns: 2000 },
    );
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
    assert.partialDeepStrictEqual(links.get('l'), { ...link('a', 'b', 'l'), iteration: 2 });
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
