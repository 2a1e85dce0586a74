import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { internalsOf } from '../../../../src/controller/controller-inside.ts';
import { findPaths } from '../../../../src/fabric/links/fabric-paths.ts';
import { createLinkTable } from '../../../../src/fabric/links/link-table.ts';
import { type TestNetwork, testNetwork } from '../../../../testing/index.ts';

/** Routers in the store, of which some are connected. */
const fabricOf = async (network: TestNetwork, count: number) => {
  const { core, events } = internalsOf(network.controller);
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await network.controller.api.routers.create({ body: { name: crypto.randomUUID() } })).id);
  const here = new Set(ids);
  let generation = 0;
  const connected = {
    get generation() {
      return generation;
    },
    get: (id: string) => (here.has(id) ? id : undefined),
    all: () => [...here].map((id) => ({ id })),
  };
  const links = createLinkTable();
  return {
    ids,
    here,
    links,
    fabric: { core, events, connected },
    comeOrGo: (id: string) => {
      if (!here.delete(id)) here.add(id);
      generation++;
    },
    link: (from: string, to: string, id: string) =>
      links.report({ id, from, to, iteration: 0, protocol: 'tls', dialAddress: '', connections: [] }),
  };
};

describe('paths between the routers of a controller', () => {
  test('are the cheapest, whatever has changed since the last circuit', async () => {
    await using network = await testNetwork();
    const { api } = network.controller;
    const anyChange = fc.record({
      kind: fc.constantFrom(
        'link',
        'link',
        'link',
        'linkCost',
        'fault',
        'fault',
        'connection',
        'cost',
        'noTraversal',
        'disabled',
        'refresh',
        'delete',
      ),
      link: fc.nat({ max: 20 }),
      one: fc.nat({ max: 5 }),
      other: fc.nat({ max: 5 }),
      value: fc.nat({ max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyChange, { minLength: 20, maxLength: 60 }), async (changes) => {
        const { ids, here, links, fabric, comeOrGo, link } = await fabricOf(network, 6);
        const rows = new Map(ids.map((id) => [id, { cost: 0, noTraversal: false, disabled: false }]));
        const paths = findPaths(fabric, links);
        for (const { kind, one, other, value, ...change } of changes) {
          const [id = '', to = ''] = [ids[one], ids[other]];
          const row = rows.get(id);
          if (kind === 'link') link(id, to, `link ${change.link}`);
          else if (kind === 'linkCost') links.set(`link ${change.link}`, { staticCost: value, isDown: other === 0 });
          else if (kind === 'fault') links.remove(`link ${change.link}`);
          else if (kind === 'connection') comeOrGo(id);
          else if (kind === 'refresh') links.removeExcept(id, new Set([`link ${change.link}`]));
          else if (kind === 'delete') links.removeAll(id);
          else if (row) {
            const body = kind === 'cost' ? { cost: value } : { [kind]: value > 2 };
            Object.assign(row, body);
            await api.routers.patch({ id, body });
          }
          const usable = (router: string) => here.has(router) && !rows.get(router)?.disabled;
          const from = ids[value] ?? '';
          // Bellman and Ford.
          const least = new Map(usable(from) ? [[from, 0]] : []);
          for (const _ of ids)
            for (const { from: a, to: b, staticCost, isDown } of links.all())
              for (const [near, far] of [
                [a, b],
                [b, a],
              ] as const) {
                const known = least.get(near);
                const mayPass = near === from || !rows.get(near)?.noTraversal;
                const cost = (known ?? 0) + staticCost + (rows.get(far)?.cost ?? 0);
                if (known !== undefined && !isDown && mayPass && usable(far) && cost < (least.get(far) ?? Infinity)) least.set(far, cost);
              }
          const found = await paths.from(from, 'current');
          for (const router of ids) {
            assert.equal(found.costTo(router), least.get(router));
            assert.ok(found.to(router)?.links.every((used) => links.get(used)) ?? true);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('are those of before the latest changes for a router whose links change more often than they can be computed', async () => {
    await using network = await testNetwork();
    const { ids, links, fabric, link } = await fabricOf(network, 3);
    const [a = '', b = '', c = ''] = ids;
    const paths = findPaths(fabric, links, { perMinute: 30, burst: 30 });
    link(a, b, 'a-b');
    link(b, c, 'b-c');
    /** Closes the link between a and c, or opens it again. @returns the cost of the path that it makes shorter, before and after */
    const flap = async (accuracy: 'current' | 'recent') => {
      const before = (await paths.from(a, accuracy)).costTo(c);
      if (!links.remove('a-c')) link(a, c, 'a-c');
      return [before, (await paths.from(a, accuracy)).costTo(c)];
    };
    assert.deepEqual(
      [await flap('recent'), await flap('recent')],
      [
        [2, 1],
        [1, 2],
      ],
    );
    for (let i = 0; i < 20; i++) await flap('recent');
    const [before, after] = await flap('recent');
    assert.equal(before, after);
    // What is needed at once is not bounded, and routers do not spend what others have.
    assert.deepEqual((await flap('current')).toSorted(), [1, 2]);
    assert.equal((await paths.from(c, 'recent')).costTo(a), links.get('a-c') ? 1 : 2);
    network.clock.advance('5m');
    assert.deepEqual((await flap('recent')).toSorted(), [1, 2]);
  });
});
