import { service } from '../../../api/services.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../changes/entities.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import { circuitHeader } from '../../../control-channel/header-fields.ts';
import { circuitMessages, refusalCode } from '../../../control-channel/messages/circuits.ts';
import type { RouterMessage } from '../../../control-channel/messages/message-type.ts';
import { equals, stringField } from '../../../query/index.ts';
import { ClaimRefused, readClaim, rightOf, type TrafficClaim, tunnelerRightOf } from '../authorization/authorize.ts';
import type { TrafficRight } from '../authorization/right.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { type HandlerRow, handling } from '../routers/message-handlers.ts';

const { createCircuit, createCircuitResponse, createCircuitV1, createCircuitV1Response, createTunnelCircuit, createTunnelCircuitResponse } =
  circuitMessages;

type PeerData = ReadonlyMap<number, Uint8Array>;

/** What a router asks for. */
export interface AskedCircuit {
  /** The instance of the service that is wanted; empty for those that have none. */
  readonly instanceId: string;
  /** Of who dials. */
  readonly peerData: PeerData;
  /**
   * Verifies the tokens of what the circuit is to stand on. Not inside of transactions.
   * @returns what holds it against a state
   * @throws ClaimRefused, as does what it returns
   */
  claim(core: Core, routerId: string): Promise<(entities: Entities) => Promise<TrafficRight>>;
}

/** A circuit as its router is told of it. */
export interface MadeCircuit {
  readonly circuitId: string;
  /** What its first end is called. */
  readonly address: string;
  /** Of who was dialed. */
  readonly peerData: PeerData;
  readonly tags: ReadonlyMap<string, string>;
}

/** Answers a request for a circuit. */
export type CircuitAnswer = (to: ConnectedRouter, frame: Frame, made: MadeCircuit) => void;

/** A message by which routers ask for circuits. @returns its handler, once it is said what is done */
export type CircuitRequest = (work: (asked: AskedCircuit, frame: Frame, answer: CircuitAnswer) => void) => HandlerRow;

const circuitRequest =
  <T>(message: RouterMessage<T, never>, read: (said: T, frame: Frame) => AskedCircuit, answer: CircuitAnswer): CircuitRequest =>
  (work) =>
    handling(message, (said, frame) => work(read(said, frame), frame, answer));

/** By a session of a client. */
const claimed =
  (said: Pick<TrafficClaim, 'sessionToken' | 'apiSessionToken' | 'fingerprints'>): AskedCircuit['claim'] =>
  async (core, routerId) => {
    const claim = await readClaim(core, { ...said, type: 'Dial', routerId });
    return (entities) => rightOf(entities, core, claim);
  };

/** By the router itself, which names the service. */
const ofTunneler =
  (serviceName: string): AskedCircuit['claim'] =>
  async (core, routerId) =>
  async (entities) => {
    const found = await entities.find(service, equals(stringField('name'), serviceName));
    if (!found) throw new ClaimRefused(refusalCode.invalidService, 'invalid service');
    return tunnelerRightOf(entities, core, { serviceId: found.id, type: 'Dial', routerId });
  };

/** All ways to ask for a circuit. */
export const circuitRequests: readonly CircuitRequest[] = [
  circuitRequest(
    createCircuit,
    (_, frame) => ({
      instanceId: circuitHeader.instanceId.in(frame) ?? '',
      peerData: circuitHeader.peerData.in(frame) ?? new Map(),
      claim: claimed({
        sessionToken: circuitHeader.sessionToken.required(frame),
        apiSessionToken: circuitHeader.apiSessionToken.required(frame),
        fingerprints: circuitHeader.fingerprints.in(frame) ?? [],
      }),
    }),
    ({ channel }, frame, { circuitId, address, peerData, tags }) =>
      channel.answer(frame, createCircuitResponse, '', [
        circuitHeader.circuitId.of(circuitId),
        circuitHeader.address.of(address),
        circuitHeader.peerData.of(peerData),
        circuitHeader.tags.of(tags),
      ]),
  ),
  circuitRequest(
    createCircuitV1,
    (said) => ({ instanceId: said.terminatorInstanceId, peerData: said.peerData, claim: claimed(said) }),
    ({ channel }, frame, made) => channel.answer(frame, createCircuitV1Response, made),
  ),
  circuitRequest(
    createTunnelCircuit,
    ({ serviceName, terminatorInstanceId, peerData }) => ({ instanceId: terminatorInstanceId, peerData, claim: ofTunneler(serviceName) }),
    ({ channel }, frame, made) => channel.answer(frame, createTunnelCircuitResponse, made),
  ),
];
