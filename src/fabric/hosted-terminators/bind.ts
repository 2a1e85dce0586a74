import { bytesToHex } from '@noble/hashes/utils.js';
import type { Core } from '../../call/core.ts';
import { newRow } from '../../call/resources/merge.ts';
import { router, service, terminator } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { and, equals, not, stringField } from '../../query/index.ts';
import type { AddressRate } from '../../runtime/platform/request-rate.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { sealText } from '../../store/entities/sealed.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import { type Authorization, isTunneler } from '../authorization/authorization.ts';
import { refusalCode } from '../control-channel/messages/circuits.ts';
import type { MessageBody } from '../control-channel/messages/message-type.ts';
import type { terminatorMessages } from '../control-channel/messages/terminators.ts';
import { identitySecretOf } from '../terminators/identity-secret.ts';
import { isStorablePeerData, sizeOf, storedPeerData } from './peer-data.ts';
import { precedenceAt } from './precedence.ts';

/** The fields that clients' and tunnelers' requests for a terminator have in common. */
export type BindRequest = Pick<
  MessageBody<(typeof terminatorMessages)['createTerminator']>,
  'address' | 'peerData' | 'cost' | 'precedence' | 'instanceId' | 'instanceSecret'
>;
type Row = RowOf<typeof terminator>;

/** An authorized request is refused, and would be refused again. For `result`, see `createTerminatorResponse`. */
export class BindRefused extends Error {
  override readonly name = 'BindRefused';
  readonly result: 'idConflict' | 'otherFailure';
  /** See `refusalCode`. */
  readonly code: number;

  constructor(result: BindRefused['result'], message: string, code: number = refusalCode.internal) {
    super(message);
    this.result = result;
    this.code = code;
  }
}

const ADDRESS = /^[\w-]{1,64}$/;
export const MAX_COST = 65_535;
/** Maximum number of characters of an instance id, and of bytes of its secret. */
const MAX_INSTANCE_LENGTH = 4096;

/** The router changes its terminators too often. It tries again later. */
export class TooManyChanges extends Error {
  override readonly name = 'TooManyChanges';
}

/**
 * Counts a change of a router's terminators.
 * @param characters the approximate size of its record
 * @throws TooManyChanges
 */
export const countChange = (rate: AddressRate, routerId: string, characters: number): void => {
  if (rate.take(routerId, characters) > 0) throw new TooManyChanges('a router changes its terminators too often; it may try again later');
};

/** The approximate number of characters that a request adds to the change log. */
const recordedLength = ({ peerData, instanceId, instanceSecret }: BindRequest): number =>
  1000 + 2 * sizeOf(peerData) + instanceId.length + 3 * instanceSecret.length;

/**
 * Checks the fields of a request.
 * @throws BindRefused
 */
export const checkBind = ({ address, cost, precedence, instanceId, instanceSecret, peerData }: BindRequest): void => {
  const { invalidCost, invalidPrecedence, invalidInstanceId } = refusalCode;
  const refuse = (message: string, code?: number) => {
    throw new BindRefused('otherFailure', message, code);
  };
  if (!ADDRESS.test(address)) refuse('the address must have 1 to 64 letters, digits, - or _');
  if (cost > MAX_COST) refuse(`the cost must be at most ${MAX_COST}`, invalidCost);
  if (precedence === 'unrecognized') refuse('the precedence is unknown', invalidPrecedence);
  if (instanceId.length > MAX_INSTANCE_LENGTH)
    refuse(`the instance id must have at most ${MAX_INSTANCE_LENGTH} characters`, invalidInstanceId);
  if (instanceSecret.length > MAX_INSTANCE_LENGTH)
    refuse(`the secret of an instance must have at most ${MAX_INSTANCE_LENGTH} bytes`, invalidInstanceId);
  if (!isStorablePeerData(peerData)) refuse('the peer data is too large');
};

/**
 * Stores a terminator for an authorized host. If the host repeats its request for the service, the row is kept, and only its session and
 * peer data are updated.
 * @throws BindRefused; TooManyChanges
 */
export const bind = async (
  entities: Entities,
  core: Pick<Core, 'secrets'> & { readonly rate: AddressRate },
  authorization: Authorization,
  binding: 'edge' | 'tunnel',
  request: BindRequest,
): Promise<void> => {
  const { address, cost, instanceId, precedence } = request;
  const { sessionId, isStored, apiSessionId } = authorization;
  const hostedIn = isTunneler(authorization) ? null : { sessionId, isStored, apiSessionId };
  const current = { hostedIn, peerData: storedPeerData(request.peerData) };
  const existing = await entities.get(terminator, address);
  if (existing) {
    if (!isSameHost(existing, authorization, binding)) throw new BindRefused('idConflict', 'there is another terminator with this id');
    const isUnchanged = isSameJson(existing.hostedIn, current.hostedIn) && isSameJson(existing.peerData ?? {}, current.peerData);
    if (isUnchanged) return;
    countChange(core.rate, authorization.routerId, recordedLength(request));
    return void (await entities.update(terminator, existing, current));
  }
  await checkInstance(entities, core, authorization, request);
  countChange(core.rate, authorization.routerId, recordedLength(request));
  const { name: serviceName } = await entities.require(service, authorization.serviceId);
  const ownRouter = await entities.require(router, authorization.routerId);
  const { serviceId, routerId, identityId: hostId } = authorization;
  const fields = {
    binding,
    address,
    cost,
    identity: instanceId,
  } as const;
  const secret = await sealedSecret(core, address, request.instanceSecret);
  const precedences = precedenceAt(ownRouter, precedence === 'unrecognized' ? 'default' : precedence);
  const internalFields: Partial<Row> = {
    id: address,
    serviceId,
    routerId,
    hostId,
    ...current,
    ...secret,
    serviceName,
    routerName: ownRouter.name,
    ...precedences,
  };
  await entities.insert(terminator, newRow(terminator, fields, internalFields));
};

const isSameHost = (existing: Row, authorization: Authorization, binding: string): boolean =>
  existing.serviceId === authorization.serviceId &&
  existing.routerId === authorization.routerId &&
  existing.hostId === authorization.identityId &&
  existing.binding === binding;

/** Hosts of the same instance share a secret. Otherwise, any identity that may bind the service could claim the instance. */
const checkInstance = async (
  entities: Entities,
  { secrets }: Pick<Core, 'secrets'>,
  { serviceId }: Authorization,
  { instanceId, instanceSecret }: BindRequest,
): Promise<void> => {
  if (instanceId === '') return;
  const where = and(
    equals(stringField('serviceId'), serviceId),
    equals(stringField('identity'), instanceId),
    not(equals(stringField('hostId'), '')),
  );
  const [other] = await entities.list(terminator, { where, limit: 1 });
  if (other && ((await identitySecretOf(secrets, other)) ?? '') !== bytesToHex(instanceSecret))
    throw new BindRefused('otherFailure', 'this instance of the service is hosted with another secret', refusalCode.invalidInstanceId);
};

const sealedSecret = async ({ secrets }: Pick<Core, 'secrets'>, id: string, secret: Uint8Array): Promise<Partial<Row>> =>
  secret.length === 0
    ? {}
    : { sealedIdentitySecret: await sealText(secrets, terminator, 'sealedIdentitySecret', { id }, bytesToHex(secret)) };
