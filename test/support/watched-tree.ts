import type { Tree } from '../../adapters/storage/memory/tree.ts';

/** A tree that tells when a leaf of it is looked at. */
export const watched = <V>(tree: Tree<V>, look: () => void): Tree<V> =>
  new Proxy(tree, {
    get: (node, name) => {
      if (name === 'values') look();
      return name === 'children' ? node.children?.map((child) => watched(child, look)) : Reflect.get(node, name);
    },
  });
