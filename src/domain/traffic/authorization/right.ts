import type { PolicyType } from '../../../api/policies.ts';

/** What a terminator or a circuit stands on: that an identity may dial or bind a service by a router, in a session or by the tunneler of the router itself. */
export interface TrafficRight {
  /** Empty for a tunneler, as is `apiSessionId`. */
  readonly sessionId: string;
  /** Whether the session is stored: not where signed tokens stand for the API session. */
  readonly isStored: boolean;
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: PolicyType;
  readonly routerId: string;
}

/** Whether a router does it by its own tunneler, as the identity that it is itself. */
export const isOfTunneler = ({ sessionId }: Pick<TrafficRight, 'sessionId'>): boolean => sessionId === '';
