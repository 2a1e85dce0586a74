/**
 * A force-directed layout (Fruchterman and Reingold, 1991): connected nodes attract each other, and all nodes repel those nearby. A grid finds
 * these, so that a step takes time proportional to the number of nodes and edges. The same graph has the same layout.
 */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The distance that connected nodes tend to. */
export const SPACING = 130;
/** Steps of a new layout, of one with many nodes, and of one that continues from earlier positions. */
const STEPS = { first: 150, many: 80, next: 30 } as const;
const MANY = 300;
/** The part of its distance by which each step pulls a node towards the center: it keeps parts without connection together. */
const GRAVITY = 0.2;
/** The golden angle: points of a spiral with it are spread evenly. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

interface Body {
  x: number;
  y: number;
  /** The displacement of this step. */
  dx: number;
  dy: number;
}

/** @param earlier positions to continue from, by key: nodes keep their places when others come and go */
export const forceLayout = (
  keys: readonly string[],
  edges: readonly (readonly [string, string])[],
  earlier: ReadonlyMap<string, Point> = new Map(),
): ReadonlyMap<string, Point> => {
  const bodies = new Map(keys.map((key, index) => [key, bodyAt(earlier.get(key) ?? startOf(key, index, edges, earlier))]));
  const pairs = edges.flatMap(([from, to]) => {
    const [one, other] = [bodies.get(from), bodies.get(to)];
    return one && other ? [[one, other] as const] : [];
  });
  const isNew = keys.every((key) => !earlier.has(key));
  const steps = isNew ? (keys.length > MANY ? STEPS.many : STEPS.first) : STEPS.next;
  for (let step = 0; step < steps; step++) {
    repel([...bodies.values()]);
    attract(pairs);
    move(bodies.values(), SPACING * (1 - step / steps));
  }
  return new Map([...bodies].map(([key, { x, y }]) => [key, { x, y }]));
};

const bodyAt = ({ x, y }: Point): Body => ({ x, y, dx: 0, dy: 0 });

/** A new node begins beside a neighbour that has a place already; the nodes of a new layout begin on a spiral. */
const startOf = (key: string, index: number, edges: readonly (readonly [string, string])[], earlier: ReadonlyMap<string, Point>): Point => {
  const edge =
    earlier.size > 0 ? edges.find(([from, to]) => (from === key && earlier.has(to)) || (to === key && earlier.has(from))) : undefined;
  const center = edge && earlier.get(edge[0] === key ? edge[1] : edge[0]);
  const radius = center ? SPACING / 2 : SPACING * Math.sqrt(index + 0.5) * 0.7;
  return {
    x: (center?.x ?? 0) + radius * Math.cos(index * GOLDEN_ANGLE),
    y: (center?.y ?? 0) + radius * Math.sin(index * GOLDEN_ANGLE),
  };
};

/** The side of a cell of the grid: nodes farther apart do not repel each other. */
const CELL = 2 * SPACING;
/** More cells than a row of any layout has. */
const ROW = 2 ** 20;
const cellOf = ({ x, y }: Body): number => Math.floor(x / CELL) * ROW + Math.floor(y / CELL);
/** A cell and its neighbours, as differences of their numbers. */
const AROUND = [-1, 0, 1].flatMap((column) => [-1, 0, 1].map((row) => column * ROW + row));

/** Pushes nodes apart that are near each other. */
const repel = (bodies: readonly Body[]): void => {
  const cells = Map.groupBy(bodies, cellOf);
  for (const [cell, inside] of cells)
    for (const difference of AROUND)
      for (const other of cells.get(cell + difference) ?? []) for (const body of inside) if (body !== other) push(body, other);
};

const push = (body: Body, { x, y }: Body): void => {
  const [dx, dy] = [body.x - x, body.y - y];
  const square = Math.max(1, dx * dx + dy * dy);
  if (square > CELL * CELL) return;
  const force = (SPACING * SPACING) / square;
  body.dx += dx * force;
  body.dy += dy * force;
};

const attract = (pairs: readonly (readonly [Body, Body])[]): void => {
  for (const [one, other] of pairs) {
    const [dx, dy] = [other.x - one.x, other.y - one.y];
    const force = Math.hypot(dx, dy) / SPACING;
    one.dx += dx * force;
    one.dy += dy * force;
    other.dx -= dx * force;
    other.dy -= dy * force;
  }
};

/** Moves each node by its displacement, but not farther than `limit`, which shrinks from step to step. */
const move = (bodies: Iterable<Body>, limit: number): void => {
  for (const body of bodies) {
    const [dx, dy] = [body.dx - body.x * GRAVITY, body.dy - body.y * GRAVITY];
    const length = Math.hypot(dx, dy) || 1;
    const share = Math.min(length, limit) / length;
    body.x += dx * share;
    body.y += dy * share;
    [body.dx, body.dy] = [0, 0];
  }
};
