import type { Core } from '../../call/core.ts';
import { service } from '../../contract/api/services.ts';
import { equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import {
  authorizeClient,
  authorizeSessionless,
  authorizeTunneler,
  type GrantedAuthorization,
  RequestRefused,
  type RequestTokens,
  type SessionlessRequest,
  verifySessionless,
  verifyTokens,
} from '../authorization/authorize.ts';
import type { Frame } from '../control-channel/frame.ts';
import { circuitHeader } from '../control-channel/header-fields.ts';
import { circuitMessages, refusalCode } from '../control-channel/messages/circuits.ts';
import type { MessageType, RouterMessage } from '../control-channel/messages/message-type.ts';
import type { PeerData } from '../hosted-terminators/peer-data.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { type HandlerEntry, handle } from '../registry/message-handlers.ts';

const { createCircuitV3, createCircuitV3Response } = circuitMessages;
const { createCircuit, createCircuitResponse, createCircuitV1, createCircuitV1Response, createTunnelCircuit, createTunnelCircuitResponse } =
  circuitMessages;

/** A router's request for a circuit. */
export interface CircuitRequest {
  /** The requested instance of the service; empty for terminators without one. */
  readonly instanceId: string;
  /** Data from the client for the host. */
  readonly peerData: PeerData;
  /** The id that the router has chosen for the circuit. Default: a new one. */
  readonly circuitId?: string;
  /**
   * Verifies the tokens of the client. Must not be called in a transaction.
   * @returns a function that authorizes the client, in the transaction of its argument
   * @throws RequestRefused, as does the function that it returns
   */
  authorize(core: Core, routerId: string): Promise<(entities: Entities) => Promise<GrantedAuthorization>>;
}

/** A new circuit, as its router receives it. */
export interface CreatedCircuit {
  readonly circuitId: string;
  /** Address of the ingress. */
  readonly address: string;
  /** Data from the host for the client. */
  readonly peerData: PeerData;
  readonly tags: ReadonlyMap<string, string>;
}

/** Answers a request for a circuit. */
export type CircuitAnswer = (to: ConnectedRouter, frame: Frame, created: CreatedCircuit) => void;

/** Creates the handler for one type of circuit request. */
export type CircuitRequestType = (setUp: (request: CircuitRequest, frame: Frame, answer: CircuitAnswer) => void) => HandlerEntry;

const circuitRequest =
  <T>(message: RouterMessage<T, never>, read: (body: T, frame: Frame) => CircuitRequest, answer: CircuitAnswer): CircuitRequestType =>
  (setUp) =>
    handle(message, (body, frame) => setUp(read(body, frame), frame, answer));

const byClient =
  ({ sessionToken, apiSessionToken, fingerprints }: RequestTokens): CircuitRequest['authorize'] =>
  async (core, routerId) => {
    const request = await verifyTokens(core, { sessionToken, apiSessionToken, fingerprints, type: 'Dial', routerId });
    return (entities) => authorizeClient(entities, core, request);
  };

const bySessionlessClient =
  (request: Omit<SessionlessRequest, 'routerId'>): CircuitRequest['authorize'] =>
  async (core, routerId) => {
    const verified = await verifySessionless(core, { ...request, routerId });
    return (entities) => authorizeSessionless(entities, core, verified);
  };

const byTunneler =
  (serviceName: string): CircuitRequest['authorize'] =>
  async (core, routerId) =>
  async (entities) => {
    const found = await entities.find(service, equals(stringField('name'), serviceName));
    if (!found) throw new RequestRefused(refusalCode.invalidService, 'invalid service');
    return authorizeTunneler(entities, core, { serviceId: found.id, type: 'Dial', routerId });
  };

/** Answers a request whose data are in headers. */
const answerWith =
  (response: MessageType<string>): CircuitAnswer =>
  ({ channel }, frame, { circuitId, address, peerData, tags }) =>
    channel.answer(frame, response, '', [
      circuitHeader.circuitId.of(circuitId),
      circuitHeader.address.of(address),
      circuitHeader.peerData.of(peerData),
      circuitHeader.tags.of(tags),
    ]);

const headersOf = (frame: Frame) => ({
  instanceId: circuitHeader.instanceId.in(frame) ?? '',
  peerData: circuitHeader.peerData.in(frame) ?? new Map(),
  credentials: {
    apiSessionToken: circuitHeader.apiSessionToken.required(frame),
    fingerprints: circuitHeader.fingerprints.in(frame) ?? [],
  },
});

export const circuitRequestTypes: readonly CircuitRequestType[] = [
  circuitRequest(
    createCircuit,
    (_, frame) => {
      const sessionToken = circuitHeader.sessionToken.required(frame);
      const { credentials, ...request } = headersOf(frame);
      return { ...request, authorize: byClient({ sessionToken, ...credentials }) };
    },
    answerWith(createCircuitResponse),
  ),
  circuitRequest(
    createCircuitV3,
    (_, frame) => {
      const [identityId, serviceId] = [circuitHeader.identityId.required(frame), circuitHeader.serviceId.required(frame)];
      const circuitId = circuitHeader.chosenCircuitId.required(frame);
      const { credentials, ...request } = headersOf(frame);
      return { ...request, circuitId, authorize: bySessionlessClient({ identityId, serviceId, ...credentials }) };
    },
    answerWith(createCircuitV3Response),
  ),
  circuitRequest(
    createCircuitV1,
    (body) => ({ instanceId: body.terminatorInstanceId, peerData: body.peerData, authorize: byClient(body) }),
    ({ channel }, frame, created) => channel.answer(frame, createCircuitV1Response, created),
  ),
  circuitRequest(
    createTunnelCircuit,
    ({ serviceName, terminatorInstanceId, peerData }) => ({
      instanceId: terminatorInstanceId,
      peerData,
      authorize: byTunneler(serviceName),
    }),
    ({ channel }, frame, created) => channel.answer(frame, createTunnelCircuitResponse, created),
  ),
];
