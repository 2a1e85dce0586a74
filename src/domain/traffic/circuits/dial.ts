import { service } from '../../../api/services.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import { edgeHeader } from '../../../control-channel/header-fields.ts';
import { circuitMessages, refusalCode, routeErrorCode } from '../../../control-channel/messages/circuits.ts';
import { Unanswered } from '../../../control-channel/requests.ts';
import { isoTime } from '../../../platform/iso-time.ts';
import { newId } from '../../../storage/ids.ts';
import { ClaimRefused, refusalOf } from '../authorization/authorize.ts';
import type { TrafficRight } from '../authorization/right.ts';
import type { StandingRights } from '../authorization/watch.ts';
import type { Links } from '../links/link-table.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { type Fabric, forRouters } from '../routers/fabric.ts';
import { mayBeSent } from '../terminators/peer-data.ts';
import type { Hosting } from '../terminators/terminators.ts';
import type { AskedCircuit, CircuitAnswer, MadeCircuit } from './circuit-requests.ts';
import type { Circuits } from './circuit-table.ts';
import { destinationsOf, type ReachedTerminator } from './destinations.ts';
import { type PlannedCircuit, RouteFailed, setUp, takeDown } from './route.ts';

const { refused } = circuitMessages;

/** How many terminators are tried for one circuit. */
const ATTEMPTS = 2;

/** The public key of one end, by which the other encrypts. */
const PUBLIC_KEY = 1003;

/** What circuits are made of. */
export interface DialPlace {
  readonly fabric: Fabric;
  readonly rights: StandingRights;
  readonly hosting: Hosting;
  readonly links: Links;
  readonly circuits: Circuits;
  /** Ends a circuit on all its routers, as its right has ended. */
  end(circuitId: string): void;
}

/** Sets up a circuit that a router has asked for, and answers. */
export const dial = async (
  place: DialPlace,
  asked: AskedCircuit,
  router: ConnectedRouter,
  frame: Frame,
  answer: CircuitAnswer,
): Promise<void> => {
  const { core } = place.fabric;
  const circuitId = newId(core.platform.random);
  const isMade = place.circuits.making(circuitId);
  try {
    const made = await circuitFor(place, router, asked, circuitId);
    // Nobody knows of a circuit that nobody was told of.
    if (router.channel.signal.aborted) place.end(circuitId);
    else answer(router, frame, made);
  } catch (error) {
    if (router.channel.signal.aborted) return;
    const [code, said] = refusalOf(error);
    router.channel.answer(frame, refused, said, [edgeHeader.errorCode.of(code), edgeHeader.errorCircuitId.of(circuitId)]);
    if (!(error instanceof ClaimRefused)) throw error;
  } finally {
    isMade();
  }
};

/** Tells a router that there is no circuit, for no reason of the client's. */
export const refuseDial = ({ channel }: ConnectedRouter, frame: Frame, said: string): void =>
  channel.answer(frame, refused, said, [edgeHeader.errorCode.of(refusalCode.internal)]);

