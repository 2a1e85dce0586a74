import type { ConnectedRouter } from '../routers/connected-routers.ts';

/** Which routers were told of which API sessions: a bit for each, by the number of the session, since both may be many. */
export interface ToldSessions {
  has(router: ConnectedRouter, number: number): boolean;
  set(router: ConnectedRouter, number: number, isTold: boolean): void;
  /** The router is to be told of all, as if it knew of none. */
  begin(router: ConnectedRouter): void;
  /** The number is free for another session. */
  forget(number: number): void;
}

export const createToldSessions = (): ToldSessions => {
  /** By router; it is forgotten with its connection. */
  const bits = new Map<ConnectedRouter, Uint8Array>();
  const has: ToldSessions['has'] = (router, number) => (((bits.get(router)?.[number >>> 3] ?? 0) >>> (number & 7)) & 1) === 1;
  const set: ToldSessions['set'] = (router, number, isTold) => {
    const known = bits.get(router);
    if (!known || has(router, number) === isTold) return;
    const wide = number >>> 3 < known.length ? known : widened(known, number);
    wide[number >>> 3] = (wide[number >>> 3] ?? 0) ^ (1 << (number & 7));
    bits.set(router, wide);
  };
  return {
    has,
    set,
    begin: (router) => {
      if (router.channel.signal.aborted) return;
      if (!bits.has(router)) router.channel.signal.addEventListener('abort', () => bits.delete(router));
      bits.set(router, new Uint8Array());
    },
    forget: (number) => {
      for (const router of bits.keys()) set(router, number, false);
    },
  };
};

/** With room for a number. */
const widened = (bits: Uint8Array, number: number): Uint8Array => {
  const wide = new Uint8Array(Math.max((number >>> 3) + 1, 2 * bits.length));
  wide.set(bits);
  return wide;
};
