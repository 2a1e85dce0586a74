/**
 * A persistent B+ tree with path copying: `set` and `remove` return a new tree that shares all nodes except those of one path with the old
 * one. The rows of a table and its indexes are such trees. Readers keep a root as their snapshot, and a rollback returns to the old root. A
 * write takes time proportional to the depth of the tree (three levels at 100,000 keys).
 */
import { compareKeys, type Key } from './order.ts';

export type Tree<V> = Leaf<V> | Branch<V>;

interface Leaf<V> {
  readonly keys: readonly Key[];
  readonly values: readonly V[];
  readonly children?: never;
  readonly size: number;
}

interface Branch<V> {
  /** For each child, a lower bound of its keys. */
  readonly keys: readonly Key[];
  readonly children: readonly Tree<V>[];
  readonly size: number;
}

/**
 * Maximum number of entries or children of a node. Measured: inserts are as fast as with 16 and 64, and lookups are faster than with 16.
 */
const MAX_WIDTH = 32;

const leaf = <V>(keys: readonly Key[], values: readonly V[]): Leaf<V> => ({ keys, values, size: keys.length });
const branch = <V>(keys: readonly Key[], children: readonly Tree<V>[]): Branch<V> => ({
  keys,
  children,
  size: children.reduce((sum, child) => sum + child.size, 0),
});

export const emptyTree = <V>(): Tree<V> => leaf<V>([], []);

export const get = <V>(tree: Tree<V>, key: Key): V | undefined => {
  let node = tree;
  while (node.children) node = at(node.children, childFor(node.keys, key));
  const index = firstNotBelow(node.keys, key);
  return index < node.keys.length && compareKeys(at(node.keys, index), key) === 0 ? node.values[index] : undefined;
};

/** The number of keys less than `key`. The tree need not contain `key` itself. */
export const countBelow = <V>(tree: Tree<V>, key: Key): number => {
  let count = 0;
  let node = tree;
  while (node.children) {
    const index = childFor(node.keys, key);
    for (const child of node.children.slice(0, index)) count += child.size;
    node = at(node.children, index);
  }
  return count + firstNotBelow(node.keys, key);
};

export const set = <V>(tree: Tree<V>, key: Key, value: V): Tree<V> => {
  const [only, ...more] = put(tree, key, value);
  return more.length === 0 && only ? only : nodes([only, ...more] as readonly Tree<V>[]); // `put` returns at least one
};

export const remove = <V>(tree: Tree<V>, key: Key): Tree<V> => {
  const rest = take(tree, key);
  return rest.children?.length === 1 ? at(rest.children, 0) : rest;
};

/** Skips `skip` entries, then calls `visit` in order of key (backwards if `descending`) until it returns false. */
export const walk = <V>(tree: Tree<V>, visit: (value: V, key: Key) => boolean, { skip = 0, descending = false } = {}): boolean => {
  const length = tree.keys.length;
  for (let step = 0; step < length; step++) {
    const index = descending ? length - 1 - step : step;
    if (!tree.children) {
      // In bounds, because a leaf has as many values as keys. `at` would reject values that are undefined.
      if (step >= skip && !visit(tree.values[index] as V, at(tree.keys, index))) return false;
      continue;
    }
    const child = at(tree.children, index);
    if (skip >= child.size) skip -= child.size;
    else {
      if (!walk(child, visit, { skip, descending })) return false;
      skip = 0;
    }
  }
  return true;
};

/** A range of keys. Both bounds are inclusive; undefined means unbounded. */
export interface Bounds {
  readonly low?: Key | undefined;
  readonly high?: Key | undefined;
}

/** Like `walk`, but only over the keys within bounds. */
export const walkWithin = <V>(
  tree: Tree<V>,
  bounds: Bounds,
  visit: (value: V, key: Key) => boolean,
  { skip = 0, descending = false } = {},
): boolean => {
  let left = keysWithin(tree, bounds) - skip;
  if (left <= 0) return true;
  const below = bounds.low === undefined ? 0 : countBelow(tree, bounds.low);
  const outside = descending ? tree.size - below - left - skip : below;
  let continues = true;
  const visitWithin = (value: V, key: Key): boolean => {
    continues = visit(value, key);
    return continues && --left > 0;
  };
  walk(tree, visitWithin, { skip: outside + skip, descending });
  return continues;
};

