import type { RowOf } from '../../../api/kit/resource.ts';
import { router } from '../../../api/routers.ts';
import { service } from '../../../api/services.ts';
import { terminator } from '../../../api/terminators.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../changes/entities.ts';
import { sealText } from '../../../changes/sealed.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import type { terminatorMessages } from '../../../control-channel/messages/terminators.ts';
import { newRow } from '../../../resources/merge.ts';
import { ClaimRefused, type ReadClaim, readClaim, rightOf } from '../rights/claim.ts';
import type { TrafficRight } from '../rights/right.ts';

type Request = MessageBody<(typeof terminatorMessages)['createTerminator']>;
type Row = RowOf<typeof terminator>;

/** What a router is told that it cannot be given. `code` as in `createTerminatorResponse`. */
export class BindRefused extends Error {
  override readonly name = 'BindRefused';
  readonly result: 'idConflict' | 'otherFailure' | 'invalidSession';

  constructor(result: BindRefused['result'], message: string) {
    super(message);
    this.result = result;
  }
}

const ADDRESS = /^[\w-]{1,64}$/;
const MOST_COST = 65_535;

/**
 * Reads what a router asks for on behalf of a client. Not inside of transactions.
 * @throws BindRefused
 */
export const readBind = (core: Core, routerId: string, request: Request): Promise<ReadClaim> => {
  const { address, cost, precedence } = request;
  if (!ADDRESS.test(address)) throw new BindRefused('otherFailure', 'an address has 1 to 64 letters, digits, - or _');
  if (cost > MOST_COST) throw new BindRefused('otherFailure', `a cost is ${MOST_COST} at most`);
  if (precedence === 'unrecognized') throw new BindRefused('otherFailure', 'the precedence is not known');
  return orInvalid(readClaim(core, { ...request, type: 'Bind', routerId }));
};

/** A claim that does not hold, in the words of this answer. */
const orInvalid = <T>(claimed: Promise<T>): Promise<T> =>
  claimed.catch((error: unknown) => {
    throw error instanceof ClaimRefused ? new BindRefused('invalidSession', error.message) : error;
  });

/**
 * Stores a terminator for a client that may bind its service by this router. Again, for the same client and service, it is what it was.
 * @throws BindRefused
 */
export const bind = async (entities: Entities, core: Core, claim: ReadClaim, request: Request): Promise<TrafficRight> => {
  const { address, cost } = request;
  const { routerId } = claim;
  const right = await orInvalid(rightOf(entities, core, claim));
  const known = await entities.get(terminator, address);
  if (known) return sameOr(known, right);
  const { name: serviceName } = await entities.require(service, right.serviceId);
  const { name: routerName } = await entities.require(router, routerId);
  const own: Partial<Row> = { id: address, serviceId: right.serviceId, routerId, hostId: right.identityId, serviceName, routerName };
  const precedence = request.precedence === 'unrecognized' ? 'default' : request.precedence; // refused above
  const given = { binding: 'edge', address, cost, precedence, identity: request.instanceId };
  const secret = await sealedSecret(core, address, request.instanceSecret);
  await entities.insert(terminator, newRow(terminator, given, { ...own, ...secret }));
  return right;
};

const sameOr = (known: Row, right: TrafficRight): TrafficRight => {
  const isSame = known.serviceId === right.serviceId && known.routerId === right.routerId && known.hostId === right.identityId;
  if (!isSame) throw new BindRefused('idConflict', 'there is another terminator with this id');
  return right;
};

const sealedSecret = async ({ secrets }: Core, id: string, secret: Uint8Array): Promise<Partial<Row>> => {
  if (secret.length === 0) return {};
  const text = [...secret].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { sealedIdentitySecret: await sealText(secrets, terminator, 'sealedIdentitySecret', { id }, text) };
};
