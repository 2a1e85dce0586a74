import { service } from '../../../api/services.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../changes/entities.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import { circuitHeader } from '../../../control-channel/header-fields.ts';
import { circuitMessages, refusalCode } from '../../../control-channel/messages/circuits.ts';
import type { MessageType } from '../../../control-channel/messages/message-type.ts';
import { equals, stringField } from '../../../query/index.ts';
import { ClaimRefused, readClaim, rightOf, type TrafficClaim, tunnelerRightOf } from '../rights/claim.ts';
import type { TrafficRight } from '../rights/right.ts';
import type { ConnectedRouter } from '../routers/connected.ts';

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

/** A message by which routers ask for circuits, and how it is answered. */
export interface CircuitRequest {
  readonly message: Pick<MessageType<unknown>, 'contentType'>;
  /** @throws Malformed */
  read(frame: Frame): AskedCircuit;
  answer(to: ConnectedRouter, frame: Frame, made: MadeCircuit): void;
}

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
  {
    message: createCircuit,
    read: (frame) => ({
      instanceId: circuitHeader.instanceId.in(frame) ?? '',
      peerData: circuitHeader.peerData.in(frame) ?? new Map(),
      claim: claimed({
        sessionToken: circuitHeader.sessionToken.required(frame),
        apiSessionToken: circuitHeader.apiSessionToken.required(frame),
        fingerprints: circuitHeader.fingerprints.in(frame) ?? [],
      }),
    }),
    answer: ({ channel }, frame, { circuitId, address, peerData, tags }) =>
      channel.answer(frame, createCircuitResponse, '', [
        circuitHeader.circuitId.of(circuitId),
        circuitHeader.address.of(address),
        circuitHeader.peerData.of(peerData),
        circuitHeader.tags.of(tags),
      ]),
  },
  {
    message: createCircuitV1,
    read: ({ body }) => {
      const said = createCircuitV1.decode(body);
      return { instanceId: said.terminatorInstanceId, peerData: said.peerData, claim: claimed(said) };
    },
    answer: ({ channel }, frame, made) => channel.answer(frame, createCircuitV1Response, made),
  },
  {
    message: createTunnelCircuit,
    read: ({ body }) => {
      const { serviceName, terminatorInstanceId, peerData } = createTunnelCircuit.decode(body);
      return { instanceId: terminatorInstanceId, peerData, claim: ofTunneler(serviceName) };
    },
    answer: ({ channel }, frame, made) => channel.answer(frame, createTunnelCircuitResponse, made),
  },
];
