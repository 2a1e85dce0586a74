/** The layout and the nodes of the picture of a network. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forceLayout, SPACING } from '../../../console/app/force-layout.ts';
import type { GraphLink, GraphRouter, NetworkGraph } from '../../../console/app/network-graph.ts';
import { networkNodes, usualGrouping } from '../../../console/app/network-groups.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => `r${index}`);
/** Each node with the next three. */
const ring = (keys: readonly string[]) =>
  keys.flatMap((key, index) => [1, 2, 3].map((step) => [key, keys[(index + step) % keys.length] ?? ''] as const));

test('a thousand routers are laid out with space between them', () => {
  const keys = names(1000);
  const points = [...forceLayout(keys, ring(keys)).values()];
  assert.equal(points.length, 1000);
  const nearest = points.map((point) =>
    Math.min(...points.map(({ x, y }) => Math.hypot(point.x - x, point.y - y) || Number.POSITIVE_INFINITY)),
  );
  assert.ok(
    nearest.every((distance) => Number.isFinite(distance) && distance > SPACING / 20),
    `${Math.min(...nearest)}`,
  );
});

test('the same graph has the same layout', () => {
  const keys = names(50);
  assert.deepEqual(forceLayout(keys, ring(keys)), forceLayout(keys, ring(keys)));
});

test('linked routers are nearer to each other than others', () => {
  const keys = names(12);
  const edges = ring(keys.slice(0, 6)).concat(ring(keys.slice(6)));
  const points = forceLayout(keys, edges);
  const distance = (one: string, other: string) => {
    const [a, b] = [points.get(one), points.get(other)];
    assert.ok(a && b);
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  assert.ok(distance('r0', 'r1') < distance('r0', 'r7'));
});

test('when a router joins, the others stay about where they are', () => {
  const keys = names(30);
  const before = forceLayout(keys, ring(keys));
  const after = forceLayout([...keys, 'new'], [...ring(keys), ['r0', 'new']], before);
  for (const key of keys) {
    const [was, is] = [before.get(key), after.get(key)];
    assert.ok(was && is && Math.hypot(was.x - is.x, was.y - is.y) < 3 * SPACING, key);
  }
});

const router = (id: string, more: Partial<GraphRouter> = {}): GraphRouter => ({
  id,
  name: id,
  group: 'edgeRouters',
  state: 'online',
  roleAttributes: [],
  circuits: 0,
  clients: [],
  services: new Map(),
  ...more,
});
const link = (one: string, other: string, cost = 1): GraphLink => ({
  ends: [one, other],
  protocols: ['tls'],
  count: 1,
  cost,
  latency: 0,
  bytes: undefined,
  circuits: 0,
});

test('a group of routers has the worst state of its members, and the links of all', () => {
  const graph: NetworkGraph = {
    routers: [
      router('a', { roleAttributes: ['eu'], clients: ['ann'] }),
      router('b', { roleAttributes: ['eu'], state: 'offline', clients: ['ann', 'bob'] }),
      router('c', { roleAttributes: ['us'], state: 'disabled' }),
    ],
    links: [link('a', 'b'), link('a', 'c', 7), link('c', 'b', 5)],
    partial: [],
  };
  const { nodes, edges } = networkNodes(graph, 'attributes');
  assert.deepEqual(
    nodes.map(({ label, state }) => [label, state]),
    [
      ['#eu (2)', 'offline'],
      ['#us (1)', 'disabled'],
      ['2 identities', undefined],
    ],
  );
  assert.deepEqual(
    edges.map(({ links }) => links.map(({ cost }) => cost)),
    [[7, 5], []],
  );
});

test('links to routers that are not in the picture are left out', () => {
  const graph: NetworkGraph = { routers: [router('a')], links: [link('a', 'gone')], partial: [] };
  assert.deepEqual(networkNodes(graph, 'routers').edges, []);
});

test('more than 60 routers are shown by their role attributes if that makes fewer nodes', () => {
  const graphOf = (count: number, attributes: (id: string) => readonly string[]): NetworkGraph => ({
    routers: names(count).map((id) => router(id, { roleAttributes: attributes(id) })),
    links: [],
    partial: [],
  });
  assert.equal(usualGrouping(graphOf(60, () => ['all'])), 'routers');
  assert.equal(usualGrouping(graphOf(61, () => ['all'])), 'attributes');
  assert.equal(usualGrouping(graphOf(61, (id) => [id])), 'routers');
});
