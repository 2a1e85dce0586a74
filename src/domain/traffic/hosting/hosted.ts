import type { TrafficRight } from '../rights/right.ts';

/** A terminator that a router hosts now, for a client. */
export interface HostedTerminator {
  /** Also its address at the router. */
  readonly id: string;
  readonly routerId: string;
  readonly right: TrafficRight;
  /** What whoever dials it gets to know, e.g. the public key of the client. */
  readonly peerData: ReadonlyMap<number, Uint8Array>;
  /** Lets go of its right. */
  release(): void;
}

/** The terminators that routers host, as long as these are connected. Their rows are in the store; what is here comes again with the router. */
export interface HostedTerminators {
  get(id: string): HostedTerminator | undefined;
  set(terminator: HostedTerminator): void;
  forget(id: string): void;
  ofRouter(routerId: string): readonly HostedTerminator[];
}

export const createHostedTerminators = (): HostedTerminators => {
  const byId = new Map<string, HostedTerminator>();
  return {
    get: (id) => byId.get(id),
    set: (terminator) => {
      byId.get(terminator.id)?.release();
      byId.set(terminator.id, terminator);
    },
    forget: (id) => {
      byId.get(id)?.release();
      byId.delete(id);
    },
    ofRouter: (routerId) => [...byId.values()].filter((one) => one.routerId === routerId),
  };
};
