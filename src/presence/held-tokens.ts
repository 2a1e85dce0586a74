/** The token of an API session, as its client presents it. */
export interface HeldToken {
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly token: string;
}

/**
 * The tokens of API sessions whose clients have asked this controller for a service. Stores keep only hashes of tokens; routers, which must recognize the
 * tokens of their clients, learn them from here. In memory only, and bounded: what is forgotten comes back when the client asks again.
 */
export interface HeldTokens {
  note(held: HeldToken): void;
  all(): readonly HeldToken[];
  /** @returns what was known of it */
  forget(apiSessionId: string): HeldToken | undefined;
  /** Who is to hear of tokens that are new. */
  listen(heard: (held: HeldToken) => void): void;
}

/** Tokens that are held at most; the one longest not presented is forgotten first. */
const MOST = 100_000;

export const createHeldTokens = (): HeldTokens => {
  const byId = new Map<string, HeldToken>();
  const listeners: ((held: HeldToken) => void)[] = [];
  return {
    note: (held) => {
      const known = byId.get(held.apiSessionId);
      byId.delete(held.apiSessionId);
      byId.set(held.apiSessionId, known ?? held);
      if (known) return;
      const [oldest] = byId.size > MOST ? byId.keys() : [];
      if (oldest !== undefined) byId.delete(oldest);
      for (const heard of listeners) heard(held);
    },
    all: () => [...byId.values()],
    forget: (id) => {
      const known = byId.get(id);
      byId.delete(id);
      return known;
    },
    listen: (heard) => void listeners.push(heard),
  };
};
