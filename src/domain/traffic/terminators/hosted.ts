import { createIndexedMap } from '../../../platform/groups.ts';
import type { TrafficRight } from '../authorization/right.ts';
import type { PeerData } from './peer-data.ts';

/** A terminator that a router hosts now. */
export interface HostedTerminator {
  /** Also its address at the router. */
  readonly id: string;
  readonly routerId: string;
  readonly right: TrafficRight;
  /** What whoever dials it gets to know, e.g. the public key of the client. */
  readonly peerData: PeerData;
  /** Whether its router has said so since it connected; otherwise the store says that it did before. */
  readonly isConfirmed: boolean;
  /** Lets go of its right. */
  release(): void;
}

/** The terminators that routers host, as long as these are connected. Their rows are in the store. */
export interface HostedTerminators {
  get(id: string): HostedTerminator | undefined;
  set(terminator: HostedTerminator): void;
  forget(id: string): void;
  ofRouter(routerId: string): readonly HostedTerminator[];
}

export const createHostedTerminators = (): HostedTerminators => {
  const hosted = createIndexedMap<HostedTerminator>(({ routerId }) => [routerId]);
  const forget = (id: string): void => hosted.delete(id)?.release();
  return {
    get: hosted.get,
    set: (terminator) => {
      forget(terminator.id);
      hosted.set(terminator);
    },
    forget,
    ofRouter: hosted.of,
  };
};
