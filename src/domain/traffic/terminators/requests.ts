import type { RowOf } from '../../../api/kit/resource.ts';
import { terminator } from '../../../api/terminators.ts';
import type { Entities } from '../../../changes/entities.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import { edgeHeader } from '../../../control-channel/header-fields.ts';
import { circuitMessages, refusalCode } from '../../../control-channel/messages/circuits.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import type { terminatorMessages } from '../../../control-channel/messages/terminators.ts';
import { ClaimRefused, refusalOf } from '../authorization/authorize.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { MOST_COST } from './bind.ts';

const { refused } = circuitMessages;

type Row = RowOf<typeof terminator>;

/** Who hosts what, and where. */
export type Host = Pick<Row, 'routerId' | 'hostId'> & Partial<Pick<Row, 'serviceId'>>;

/** The terminator, if there is one, of this host. @throws ClaimRefused for that of another */
export const ownTerminator = async (entities: Entities, id: string, host: Host): Promise<Row | undefined> => {
  const row = await entities.get(terminator, id);
  const isOwn = row?.routerId === host.routerId && row.hostId === host.hostId && (host.serviceId ?? row.serviceId) === row.serviceId;
  if (row && !isOwn) throw invalid();
  return row;
};

const invalid = () => new ClaimRefused(refusalCode.invalidTerminator, 'there is no such terminator of this host');

type Update = Pick<
  MessageBody<(typeof terminatorMessages)['updateTunnelTerminator']>,
  'terminatorId' | 'cost' | 'updateCost' | 'precedence' | 'updatePrecedence'
>;

/** Changes cost and precedence of what a host hosts, those that it says. @throws ClaimRefused */
export const updateOwn = async (entities: Entities, host: Host, update: Update): Promise<void> => {
  const { terminatorId, cost, updateCost, precedence, updatePrecedence } = update;
  if (updateCost && cost > MOST_COST) throw new ClaimRefused(refusalCode.invalidCost, `a cost is ${MOST_COST} at most`);
  if (updatePrecedence && precedence === 'unrecognized')
    throw new ClaimRefused(refusalCode.invalidPrecedence, 'the precedence is not known');
  const row = await ownTerminator(entities, terminatorId, host);
  if (!row) throw invalid();
  const isKnown = updatePrecedence && precedence !== 'unrecognized';
  const changes = { ...(updateCost ? { cost } : {}), ...(isKnown ? { precedence } : {}) };
  const isNews = Object.entries(changes).some(([field, value]) => row[field as keyof typeof changes] !== value); // the keys of `changes`
  if (isNews) await entities.update(terminator, row, changes);
};

/** Handles a request; who may not is told why, and with which code. */
export const refusing =
  <T>({ channel }: ConnectedRouter, handle: (said: T, frame: Frame) => void | Promise<void>) =>
  async (said: T, frame: Frame): Promise<void> => {
    try {
      await handle(said, frame);
    } catch (error) {
      if (channel.signal.aborted) return;
      const [code, reason] = refusalOf(error);
      channel.answer(frame, refused, reason, [edgeHeader.errorCode.of(code)]);
      if (!(error instanceof ClaimRefused)) throw error;
    }
  };
