import type { Frame } from '../control-channel/frame.ts';
import { routeHeader } from '../control-channel/header-fields.ts';
import { circuitMessages, routeErrorCode } from '../control-channel/messages/circuits.ts';
import { nanoseconds } from '../control-channel/primitives.ts';
import type { PeerData } from '../hosted-terminators/peer-data.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';

const { route, routeResult } = circuitMessages;

/** Time limit for a router to set up its part of a circuit. The last router waits for the host of the service. ms */
const SETUP_TIMEOUT = 10_000;

/** Time limit for a router to change its part of a circuit. ms */
const CHANGE_TIMEOUT = 5000;

/** Headers of a route result with the addresses of the connection to the host. They are not used. */
const TERMINATOR_LOCAL_ADDRESS = 1110;
const TERMINATOR_REMOTE_ADDRESS = 1111;

/** In a route result, headers with this key or a higher one are peer data from the host, except for the headers of the result itself. */
const FIRST_PEER_DATA_KEY = 1000;
const RESULT_HEADERS: ReadonlySet<number> = new Set([
  routeHeader.attempt.key,
  routeHeader.success.key,
  routeHeader.error.key,
  routeHeader.errorCode.key,
  TERMINATOR_LOCAL_ADDRESS,
  TERMINATOR_REMOTE_ADDRESS,
]);

/** The route of a circuit: its path, and the addresses of its ends. */
export interface PlannedRoute {
  readonly circuitId: string;
  readonly attempt: number;
  readonly ingress: string;
  readonly egress: string;
  readonly tags: ReadonlyMap<string, string>;
  /** The routers, the ingress first. Undefined for routers that are not connected. */
  readonly routers: readonly (ConnectedRouter | undefined)[];
  /** Ids of the links between them. */
  readonly links: readonly string[];
}

/** The terminator that the last router of a new circuit connects to. */
export interface RouteDestination {
  readonly terminator: { readonly binding: string; readonly address: string };
  /** Data from the client. */
  readonly peerData: PeerData;
}

/** A router could not set up or change its part of a circuit. */
export class RouteFailed extends Error {
  override readonly name = 'RouteFailed';
  /** Id of the router that failed; undefined if none did. */
  readonly routerId: string | undefined;
  /** The error code of that router: see `routeErrorCode`. */
  readonly code: number;

  constructor(message: string, routerId?: string, code: number = routeErrorCode.generic) {
    super(message);
    this.routerId = routerId;
    this.code = code;
  }
}

/**
 * Sets up a new circuit, starting with the last router, which connects to the host of the service.
 * @returns peer data from the host, in addition to that of the terminator
 * @throws RouteFailed; Unanswered
 */
export const setUpRoute = async (planned: PlannedRoute, destination: RouteDestination): Promise<PeerData> => {
  const last = planned.routers.length - 1;
  const peerData = await sendRoute(planned, last, SETUP_TIMEOUT, destination);
  await Promise.all(planned.routers.slice(0, last).map((_, at) => sendRoute(planned, at, SETUP_TIMEOUT)));
  return peerData;
};

/**
 * Changes the path of a circuit, starting with the routers in the middle, because the routers at the ends use the new path immediately.
 * @throws RouteFailed; Unanswered
 */
export const changeRoute = async (planned: PlannedRoute): Promise<void> => {
  const all = planned.routers.map((_, at) => at);
  const isEnd = (at: number) => at === 0 || at === all.length - 1;
  for (const group of [all.filter((at) => !isEnd(at)), all.filter(isEnd)])
    await Promise.all(group.map((at) => sendRoute(planned, at, CHANGE_TIMEOUT)));
};

const sendRoute = async (planned: PlannedRoute, at: number, milliseconds: number, destination?: RouteDestination): Promise<PeerData> => {
  const router = planned.routers[at];
  const isDisconnected = () => !router || router.channel.signal.aborted;
  if (!router || isDisconnected()) throw new RouteFailed(GONE, router?.id);
  const body = { ...routeOf(planned, at, destination), timeout: nanoseconds(milliseconds) };
  const answer = await router.channel.request(route, body, { milliseconds }).catch((error: unknown) => {
    throw isDisconnected() ? new RouteFailed(GONE, router.id) : error;
  });
  const failure = answer.contentType === routeResult.contentType ? failureIn(answer, router) : new RouteFailed(NO_REASON, router.id);
  if (failure) throw failure;
  // Copied, because the buffer of the frame is reused.
  return new Map(
    [...answer.headers]
      .filter(([key]) => key >= FIRST_PEER_DATA_KEY && !RESULT_HEADERS.has(key))
      .map(([key, bytes]) => [key, new Uint8Array(bytes)]),
  );
};

const GONE = 'a router on the path has disconnected';
const NO_REASON = 'the router gave no reason';

/** Reasons for routers that send an error code without a text. */
const REASONS: readonly (readonly [code: number, reason: string])[] = [
  [routeErrorCode.invalidTerminator, 'the router does not know the terminator'],
  [routeErrorCode.misconfiguredTerminator, 'the address of the terminator is invalid'],
  [routeErrorCode.timedOut, 'the host of the service did not answer in time'],
  [routeErrorCode.refused, 'the host of the service refused the connection'],
  [routeErrorCode.rejectedByApplication, 'the application that hosts the service rejected the connection'],
  [routeErrorCode.dnsResolutionFailed, 'the host name of the service could not be resolved'],
  [routeErrorCode.portNotAllowed, 'the port is not allowed for the service'],
  [routeErrorCode.invalidLinkDestination, 'a router on the path does not have the link'],
  [routeErrorCode.resourcesNotAvailable, 'a router on the path has no resources left'],
];
const reasonByCode: ReadonlyMap<number | undefined, string> = new Map(REASONS);

/**
 * The failure in a route result, if any. A malformed result closes the channel of the router that sent it, not of the one that requested
 * the circuit.
 */
const failureIn = (answer: Frame, { id, channel }: ConnectedRouter): RouteFailed | undefined => {
  try {
    if (routeHeader.success.in(answer)) return undefined;
    const code = routeHeader.errorCode.in(answer);
    return new RouteFailed(routeHeader.error.in(answer) || (reasonByCode.get(code) ?? NO_REASON), id, code);
  } catch (error) {
    channel.fail(error);
    return new RouteFailed(GONE, id);
  }
};

/** One router's part of a route: it forwards in both directions. The last router of a new circuit also connects to the terminator. */
const routeOf = (
  { circuitId, attempt, ingress, egress, tags, routers, links }: PlannedRoute,
  at: number,
  destination: RouteDestination | undefined,
) => {
  const isLast = at === routers.length - 1;
  const previous = links[at - 1] ?? ingress;
  const next = isLast ? egress : (links[at] ?? egress);
  return {
    circuitId,
    attempt,
    ...(destination ? { egress: egressOf(egress, destination) } : {}),
    forwards: [
      { srcAddress: previous, dstAddress: next, dstType: isLast ? 'end' : 'link' },
      { srcAddress: next, dstAddress: previous, dstType: at === 0 ? 'start' : 'link' },
    ] as const,
    tags,
  };
};

const egressOf = (egress: string, { terminator, peerData }: RouteDestination) => ({
  binding: terminator.binding,
  address: egress,
  destination: terminator.address,
  peerData,
});
