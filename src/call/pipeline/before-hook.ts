/** The host's hook `before`, which may replace the input of a call. */
import type { CallSource } from '../call-source.ts';
import type { Entry } from '../entry.ts';
import { decode } from './decode.ts';
import type { BeforeArguments, Hooks } from './hooks.ts';
import { answerOfHost } from './host-code.ts';
import { calledOperation } from './host-rule.ts';
import { bodyFieldsIn, type OngoingCall } from './ongoing-call.ts';
import { principalOf } from './principal.ts';

type Before = NonNullable<Hooks['before']>;

/**
 * Asks the hook about a call that has been permitted. If the hook replaces the input, the call must be permitted again.
 * @returns the input of the call from now on
 * @throws errors of the hook; ApiError for an invalid replacement, or one that the caller may not send
 */
export const inputFromHook = async (
  before: Before,
  call: OngoingCall,
  entry: Entry,
  source: CallSource,
  given: unknown,
): Promise<unknown> => {
  const replacement = await askBefore(before, call, entry, source, given);
  if (!replacement) return given;
  const input = decode(entry.operation, replacement, call.core.settings);
  call.bodyFields = bodyFieldsIn(replacement);
  await call.permitted(input);
  return input;
};

/**
 * Calls the host's hook, or returns its recorded answer for this nested call.
 * @returns the replacement for the input, if any
 */
const askBefore = async (before: Before, call: OngoingCall, entry: Entry, source: CallSource, input: unknown): Promise<unknown> => {
  // The hook is not called for a call that may still be refused.
  if (call.permission?.isProvisional) return undefined;
  const ask = async () =>
    answerOfHost(callBefore(before, call, entry, source, input), source.hostTransaction !== undefined, call.core.platform.clock);
  const answers = source.enclosing?.answers;
  return answers ? answers.answer(['before', entry.operation.operationId, input], ask) : ask();
};

/**
 * Calls the host's hook.
 * @returns the replacement for the input, if any
 */
const callBefore = (before: Before, call: OngoingCall, entry: Entry, source: CallSource, input: unknown) => {
  const { requestId, onBehalfOf, reason } = call.attribution;
  const hooked = { actor: principalOf(call.actor, source), requestId, onBehalfOf, reason, signal: call.signal };
  return before(...([calledOperation(entry, call.actor).operation, structuredClone(input), hooked] as unknown as BeforeArguments)); // the input is that of the operation
};
