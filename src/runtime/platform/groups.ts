/** Groups members by key; a member may have several keys. */
export interface Groups<T> {
  add(member: T): void;
  remove(member: T): void;
  /** The members with a key, in insertion order. */
  of(key: string): readonly T[];
  /** The number of members with a key. */
  size(key: string): number;
}

export const createGroups = <T>(keysOf: (member: T) => readonly string[]): Groups<T> => {
  const byKey = new Map<string, Set<T>>();
  return {
    add: (member) => {
      for (const key of keysOf(member)) {
        const group = byKey.get(key);
        if (group) group.add(member);
        else byKey.set(key, new Set([member]));
      }
    },
    remove: (member) => {
      for (const key of keysOf(member)) {
        const group = byKey.get(key);
        group?.delete(member);
        if (group?.size === 0) byKey.delete(key);
      }
    },
    of: (key) => [...(byKey.get(key) ?? [])],
    size: (key) => byKey.get(key)?.size ?? 0,
  };
};

/** Indexes members by id and by key. */
export interface IndexedMap<T> extends Pick<Groups<T>, 'of' | 'size'> {
  get(id: string): T | undefined;
  all(): readonly T[];
  /** Adds a member, or replaces the one with the same id. */
  set(member: T): void;
  /** @returns the removed member, if there was one */
  delete(id: string): T | undefined;
}

/** @param keysOf the keys of a member; they must not change while it is in the map */
export const createIndexedMap = <T extends { readonly id: string }>(keysOf: (member: T) => readonly string[]): IndexedMap<T> => {
  const byId = new Map<string, T>();
  const groups = createGroups(keysOf);
  return {
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    set: (member) => {
      const previous = byId.get(member.id);
      if (previous) groups.remove(previous);
      byId.set(member.id, member);
      groups.add(member);
    },
    delete: (id) => {
      const member = byId.get(id);
      if (member) groups.remove(member);
      byId.delete(id);
      return member;
    },
    of: groups.of,
    size: groups.size,
  };
};
