import { bytesToHex } from '@noble/hashes/utils.js';
import type { RowOf } from '../../../api/kit/resource.ts';
import { router } from '../../../api/routers.ts';
import { service } from '../../../api/services.ts';
import { terminator } from '../../../api/terminators.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../changes/entities.ts';
import { sealText } from '../../../changes/sealed.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import type { terminatorMessages } from '../../../control-channel/messages/terminators.ts';
import { and, equals, not, stringField } from '../../../query/index.ts';
import { newRow } from '../../../resources/merge.ts';
import { isSameJson } from '../../../storage/same-json.ts';
import { identitySecretOf } from '../../fabric/terminators/identity-secret.ts';
import { isOfTunneler, type TrafficRight } from '../authorization/right.ts';
import { mayBeKept, storedPeerData } from './peer-data.ts';

/** What is to be hosted: what requests of clients and of tunnelers have in common. */
export type HostingRequest = Pick<
  MessageBody<(typeof terminatorMessages)['createTerminator']>,
  'address' | 'peerData' | 'cost' | 'precedence' | 'instanceId' | 'instanceSecret'
>;
type Row = RowOf<typeof terminator>;

/** What a router is told that it cannot be given. `result` as in `createTerminatorResponse`. */
export class BindRefused extends Error {
  override readonly name = 'BindRefused';
  readonly result: 'idConflict' | 'otherFailure' | 'invalidSession';

  constructor(result: BindRefused['result'], message: string) {
    super(message);
    this.result = result;
  }
}

const ADDRESS = /^[\w-]{1,64}$/;
export const MOST_COST = 65_535;
/** Characters of an instance id, and bytes of its secret. */
const MOST_INSTANCE = 4096;

/** @throws BindRefused for what is stored of no terminator */
export const checkRequest = ({ address, cost, precedence, instanceId, instanceSecret, peerData }: HostingRequest): void => {
  const refuse = (message: string) => {
    throw new BindRefused('otherFailure', message);
  };
  if (!ADDRESS.test(address)) refuse('an address has 1 to 64 letters, digits, - or _');
  if (cost > MOST_COST) refuse(`a cost is ${MOST_COST} at most`);
  if (precedence === 'unrecognized') refuse('the precedence is not known');
  if (instanceId.length > MOST_INSTANCE) refuse(`an instance id has ${MOST_INSTANCE} characters at most`);
  if (instanceSecret.length > MOST_INSTANCE) refuse(`the secret of an instance has ${MOST_INSTANCE} bytes at most`);
  if (!mayBeKept(peerData)) refuse('the data for those who dial are too large');
};

/**
 * Stores a terminator for who may bind its service by this router. Again, for the same host and service, it is the same row, hosted in the session that is
 * given now.
 * @throws BindRefused
 */
export const bind = async (
  entities: Entities,
  core: Pick<Core, 'secrets'>,
  right: TrafficRight,
  binding: 'edge' | 'tunnel',
  request: HostingRequest,
): Promise<void> => {
  const { address, cost, instanceId, precedence } = request;
  const { sessionId, isStored, apiSessionId } = right;
  const hostedIn = isOfTunneler(right) ? null : { sessionId, isStored, apiSessionId };
  const now = { hostedIn, peerData: storedPeerData(request.peerData) };
  const known = await entities.get(terminator, address);
  if (known) {
    if (!isSame(known, right, binding)) throw new BindRefused('idConflict', 'there is another terminator with this id');
    const isAsBefore = isSameJson(known.hostedIn, now.hostedIn) && isSameJson(known.peerData ?? {}, now.peerData);
    if (!isAsBefore) await entities.update(terminator, known, now);
    return;
  }
  await checkInstance(entities, core, right, request);
  const { name: serviceName } = await entities.require(service, right.serviceId);
  const { name: routerName } = await entities.require(router, right.routerId);
  const own: Partial<Row> = { id: address, serviceId: right.serviceId, routerId: right.routerId, hostId: right.identityId };
  // What is not known was refused.
  const given = {
    binding,
    address,
    cost,
    precedence: precedence === 'unrecognized' ? 'default' : precedence,
    identity: instanceId,
  } as const;
  const secret = await sealedSecret(core, address, request.instanceSecret);
  await entities.insert(terminator, newRow(terminator, given, { ...own, ...now, ...secret, serviceName, routerName }));
};

const isSame = (known: Row, right: TrafficRight, binding: string): boolean =>
  known.serviceId === right.serviceId &&
  known.routerId === right.routerId &&
  known.hostId === right.identityId &&
  known.binding === binding;

/** Who hosts an instance of a service beside another host has the same secret: otherwise anyone who may bind the service could take its name. */
const checkInstance = async (
  entities: Entities,
  { secrets }: Pick<Core, 'secrets'>,
  { serviceId }: TrafficRight,
  { instanceId, instanceSecret }: HostingRequest,
): Promise<void> => {
  if (instanceId === '') return;
  const where = and(
    equals(stringField('serviceId'), serviceId),
    equals(stringField('identity'), instanceId),
    not(equals(stringField('hostId'), '')),
  );
  const [other] = await entities.list(terminator, { where, limit: 1 });
  if (other && ((await identitySecretOf(secrets, other)) ?? '') !== bytesToHex(instanceSecret))
    throw new BindRefused('otherFailure', 'this instance of the service is hosted with another secret');
};

const sealedSecret = async ({ secrets }: Pick<Core, 'secrets'>, id: string, secret: Uint8Array): Promise<Partial<Row>> =>
  secret.length === 0
    ? {}
    : { sealedIdentitySecret: await sealText(secrets, terminator, 'sealedIdentitySecret', { id }, bytesToHex(secret)) };
