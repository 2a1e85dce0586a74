/** Members by the keys that each has. */
export interface Groups<T> {
  add(member: T): void;
  remove(member: T): void;
  /** The members with a key, in insertion order. */
  of(key: string): readonly T[];
  /** How many have a key. */
  size(key: string): number;
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
    size: (key) => byKey.get(key)?.size ?? 0,
  };
};

/** Members by id, and by the keys that each has. */
export interface IndexedMap<T> extends Pick<Groups<T>, 'of' | 'size'> {
  get(id: string): T | undefined;
  all(): readonly T[];
  /** Adds a member, in place of the one with its id. */
  set(member: T): void;
  /** @returns the member, if there was one */
  delete(id: string): T | undefined;
}

/** @param keysOf the keys of a member; they must not change while it is in the group */
export const createIndexedMap = <T extends { readonly id: string }>(keysOf: (member: T) => readonly string[]): IndexedMap<T> => {
  const byId = new Map<string, T>();
  const groups = createGroups(keysOf);
  return {
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    set: (member) => {
      const known = byId.get(member.id);
      if (known) groups.remove(known);
      byId.set(member.id, member);
      groups.add(member);
    },
    delete: (id) => {
      const known = byId.get(id);
      if (known) groups.remove(known);
      byId.delete(id);
      return known;
    },
    of: groups.of,
    size: groups.size,
  };
};
