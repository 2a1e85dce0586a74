import { service } from '../../contract/api/services.ts';
import { awaitTurn, spendTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import { isoTime, monotonic } from '../../runtime/platform/clock.ts';
import { newId } from '../../store/storage/ids.ts';
import { type GrantedAuthorization, RequestRefused, refusalOf } from '../authorization/authorize.ts';
import type { Authorizations } from '../authorization/watch.ts';
import type { Frame } from '../control-channel/frame.ts';
import { edgeHeader } from '../control-channel/header-fields.ts';
import { circuitMessages, refusalCode, routeErrorCode } from '../control-channel/messages/circuits.ts';
import { Unanswered } from '../control-channel/requests.ts';
import { isSendablePeerData, withAuthorizedDialer } from '../hosted-terminators/peer-data.ts';
import type { Terminators } from '../hosted-terminators/terminators.ts';
import type { RouterLinks } from '../links/router-links.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { type Fabric, forRouters } from '../registry/fabric.ts';
import type { HandlerEntry } from '../registry/message-handlers.ts';
import type { CircuitEvents, TriedRoute } from './circuit-events.ts';
import { type CircuitAnswer, type CircuitRequest, type CreatedCircuit, circuitRequestTypes } from './circuit-requests.ts';
import type { CircuitTable } from './circuit-table.ts';
import { bestDestinations, type ReachableTerminator, terminatorsOf } from './destinations.ts';
import type { DialCounts } from './dial-counts.ts';
import { type PlannedRoute, RouteFailed, setUpRoute } from './route.ts';
import { sendUnroute } from './unroute.ts';

const { refused } = circuitMessages;

/** Maximum number of terminators that are tried for one circuit. */
const MAX_ATTEMPTS = 2;

/** Maximum number of pending circuits per router. */
const MAX_PENDING = 1000;

/** The share of a time slice that a circuit takes: those that many routers request together must not hold the event loop. */
const SHARE_OF_SLICE = 1 / 8;

/** The form of circuit ids that routers choose. */
const CIRCUIT_ID = /^[\w.-]{1,64}$/;

/** The key in peer data under which a client sends its public key for encryption. */
const PUBLIC_KEY = 1003;

/** Dependencies of dialing. */
export interface DialDependencies {
  readonly fabric: Fabric;
  readonly authorizations: Authorizations;
  readonly terminators: Terminators;
  readonly links: RouterLinks;
  readonly circuits: CircuitTable;
  readonly events: CircuitEvents;
  readonly counts: DialCounts;
  end(circuitId: string): void;
}

/** An attempt to set up a circuit. */
interface Attempt {
  readonly circuitId: string;
  /** When it began, in monotonic milliseconds. */
  readonly since: number;
  /** The authorization of the client, once it is known. */
  authorization?: GrantedAuthorization;
  /** The last route that was tried. */
  tried?: TriedRoute;
}

/**
 * Handlers of circuit requests. They do not wait until the circuit is set up: that takes answers that arrive as later messages from the
 * same router.
 */
export const dialHandlers = (dependencies: DialDependencies, router: ConnectedRouter): readonly HandlerEntry[] => {
  const { logger } = dependencies.fabric.core.platform;
  let pending = 0;
  return circuitRequestTypes.map((type) =>
    type((request, frame, answer) => {
      if (pending >= MAX_PENDING) return refuse(router, frame, refusalCode.internal, 'too many circuits are being set up');
      pending++;
      dial(dependencies, request, router, frame, answer)
        .catch((error: unknown) =>
          logger.warn('could not set up a circuit; its client was asked to try again', { routerId: router.id, error }),
        )
        .finally(() => pending--);
    }),
  );
};

const refuse = ({ channel }: ConnectedRouter, frame: Frame, code: number, reason: string, circuitId?: string): void =>
  channel.answer(frame, refused, reason, [
    edgeHeader.errorCode.of(code),
    ...(circuitId === undefined ? [] : [edgeHeader.errorCircuitId.of(circuitId)]),
  ]);

/** Sets up a circuit for a router, and answers. */
const dial = async (
  dependencies: DialDependencies,
  request: CircuitRequest,
  router: ConnectedRouter,
  frame: Frame,
  answer: CircuitAnswer,
): Promise<void> => {
  const { fabric, circuits, events, end } = dependencies;
  const { clock } = fabric.core.platform;
  const { signal } = router.channel;
  const circuitId = request.circuitId ?? newId(fabric.core.platform.random);
  const isFree = CIRCUIT_ID.test(circuitId) && !circuits.get(circuitId) && !circuits.isReserved(circuitId);
  if (!isFree) return refuse(router, frame, refusalCode.internal, 'a circuit id must be new, and have 1 to 64 letters, digits, -, _ or .');
  const release = circuits.reserve(circuitId);
  const attempt: Attempt = { circuitId, since: monotonic(clock) };
  try {
    if (spendTimeSlice(SHARE_OF_SLICE)) await awaitTurn();
    const created = await setUpCircuit(dependencies, router, request, attempt);
    // The answer can no longer be sent, so no client would use the circuit.
    if (signal.aborted) end(circuitId);
    else answer(router, frame, created);
  } catch (error) {
    const { authorization, tried, since } = attempt;
    const milliseconds = monotonic(clock) - since;
    events.failed({ id: circuitId, instanceId: request.instanceId, milliseconds, error, authorization, tried });
    if (signal.aborted) return;
    const [code, reason] = refusalOf(error);
    refuse(router, frame, code, reason, circuitId);
    if (!(error instanceof RequestRefused)) throw error;
  } finally {
    release();
  }
};

/** @throws RequestRefused */
const setUpCircuit = async (
  dependencies: DialDependencies,
  router: ConnectedRouter,
  request: CircuitRequest,
  attempted: Attempt,
): Promise<CreatedCircuit> => {
  const { circuitId } = attempted;
  const { fabric, authorizations, terminators, links, counts } = dependencies;
  const { connected, core } = fabric;
  const { random } = core.platform;
  if (!isSendablePeerData(request.peerData)) throw new RequestRefused(refusalCode.internal, 'the peer data is too large');
  await terminators.restored();
  const checkedAt = authorizations.generation;
  const { authorization, stored, peerData } = await authorizeDial(fabric, router, request);
  attempted.authorization = authorization;
  const [ingress, egress] = [newId(random), newId(random)];
  const usable = stored.filter((row) => isUsable(terminators, row));
  // Paths are computed only if there is a terminator.
  const isOnline = ({ routerId }: { readonly routerId: string }) => connected.get(routerId) !== undefined;
  const destinations = usable.length === 0 ? [] : bestDestinations(usable, await links.paths.from(router.id, 'recent'), MAX_ATTEMPTS);
  if (destinations.length === 0) {
    const cause = stored.length === 0 ? 'NO_TERMINATORS' : usable.some(isOnline) ? 'NO_PATH' : 'NO_ONLINE_TERMINATORS';
    const refusal = new RequestRefused(refusalCode.internal, `service ${authorization.serviceId} has no terminators`, cause);
    counts.failed(authorization.serviceId, '', refusal);
    throw refusal;
  }
  let failure = new Error();
  for (const [attempt, destination] of destinations.entries()) {
    const { terminator, path } = destination;
    const tags = new Map([
      ['serviceId', authorization.serviceId],
      ['clientId', authorization.identityId],
      ['hostId', terminator.hostId ?? ''],
    ]);
    // Undefined for a router that has since disconnected, which makes the route fail.
    const routers = path.routers.map((id) => connected.get(id));
    const ends = { terminatorId: terminator.id, ingress, egress, tags };
    attempted.tried = { ...ends, path: path.routers, links: path.links, cost: costOf(destination) };
    const planned: PlannedRoute = { circuitId, attempt, ingress, egress, tags, routers, links: path.links };
    const terminatorData = terminators.hosted.get(terminator.id)?.peerData ?? new Map<number, Uint8Array>();
    try {
      const hostData = await setUpRoute(planned, { terminator, peerData });
      addCircuit(dependencies, planned, destination, { ...attempted, authorization, instanceId: request.instanceId, checkedAt });
      counts.succeeded(authorization.serviceId, terminator.id);
      return { circuitId, address: ingress, tags, peerData: new Map([...terminatorData, ...hostData]) };
    } catch (error) {
      for (const involved of routers) if (involved) sendUnroute(involved, circuitId, true);
      if (!(error instanceof RouteFailed || error instanceof Unanswered)) throw error;
      // Removes nothing unless the terminator belongs to the router that failed: others cannot know whether it exists.
      if (error instanceof RouteFailed && error.code === routeErrorCode.invalidTerminator && error.routerId !== undefined)
        await terminators.hosted.remove(error.routerId, [terminator.id]);
      counts.failed(authorization.serviceId, terminator.id, error);
      failure = error;
    }
  }
  throw new RequestRefused(refusalCode.internal, `service ${authorization.serviceId} could not be reached: ${failure.message}`, failure);
};

/**
 * Terminators of hosts are usable while their router is connected; those of administrators always are, unless their binding is reserved for
 * hosts.
 */
const isUsable = ({ hosted }: Terminators, { id, binding, hostId }: ReachableTerminator['terminator']): boolean =>
  hosted.get(id) !== undefined || (!hostId && binding !== 'edge');

/**
 * Authorizes a client, and finds the terminators of the service, in one transaction.
 * @throws RequestRefused
 */
const authorizeDial = async ({ core }: Fabric, router: ConnectedRouter, request: CircuitRequest) => {
  const authorizeIn = await request.authorize(core, router.id);
  return forRouters(core, (job) =>
    job.read(async (entities) => {
      const authorization = await authorizeIn(entities);
      const { serviceId, identityId } = authorization;
      const { encryptionRequired } = await entities.require(service, serviceId);
      if (encryptionRequired && !request.peerData.has(PUBLIC_KEY))
        throw new RequestRefused(refusalCode.encryptionDataMissing, `service ${serviceId} requires encryption, but the client sent no key`);
      const peerData = await withAuthorizedDialer(entities, request.peerData, identityId);
      return { authorization, stored: await terminatorsOf(entities, serviceId, request.instanceId), peerData };
    }),
  );
};

/** An attempt whose client is authorized. */
interface AuthorizedAttempt extends Required<Omit<Attempt, 'tried'>> {
  readonly instanceId: string;
  /** `generation` of the authorizations before it was authorized. */
  readonly checkedAt: number;
}

/** @throws RouteFailed if the terminator or a link was removed since the route was planned */
const addCircuit = (
  { fabric, authorizations, terminators, links, circuits, events, end }: DialDependencies,
  { circuitId, attempt, ingress, egress, tags }: PlannedRoute,
  destination: ReachableTerminator,
  { authorization, instanceId, since, checkedAt }: AuthorizedAttempt,
): void => {
  const { terminator, path } = destination;
  if (!isUsable(terminators, terminator)) throw new RouteFailed('its terminator was removed');
  if (path.links.some((id) => !links.table.get(id))) throw new RouteFailed('a link on its path was removed');
  const { sessionId, isStored, apiSessionId, serviceId, grantedBy } = authorization;
  const { clock } = fabric.core.platform;
  const circuit = {
    id: circuitId,
    createdAt: isoTime(clock.now()),
    clientId: authorization.identityId,
    ...{ sessionId, isStored, apiSessionId, serviceId, grantedBy, ingress, egress, tags },
    path: path.routers,
    links: path.links,
    terminatorId: terminator.id,
    instanceId,
    attempts: attempt + 1,
    stopWatching: authorizations.watch(authorization, checkedAt, () => end(circuitId)),
  };
  circuits.add(circuit);
  events.created(circuit, monotonic(clock) - since, costOf(destination));
};

const costOf = ({ terminator, path }: ReachableTerminator): number => path.cost + (terminator.cost ?? 0);
