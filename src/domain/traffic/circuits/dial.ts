import { service } from '../../../api/services.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import { circuitHeader, edgeHeader } from '../../../control-channel/header-fields.ts';
import { Malformed } from '../../../control-channel/malformed.ts';
import { circuitMessages, refusalCode } from '../../../control-channel/messages/circuits.ts';
import { Unanswered } from '../../../control-channel/requests.ts';
import { newId } from '../../../storage/ids.ts';
import type { HostedTerminators } from '../hosting/hosted.ts';
import type { Links } from '../links/links.ts';
import { ClaimRefused, readClaim, rightOf } from '../rights/claim.ts';
import type { TrafficRight } from '../rights/right.ts';
import type { StandingRights } from '../rights/watch.ts';
import type { ConnectedRouter } from '../routers/connected.ts';
import { type Fabric, forRouters } from '../routers/fabric.ts';
import { destinationsOf, type ReachedTerminator } from './choice.ts';
import type { Circuit, Circuits } from './circuit.ts';
import { type PlannedCircuit, RouteFailed, setUp, takeDown } from './route.ts';

const { createCircuitResponse, refused } = circuitMessages;

/** How many terminators are tried for one circuit. */
const ATTEMPTS = 2;

/** The public key of one end, by which the other encrypts. */
const PUBLIC_KEY = 1003;

/** What circuits are made of. */
export interface DialPlace {
  readonly fabric: Fabric;
  readonly rights: StandingRights;
  readonly hosted: HostedTerminators;
  readonly links: Links;
  readonly circuits: Circuits;
  /** Ends a circuit on all its routers. */
  end(circuit: Circuit): void;
}

/** Sets up a circuit that a client has asked its router for, and answers. */
export const dial = async (place: DialPlace, router: ConnectedRouter, frame: Frame): Promise<void> => {
  const { core } = place.fabric;
  const circuitId = newId(core.platform.random);
  try {
    const made = await circuitFor(place, router, frame, circuitId);
    if (router.channel.signal.aborted) return;
    router.channel.answer(frame, createCircuitResponse, '', [
      circuitHeader.circuitId.of(circuitId),
      circuitHeader.address.of(made.ingress),
      circuitHeader.peerData.of(made.peerData),
      circuitHeader.tags.of(made.tags),
    ]);
  } catch (error) {
    if (router.channel.signal.aborted) return;
    if (error instanceof Malformed) throw error;
    const [code, said] = error instanceof ClaimRefused ? [error.code, error.message] : [refusalCode.internal, 'try again later'];
    router.channel.answer(frame, refused, said, [edgeHeader.errorCode.of(code), edgeHeader.errorCircuitId.of(circuitId)]);
    if (!(error instanceof ClaimRefused)) throw error;
  }
};

/** Tells a router that there is no circuit, for no reason of the client's. */
export const refuseDial = ({ channel }: ConnectedRouter, frame: Frame, said: string): void =>
  channel.answer(frame, refused, said, [edgeHeader.errorCode.of(refusalCode.internal)]);

/** What a router asks for on behalf of a client. */
const askedIn = (frame: Frame) => ({
  sessionToken: circuitHeader.sessionToken.required(frame),
  apiSessionToken: circuitHeader.apiSessionToken.required(frame),
  fingerprints: circuitHeader.fingerprints.in(frame) ?? [],
  instanceId: circuitHeader.instanceId.in(frame) ?? '',
  peerData: circuitHeader.peerData.in(frame) ?? new Map<number, Uint8Array>(),
});

type Asked = ReturnType<typeof askedIn>;

/** @throws ClaimRefused */
const circuitFor = async (place: DialPlace, router: ConnectedRouter, frame: Frame, circuitId: string) => {
  const { random } = place.fabric.core.platform;
  const asked = askedIn(frame);
  const judgedAt = place.rights.time;
  const { right, serviceName, destinations } = await judged(place, router, asked);
  const [ingress, egress] = [newId(random), newId(random)];
  // Of what clients host only what their routers say that they host.
  const usable = destinations.filter(({ terminator: { id, binding } }) => binding !== 'edge' || place.hosted.get(id));
  if (usable.length === 0) throw new ClaimRefused(refusalCode.internal, `service ${serviceName} has no terminators`);
  let failure = '';
  for (const [attempt, destination] of usable.slice(0, ATTEMPTS).entries()) {
    const planned = planOf(place, destination, { circuitId, attempt, ingress, egress, peerData: asked.peerData, right });
    const said = place.hosted.get(destination.terminator.id)?.peerData ?? new Map<number, Uint8Array>();
    try {
      const added = await setUp(planned);
      keep(place, planned, destination, right, judgedAt);
      return { ingress, tags: planned.tags, peerData: new Map([...said, ...added]) };
    } catch (error) {
      takeDown(planned.routers, circuitId, true);
      if (!(error instanceof RouteFailed || error instanceof Unanswered)) throw error;
      failure = error.message;
    }
  }
  throw new ClaimRefused(refusalCode.internal, `service ${serviceName} could not be reached: ${failure}`);
};

/** Whether the client may dial the service, and where it can be reached, in one state. @throws ClaimRefused */
const judged = async ({ fabric: { core, connected }, links }: DialPlace, router: ConnectedRouter, asked: Asked) => {
  const claim = await readClaim(core, { ...asked, type: 'Dial', routerId: router.id });
  return forRouters(core, (job) =>
    job.read(async (entities) => {
      const right = await rightOf(entities, core, claim);
      const { name, encryptionRequired } = await entities.require(service, right.serviceId);
      if (encryptionRequired && !asked.peerData.has(PUBLIC_KEY))
        throw new ClaimRefused(refusalCode.encryptionDataMissing, `service ${name} requires encryption, but the client sent no key`);
      const wanted = { serviceId: right.serviceId, instanceId: asked.instanceId, from: router.id };
      const map = { routerIds: connected.all().map(({ id }) => id), links: links.all() };
      return { right, serviceName: name, destinations: await destinationsOf(entities, wanted, map) };
    }),
  );
};

type Plan = Pick<PlannedCircuit, 'circuitId' | 'attempt' | 'ingress' | 'egress' | 'peerData'> & { readonly right: TrafficRight };

const planOf = (
  { fabric: { connected } }: DialPlace,
  { terminator, path }: ReachedTerminator,
  { right, ...plan }: Plan,
): PlannedCircuit => ({
  ...plan,
  terminator,
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
  { fabric, rights, hosted, links, circuits, end }: DialPlace,
  { circuitId }: PlannedCircuit,
  { terminator, path }: ReachedTerminator,
  right: TrafficRight,
  judgedAt: number,
): void => {
  if (terminator.binding === 'edge' && !hosted.get(terminator.id)) throw new RouteFailed('its terminator is gone');
  if (path.links.some((id) => !links.get(id))) throw new RouteFailed('a link is gone');
  const circuit: Circuit = {
    id: circuitId,
    createdAt: new Date(fabric.core.platform.clock.now()).toISOString(),
    clientId: right.identityId,
    serviceId: right.serviceId,
    path: path.routers,
    links: path.links,
    terminatorId: terminator.id,
    release: rights.add(right, judgedAt, () => end(circuit)),
  };
  circuits.add(circuit);
};