export const keysWithin = <V>(tree: Tree<V>, { low, high }: Bounds): number => {
  const countBeforeLow = low === undefined ? 0 : countBelow(tree, low);
  const countUpToHigh = high === undefined ? tree.size : countBelow(tree, high) + (get(tree, high) === undefined ? 0 : 1);
  return Math.max(0, countUpToHigh - countBeforeLow);
};

/** @returns the node that replaces `tree`, or two nodes if one would exceed the maximum width */
const put = <V>(tree: Tree<V>, key: Key, value: V): readonly Tree<V>[] => {
  if (tree.children) {
    const index = childFor(tree.keys, key);
    const grown = put(at(tree.children, index), key, value);
    const [only] = grown;
    // Only the first child may receive a key that is less than its lower bound, so that the bound changes.
    if (only && grown.length === 1 && index > 0) return [withChild(tree, index, only)];
    return split(nodes(tree.children.toSpliced(index, 1, ...grown)));
  }
  const index = firstNotBelow(tree.keys, key);
  const replaced = index < tree.keys.length && compareKeys(at(tree.keys, index), key) === 0;
  if (replaced) return [leaf(tree.keys, tree.values.with(index, value))];
  return split(leaf(tree.keys.toSpliced(index, 0, key), tree.values.toSpliced(index, 0, value)));
};

const take = <V>(tree: Tree<V>, key: Key): Tree<V> => {
  if (!tree.children) {
    const index = firstNotBelow(tree.keys, key);
    if (index === tree.keys.length || compareKeys(at(tree.keys, index), key) !== 0) return tree;
    return leaf(tree.keys.toSpliced(index, 1), tree.values.toSpliced(index, 1));
  }
  const index = childFor(tree.keys, key);
  const before = at(tree.children, index);
  const after = take(before, key);
  if (after === before) return tree;
  if (after.size === 0) return nodes(tree.children.toSpliced(index, 1));
  const left = tree.children[index - 1];
  const joined = left && join(left, after);
  return joined ? nodes(tree.children.toSpliced(index - 1, 2, joined)) : withChild(tree, index, after);
};

/** The branch with one child replaced, whose lower bound is still valid. */
const withChild = <V>({ keys, children, size }: Branch<V>, index: number, child: Tree<V>): Branch<V> => ({
  keys,
  children: children.with(index, child),
  size: size + child.size - at(children, index).size,
});

/** Merges two neighbours if they are small, so that a shrinking tree stays shallow. */
const join = <V>(left: Tree<V>, right: Tree<V>): Tree<V> | undefined => {
  if (left.keys.length + right.keys.length > MAX_WIDTH / 2) return undefined;
  if (left.children && right.children) return nodes([...left.children, ...right.children]);
  return left.children || right.children ? undefined : leaf([...left.keys, ...right.keys], [...left.values, ...right.values]);
};

const split = <V>(node: Tree<V>): readonly Tree<V>[] => {
  if (node.keys.length <= MAX_WIDTH) return [node];
  const half = node.keys.length >> 1;
  const [low, high] = [node.keys.slice(0, half), node.keys.slice(half)];
  return node.children
    ? [branch(low, node.children.slice(0, half)), branch(high, node.children.slice(half))]
    : [leaf(low, node.values.slice(0, half)), leaf(high, node.values.slice(half))];
};

const nodes = <V>(children: readonly Tree<V>[]): Branch<V> | Leaf<V> =>
  children.length === 0
    ? leaf<V>([], [])
    : branch(
        children.map((child) => at(child.keys, 0)),
        children,
      );

const firstNotBelow = (keys: readonly Key[], key: Key): number => {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareKeys(at(keys, middle), key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The index of the last child whose lower bound is at most `key`; 0 if there is none. */
const childFor = (keys: readonly Key[], key: Key): number => {
  const index = firstNotBelow(keys, key);
  const exact = index < keys.length && compareKeys(at(keys, index), key) === 0;
  return exact ? index : Math.max(0, index - 1);
};

const at = <T>(list: readonly T[], index: number): T => {
  const item = list[index];
  if (item === undefined) throw new RangeError(`no entry ${index} of ${list.length}`);
  return item;
};