/** @throws ClaimRefused */
const circuitFor = async (place: DialPlace, router: ConnectedRouter, asked: AskedCircuit, circuitId: string): Promise<MadeCircuit> => {
  const { random } = place.fabric.core.platform;
  if (!mayBeSent(asked.peerData)) throw new ClaimRefused(refusalCode.internal, 'the data for who is dialed are too large');
  await place.hosting.restored();
  const judgedAt = place.rights.time;
  const { right, serviceName, destinations } = await judged(place, router, asked);
  const [ingress, egress] = [newId(random), newId(random)];
  const usable = destinations.filter(({ terminator }) => isUsable(place.hosting, terminator));
  if (usable.length === 0) throw new ClaimRefused(refusalCode.internal, `service ${serviceName} has no terminators`);
  let failure = '';
  for (const [attempt, destination] of usable.slice(0, ATTEMPTS).entries()) {
    const planned = planOf(place, destination, { circuitId, attempt, ingress, egress, right });
    const said = place.hosting.hosted.get(destination.terminator.id)?.peerData ?? new Map<number, Uint8Array>();
    try {
      const added = await setUp(planned, { terminator: destination.terminator, peerData: asked.peerData });
      keep(place, planned, destination, right, judgedAt);
      return { circuitId, address: ingress, tags: planned.tags, peerData: new Map([...said, ...added]) };
    } catch (error) {
      takeDown(planned.routers, circuitId, true);
      if (!(error instanceof RouteFailed || error instanceof Unanswered)) throw error;
      if (error instanceof RouteFailed && error.code === routeErrorCode.invalidTerminator)
        await place.hosting.gone(destination.terminator.id);
      failure = error.message;
    }
  }
  throw new ClaimRefused(refusalCode.internal, `service ${serviceName} could not be reached: ${failure}`);
};

/** Of what is hosted only that by routers that are here; and what administrators made, but for those that only a host can make. */
const isUsable = ({ hosted }: Hosting, { id, binding, hostId }: ReachedTerminator['terminator']): boolean =>
  hosted.get(id) !== undefined || (!hostId && binding !== 'edge');

/** Whether the client may dial the service, and where it can be reached, in one state. @throws ClaimRefused */
const judged = async ({ fabric: { core, connected }, links }: DialPlace, router: ConnectedRouter, asked: AskedCircuit) => {
  const rightIn = await asked.claim(core, router.id);
  return forRouters(core, (job) =>
    job.read(async (entities) => {
      const right = await rightIn(entities);
      const { name, encryptionRequired } = await entities.require(service, right.serviceId);
      if (encryptionRequired && !asked.peerData.has(PUBLIC_KEY))
        throw new ClaimRefused(refusalCode.encryptionDataMissing, `service ${name} requires encryption, but the client sent no key`);
      const wanted = { serviceId: right.serviceId, instanceId: asked.instanceId, from: router.id };
      const map = { routerIds: connected.all().map(({ id }) => id), links: links.all() };
      return { right, serviceName: name, destinations: await destinationsOf(entities, wanted, map) };
    }),
  );
};

type Plan = Pick<PlannedCircuit, 'circuitId' | 'attempt' | 'ingress' | 'egress'> & { readonly right: TrafficRight };

const planOf = (
  { fabric: { connected } }: DialPlace,
  { terminator, path }: ReachedTerminator,
  { right, ...plan }: Plan,
): PlannedCircuit => ({
  ...plan,
  tags: new Map([
    ['serviceId', right.serviceId],
    ['clientId', right.identityId],
    ['hostId', terminator.hostId ?? ''],
  ]),
  // One that has gone meanwhile is missing, and its part fails.
  routers: path.routers.map((id) => connected.get(id)),
  links: path.links,
});

/** @throws RouteFailed when what it stands on has gone while it was set up */
const keep = (
  { fabric, rights, hosting, links, circuits, end }: DialPlace,
  { circuitId, attempt, ingress, egress, tags }: PlannedCircuit,
  { terminator, path }: ReachedTerminator,
  right: TrafficRight,
  judgedAt: number,
): void => {
  if (!isUsable(hosting, terminator)) throw new RouteFailed('its terminator is gone');
  if (path.links.some((id) => !links.get(id))) throw new RouteFailed('a link is gone');
  circuits.add({
    id: circuitId,
    createdAt: isoTime(fabric.core.platform.clock.now()),
    clientId: right.identityId,
    sessionId: right.sessionId,
    isStored: right.isStored,
    apiSessionId: right.apiSessionId,
    serviceId: right.serviceId,
    ingress,
    egress,
    tags,
    path: path.routers,
    links: path.links,
    terminatorId: terminator.id,
    attempts: attempt + 1,
    release: rights.add(right, judgedAt, () => end(circuitId)),
  });
};
