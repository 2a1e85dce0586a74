import type { Frame } from '../../../control-channel/frame.ts';
import { routeHeader } from '../../../control-channel/header-fields.ts';
import { circuitMessages, routeErrorCode } from '../../../control-channel/messages/circuits.ts';
import { nanoseconds } from '../../../control-channel/nanoseconds.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';

const { route, routeResult, unroute } = circuitMessages;

/** How long routers may take to set up their part of a circuit; the last one asks the host of the service. ms */
const ROUTE_WITHIN = 10_000;

/** How long routers may take to hand on a circuit another way. ms */
const REROUTE_WITHIN = 5000;

/** Headers of a route's outcome from here on are data of the terminator, but for those that say how it went and where. */
const FIRST_OF_PEER_DATA = 1000;
const OWN: ReadonlySet<number> = new Set([
  routeHeader.attempt.key,
  routeHeader.success.key,
  routeHeader.error.key,
  routeHeader.errorCode.key,
  1110,
  1111,
]);

/** The way of a circuit, and what its ends are called. */
export interface PlannedCircuit {
  readonly circuitId: string;
  readonly attempt: number;
  readonly ingress: string;
  readonly egress: string;
  readonly tags: ReadonlyMap<string, string>;
  /** The routers, the ingress first, and the links between them. */
  readonly routers: readonly (ConnectedRouter | undefined)[];
  readonly links: readonly string[];
}

/** Whom the last router of a new circuit reaches. */
export interface CircuitDestination {
  readonly terminator: { readonly binding: string; readonly address: string };
  /** Of who dials. */
  readonly peerData: ReadonlyMap<number, Uint8Array>;
}

/** A router could not set up its part. */
export class RouteFailed extends Error {
  override readonly name = 'RouteFailed';
  /** See `routeErrorCode`. */
  readonly code: number;

  constructor(message: string, code: number = routeErrorCode.generic) {
    super(message);
    this.code = code;
  }
}

/**
 * Sets up a circuit: the last router first, which asks the host of the service.
 * @returns what the terminator adds to what it has said when it was made
 * @throws RouteFailed; Unanswered
 */
export const setUp = async (planned: PlannedCircuit, destination: CircuitDestination): Promise<ReadonlyMap<number, Uint8Array>> => {
  const last = planned.routers.length - 1;
  const peerData = await routed(planned, last, ROUTE_WITHIN, destination);
  await Promise.all(planned.routers.slice(0, last).map((_, at) => routed(planned, at, ROUTE_WITHIN)));
  return peerData;
};

/**
 * Has routers hand on a circuit that there is over another way: those in the middle first, for the ends begin at once to send over it.
 * @throws RouteFailed; Unanswered
 */
export const reroute = async (planned: PlannedCircuit): Promise<void> => {
  const all = planned.routers.map((_, at) => at);
  const isEnd = (at: number) => at === 0 || at === all.length - 1;
  for (const some of [all.filter((at) => !isEnd(at)), all.filter(isEnd)])
    await Promise.all(some.map((at) => routed(planned, at, REROUTE_WITHIN)));
};

const routed = async (
  planned: PlannedCircuit,
  at: number,
  milliseconds: number,
  destination?: CircuitDestination,
): Promise<ReadonlyMap<number, Uint8Array>> => {
  const router = planned.routers[at];
  const isGone = () => !router || router.channel.signal.aborted;
  if (!router || isGone()) throw new RouteFailed(GONE);
  const body = { ...routeOf(planned, at, destination), timeout: nanoseconds(milliseconds) };
  const answer = await router.channel.request(route, body, { milliseconds }).catch((error: unknown) => {
    throw isGone() ? new RouteFailed(GONE) : error;
  });
  const failure = answer.contentType === routeResult.contentType ? failureIn(answer, router) : new RouteFailed(NO_REASON);
  if (failure) throw failure;
  // Copied: they are kept, unlike the frame that they came in.
  return new Map(
    [...answer.headers].filter(([key]) => key >= FIRST_OF_PEER_DATA && !OWN.has(key)).map(([key, bytes]) => [key, new Uint8Array(bytes)]),
  );
};

const GONE = 'a router on the way is gone';
const NO_REASON = 'the router gave no reason';

/** Why a router could not set up its part. One whose answer cannot be read is cut off: not the one that has asked for the circuit. */
const failureIn = (answer: Frame, { channel }: ConnectedRouter): RouteFailed | undefined => {
  try {
    return routeHeader.success.in(answer)
      ? undefined
      : new RouteFailed(routeHeader.error.in(answer) ?? NO_REASON, routeHeader.errorCode.in(answer));
  } catch (error) {
    channel.fail(error);
    return new RouteFailed(GONE);
  }
};

/** What a router is asked: to hand on from one side to the other and back, and, as the last one of a new circuit, to reach the terminator. */
const routeOf = (
  { circuitId, attempt, ingress, egress, tags, routers, links }: PlannedCircuit,
  at: number,
  destination: CircuitDestination | undefined,
) => {
  const isLast = at === routers.length - 1;
  const before = links[at - 1] ?? ingress;
  const behind = isLast ? egress : (links[at] ?? egress);
  return {
    circuitId,
    attempt,
    ...(destination ? { egress: reaching(egress, destination) } : {}),
    forwards: [
      { srcAddress: before, dstAddress: behind, dstType: isLast ? 'end' : 'link' },
      { srcAddress: behind, dstAddress: before, dstType: at === 0 ? 'start' : 'link' },
    ] as const,
    tags,
  };
};

const reaching = (egress: string, { terminator, peerData }: CircuitDestination) => ({
  binding: terminator.binding,
  address: egress,
  destination: terminator.address,
  peerData,
});

/** Has routers forget a circuit. @param now without waiting for what is still under way */
export const takeDown = (routers: readonly (ConnectedRouter | undefined)[], circuitId: string, now: boolean): void => {
  for (const router of routers) if (router && !router.channel.signal.aborted) router.channel.send(unroute, { circuitId, now });
};
