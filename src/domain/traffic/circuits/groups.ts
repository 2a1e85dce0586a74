/** Members by the keys that each has. */
export interface Groups<T> {
  add(member: T): void;
  remove(member: T): void;
  /** Those with a key, in the order in which they were added. */
  of(key: string): readonly T[];
}

export const createGroups = <T>(keysOf: (member: T) => readonly string[]): Groups<T> => {
  const byKey = new Map<string, Set<T>>();
  return {
    add: (member) => {
      for (const key of keysOf(member)) {
        const known = byKey.get(key);
        if (known) known.add(member);
        else byKey.set(key, new Set([member]));
      }
    },
    remove: (member) => {
      for (const key of keysOf(member)) {
        const known = byKey.get(key);
        known?.delete(member);
        if (known?.size === 0) byKey.delete(key);
      }
    },
    of: (key) => [...(byKey.get(key) ?? [])],
  };
};
