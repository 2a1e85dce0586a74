import { createSemaphore, type Semaphore } from '../../runtime/concurrency/semaphore.ts';
import { MINUTE } from '../../runtime/platform/clock.ts';
import { beginningOf } from '../../runtime/platform/control-characters.ts';
import { RouterNotAsked, type TerminatorAtRouter, type Traffic } from '../../runtime/presence/traffic.ts';
import { Malformed } from '../control-channel/malformed.ts';
import { terminatorMessages } from '../control-channel/messages/terminators.ts';
import { Unanswered } from '../control-channel/requests.ts';
import type { DataModelSync } from '../data-model/subscriptions.ts';
import type { ConnectedRouter, ConnectedRouters } from '../registry/connected-routers.ts';
import { terminatorDetail } from '../view/shown-to-operators.ts';

const { validateTerminators, validateTerminatorsResponse } = terminatorMessages;

/** Maximum length of the detail of a terminator that is shown. */
const MAX_DETAIL = 1000;

/** Number of questions about terminators that a router has to answer at a time, and maximum number of those that wait. */
const QUESTIONS_AT_ONCE = 4;
const MAX_WAITING = 16;

/** The part of the traffic that asks connected routers to compare their state with that of the controller. */
export const validationsBy = (
  connected: ConnectedRouters,
  dataModel: Pick<DataModelSync, 'validate'>,
): Pick<Traffic, 'validateTerminators' | 'validateModel'> => {
  /** @throws RouterNotAsked */
  const asking = async <T>(routerId: string, ask: (router: ConnectedRouter) => Promise<T>): Promise<T> => {
    const router = connected.get(routerId);
    if (!router) throw new RouterNotAsked('router not connected to controller');
    try {
      return await ask(router);
    } catch (error) {
      if (error instanceof Malformed) router.channel.close(error.message);
      if (error instanceof Malformed || error instanceof Unanswered || router.channel.signal.aborted)
        throw new RouterNotAsked('the router did not answer');
      throw error;
    }
  };
  const questionsTo = new WeakMap<ConnectedRouter, Semaphore>();
  /** @throws RouterNotAsked */
  const inTurn = async <T>(router: ConnectedRouter, ask: () => Promise<T>): Promise<T> => {
    const questions = questionsTo.get(router) ?? createSemaphore(QUESTIONS_AT_ONCE);
    questionsTo.set(router, questions);
    if (questions.waiting >= MAX_WAITING) throw new RouterNotAsked('the router has too many other validations to answer');
    return questions.run(ask);
  };
  return {
    validateTerminators: (routerId, terminators, fix) =>
      asking(routerId, async (router) => {
        const question = { terminators, fixInvalid: fix };
        const answer = await inTurn(router, () => router.channel.request(validateTerminators, question, { milliseconds: MINUTE }));
        const { states } = validateTerminatorsResponse.decode(answer.body);
        const answered = new Map<string, TerminatorAtRouter>();
        for (const { id } of terminators) {
          const found = states.get(id);
          if (!found) continue;
          const state = found.valid ? 'valid' : found.reason === 'unrecognized' ? 'unknown' : found.reason;
          answered.set(id, { state, detail: beginningOf(await terminatorDetail(found.detail), MAX_DETAIL) });
        }
        return answered;
      }),
    // Routers that no client connects to have no data model.
    validateModel: (routerId, fix) =>
      asking(routerId, async (router) => (router.connection.isEdgeRouter ? dataModel.validate(router, fix) : [])),
  };
};
