import { presentedToken } from '../authentication/bearer.ts';
import type { PresentedToken } from '../call/actor.ts';
import type { CallSource, Entry, Invoke } from '../call/call.ts';
import { observeActor } from '../call/observed.ts';
import type { StoreErrors } from '../call/store-errors.ts';
import type { Precondition } from '../entities/precondition.ts';
import { unauthorized } from '../errors/index.ts';
import { authenticate, type Caller } from './authenticate.ts';
import { authorize, permitByDeclaration } from './authorize.ts';
import { decode } from './decode.ts';
import type { BeforeArguments, Hooks } from './hooks.ts';
import { calledOperation } from './host-rule.ts';
import { OngoingCall } from './ongoing-call.ts';
import type { Parts } from './parts.ts';
import { principalOf } from './principal.ts';

/**
 * The steps of every call, from HTTP or from the host's own code: authenticate, decode, authorize, and then the operation itself, in transactions of
 * the store.
 */
export const createInvoke = (parts: Parts, storeErrors: StoreErrors, before: Hooks['before']): Invoke => {
  const { activity, catchUpPresence, settings } = parts.core;
  /** The host's own code may be slow, and use the store itself: no transaction stays open while it runs. */
  const isHooked = parts.permit !== permitByDeclaration || before !== undefined;
  return async (entry, source) => {
    const call = new OngoingCall(parts, entry, source);
    let active: Caller['active'];
    let presented: PresentedToken | undefined;
    const answered = async () => {
      const caller = await authenticate(call, entry.operation, presented);
      ({ active } = caller);
      call.actor = caller.actor;
      if (source.observation) observeActor(source.observation, caller.actor);
      if (entry.operation.needsCertificate && call.peerCertificates.length === 0)
        throw unauthorized('present the client certificate in the TLS handshake of this request');
      const refusal = source.refusal?.();
      if (refusal) {
        authorize(call.actor, entry.operation);
        throw refusal;
      }
      const given = decode(entry.operation, await source.input(), settings);
      const precondition = preconditionOf(entry, source, given);
      await call.permitted(given);
      const replaced = before && (await asked(before, call, entry, source, given));
      const input = replaced ? decode(entry.operation, replaced, settings) : given;
      if (replaced) await call.permitted(input);
      call.transactions.precondition = precondition;
      return entry.handler(call, input as never); // decoded by the operation that the handler was bound to
    };
    const told = (error: unknown) => storeErrors(error, { requestId: source.requestId, operationId: entry.operation.operationId });
    try {
      const caughtUp = catchUpPresence();
      // Within the host's transaction, waiting for another one might never end.
      if (caughtUp && source.hostTransaction === undefined) await caughtUp;
      if (entry.operation.permission !== 'open') {
        const { credentials } = source;
        if (credentials.kind === 'token' && credentials.token === undefined) presented = await presentedToken(call);
        const admitted = source.admit?.(presented?.sessionId);
        if (admitted) await admitted;
      }
      const output = await (!isHooked && readsOneState(entry, source, presented) ? call.transactions.inOneState(answered) : answered());
      const given = entry.operation.answer.is === 'events' ? withErrors(output as AsyncIterable<unknown>, told) : output; // as declared
      return { output: given, headers: call.answerHeaders, actor: call.actor, ...(call.isAccepted ? { isAccepted: true } : {}) };
    } catch (error) {
      throw told(error);
    } finally {
      // In the host's transaction nothing but the call itself is written.
      if (active && source.hostTransaction === undefined) activity.note(active.id, active.lastActivityAt ?? call.now());
    }
  };
};

/** The effect of the host's hook on a call: another input, or none. */
const asked = (before: NonNullable<Hooks['before']>, call: OngoingCall, entry: Entry, source: CallSource, input: unknown) => {
  const { requestId, onBehalfOf, reason } = call.attribution;
  const hooked = { actor: principalOf(call.actor, source), requestId, onBehalfOf, reason, signal: call.signal };
  return before(...([calledOperation(entry, call.actor).operation, structuredClone(input), hooked] as unknown as BeforeArguments)); // the input is that of the operation
};

const preconditionOf = ({ operation }: Entry, source: CallSource, input: unknown): Precondition | undefined => {
  if (!operation.isConditional || !operation.entity) return undefined;
  const versions = source.expectedVersions?.();
  const { id } = input as { readonly id: string }; // of the path of every such operation
  return versions && { kind: operation.entity, id, versions };
};

/**
 * Whether a call sees one consistent state, from its session to its answer: a read-only call needs only one transaction. Not with a body, which may
 * be slow to arrive or contain a code to be spent, and not with an external token, whose signer's keys may have to be fetched.
 */
const readsOneState = (
  { operation }: Entry,
  { credentials, hostTransaction }: CallSource,
  presented: PresentedToken | undefined,
): boolean =>
  operation.method === 'GET' &&
  operation.body === undefined &&
  operation.permission !== 'open' &&
  hostTransaction === undefined &&
  credentials.kind === 'token' &&
  (presented?.isAlone ?? (credentials.token !== undefined && credentials.authorization === undefined));

/** Maps errors of a stream, after its answer has begun, as errors of a call are mapped. */
async function* withErrors(events: AsyncIterable<unknown>, told: (error: unknown) => unknown): AsyncGenerator<unknown, void, undefined> {
  try {
    yield* events;
  } catch (error) {
    throw told(error);
  }
}
