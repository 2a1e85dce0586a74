import { type ApiError, unauthorized } from '../../contract/errors/index.ts';
import type { Logger } from '../../runtime/platform/platform.ts';
import type { Call } from '../call.ts';
import type { CallSource } from '../call-source.ts';
import type { Entry } from '../entry.ts';
import type { Aside } from './asides.ts';
import { answerOfHost, isWaitRefusal } from './host-code.ts';
import { type AuthorizationRequest, type CalledOperation, checkedVerdict, type HostRule, type Verdict } from './host-rule.ts';
import { principalOf } from './principal.ts';

/** Asks the host's rule about a call. The verdicts are undefined without a rule, and where it has none. */
export interface AskRule {
  /** The verdict on the call. If the rule fails, it may not. */
  onCall(called: CalledOperation, question: Pick<AuthorizationRequest, 'input' | 'target'>): Promise<Verdict>;
  /**
   * A side question.
   * @throws ApiError `UNAUTHORIZED` if the rule fails; if the question is about credentials, the verdict is false instead
   */
  onAside(aside: Aside): Promise<Verdict>;
}

/** Puts the questions of one call to the host's rule. Its actor is the present one, also if it changes later. */
export const askRule = (rule: HostRule | undefined, logger: Logger, call: Call, entry: Entry, source: CallSource): AskRule => {
  const { actor, requestId, operation } = call;
  const ask = async (request: Pick<AuthorizationRequest, 'about' | 'operation' | 'right' | 'input' | 'target'>): Promise<Verdict> => {
    const asked = rule?.({ ...call.attribution, actor: principalOf(actor, source), ...request });
    return answerOfHost(asked, source.hostTransaction !== undefined, call.core.platform.clock);
  };
  const logFailure = (effect: string, error: unknown) => {
    if (isWaitRefusal(error)) throw error;
    logger.error(`the rule of authorize failed: ${effect}`, { requestId, operationId: operation.operationId, error });
  };
  return {
    onCall: async (called, question) => {
      try {
        return checkedVerdict(await ask({ about: 'call', ...called, ...question }), entry, called);
      } catch (error) {
        logFailure('the call is refused', error);
        return false;
      }
    },
    onAside: async (aside) => {
      try {
        return checkedVerdict(await ask({ ...aside, target: undefined }));
      } catch (error) {
        const isRefused = aside.about === 'visibility';
        logFailure(isRefused ? 'the call is refused' : 'no credentials are shown', error);
        if (isRefused) throw refusedByHost(entry);
        return false;
      }
    },
  };
};

export const refusedByHost = ({ group, verb }: Entry): ApiError => unauthorized(`the host does not allow ${group}.${verb} here`);
