/** The common handling of requests about terminators, from clients and from tunnelers. */
import type { RowOf } from '../../contract/api/kit/index.ts';
import { terminator } from '../../contract/api/terminators.ts';
import type { AddressRate } from '../../runtime/platform/request-rate.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Authorization } from '../authorization/authorization.ts';
import { RequestRefused, refusalOf } from '../authorization/authorize.ts';
import type { Frame } from '../control-channel/frame.ts';
import { edgeHeader } from '../control-channel/header-fields.ts';
import { circuitMessages, refusalCode, startOverCodes } from '../control-channel/messages/circuits.ts';
import type { MessageBody } from '../control-channel/messages/message-type.ts';
import type { terminatorMessages } from '../control-channel/messages/terminators.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { forRouters } from '../registry/fabric.ts';
import { BindRefused, type BindRequest, bind, checkBind, countChange, MAX_COST } from './bind.ts';
import type { TerminatorDependencies } from './hosted-terminators.ts';
import { changeOfPrecedence } from './precedence.ts';

const { refused } = circuitMessages;

type Row = RowOf<typeof terminator>;
type BindAnswer = Omit<Parameters<(typeof terminatorMessages)['createTerminatorResponse']['encode']>[0], 'terminatorId'>;

/** Authorizes and answers requests for terminators of one binding. */
interface BindOptions {
  readonly binding: 'edge' | 'tunnel';
  /**
   * Verifies tokens outside of a transaction.
   * @returns a function that authorizes in one
   * @throws RequestRefused, as does that function
   */
  authorize(): Promise<(entities: Entities) => Promise<Authorization>>;
  /** The result that answers an unauthorized request. */
  readonly unauthorized: BindAnswer['result'];
  answer(answer: BindAnswer): void;
}

/** Creates a terminator for a router, and answers. */
export const createTerminatorFor = async (
  { fabric, authorizations, hosted, rate }: TerminatorDependencies,
  router: ConnectedRouter,
  request: BindRequest,
  { binding, authorize, unauthorized, answer }: BindOptions,
): Promise<void> => {
  const { core } = fabric;
  const { address: id, peerData } = request;
  const { signal } = router.channel;
  const checkedAt = authorizations.generation;
  try {
    checkBind(request);
    const authorizeIn = await authorize();
    const authorization = await forRouters(core, (job) =>
      job.write(async (entities) => {
        const authorized = await authorizeIn(entities);
        await bind(entities, { secrets: core.secrets, rate }, authorized, binding, request);
        return authorized;
      }),
    );
    hosted.host(router, { id, authorization, peerData, isConfirmed: true }, checkedAt);
    if (!signal.aborted) answer({ result: 'success' });
  } catch (error) {
    if (signal.aborted) return;
    const isUnauthorized = error instanceof RequestRefused;
    if (isUnauthorized) {
      const retryHint = startOverCodes.has(error.code) ? 'startOver' : 'notRetriable';
      answer({ result: unauthorized, msg: error.message, errorCode: error.code, retryHint });
    } else if (error instanceof BindRefused) {
      answer({ result: error.result, msg: error.message, errorCode: error.code, retryHint: 'notRetriable' });
    } else {
      answer({ result: 'busy', msg: 'try again later', errorCode: refusalCode.internal, retryHint: 'tooBusy' });
      throw error;
    }
    // The terminator may still be hosted under an earlier authorization.
    if (isUnauthorized) await hosted.remove(router.id, [id]);
    core.platform.logger.info('a terminator was refused', { routerId: router.id, terminatorId: id, reason: error.message });
  }
};

/** The host of a terminator, with its router. */
export type TerminatorHost = Pick<Row, 'routerId' | 'hostId'> & Partial<Pick<Row, 'serviceId'>>;

/**
 * The terminator with this id; undefined if it does not exist.
 * @throws RequestRefused if it belongs to another host
 */
export const ownTerminator = async (entities: Entities, id: string, host: TerminatorHost): Promise<Row | undefined> => {
  const row = await entities.get(terminator, id);
  const isOwn = row?.routerId === host.routerId && row.hostId === host.hostId && (host.serviceId ?? row.serviceId) === row.serviceId;
  if (row && !isOwn) throw invalidTerminator();
  return row;
};

const invalidTerminator = () => new RequestRefused(refusalCode.invalidTerminator, 'there is no such terminator of this host');

type Update = Pick<
  MessageBody<(typeof terminatorMessages)['updateTunnelTerminator']>,
  'terminatorId' | 'cost' | 'updateCost' | 'precedence' | 'updatePrecedence'
>;

/**
 * Updates the cost and precedence of one of the host's terminators.
 * @throws RequestRefused; TooManyChanges
 */
export const updateOwnTerminator = async (entities: Entities, rate: AddressRate, host: TerminatorHost, update: Update): Promise<void> => {
  const { terminatorId, cost, updateCost, precedence, updatePrecedence } = update;
  if (updateCost && cost > MAX_COST) throw new RequestRefused(refusalCode.invalidCost, `the cost must be at most ${MAX_COST}`);
  if (updatePrecedence && precedence === 'unrecognized')
    throw new RequestRefused(refusalCode.invalidPrecedence, 'the precedence is unknown');
  const row = await ownTerminator(entities, terminatorId, host);
  if (!row) throw invalidTerminator();
  const isKnown = updatePrecedence && precedence !== 'unrecognized';
  const changes = { ...(updateCost ? { cost } : {}), ...(isKnown ? changeOfPrecedence(row, precedence) : {}) };
  const isChanged = Object.entries(changes).some(([field, value]) => row[field as keyof typeof changes] !== value); // the keys of `changes`
  if (!isChanged) return;
  countChange(rate, host.routerId, JSON.stringify(row).length);
  await entities.update(terminator, row, changes);
};

/** Wraps a handler so that refusals are answered with their code and reason, and other errors as internal. */
export const withRefusalAnswers =
  <T>({ channel }: ConnectedRouter, handler: (body: T, frame: Frame) => void | Promise<void>) =>
  async (body: T, frame: Frame): Promise<void> => {
    try {
      await handler(body, frame);
    } catch (error) {
      if (channel.signal.aborted) return;
      const [code, reason] = refusalOf(error);
      channel.answer(frame, refused, reason, [edgeHeader.errorCode.of(code)]);
      if (!(error instanceof RequestRefused)) throw error;
    }
  };
