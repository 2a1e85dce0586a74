import type { CallSource, Entry, Invoke } from '../call/call.ts';
import { ApiError, unauthorized } from '../errors/index.ts';
import { StoreUnavailable, ValueTooLong, WriteConflict } from '../storage/errors.ts';
import { authenticate, type Caller, keepAlive } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { decode } from './decode.ts';
import { OngoingCall, type Parts } from './ongoing-call.ts';

/**
 * What happens to every call, whether it came over HTTP or from the host's own code:
 * who calls, what they ask, whether they may, and then the operation itself in transactions of the store.
 */
export const createInvoke =
  (parts: Parts): Invoke =>
  async (entry, source) => {
    const call = new OngoingCall(parts, entry, source);
    let active: Caller['active'];
    const answered = async () => {
      const caller = await authenticate(call, entry.operation);
      ({ active } = caller);
      call.actor = caller.actor;
      if (entry.operation.needsCertificate && call.peerCertificates.length === 0)
        throw unauthorized('present the client certificate in the TLS handshake of this request');
      const refusal = source.refusal?.();
      if (refusal) {
        authorize(call.actor, entry.operation);
        throw refusal;
      }
      const input = decode(entry.operation, await source.input());
      authorize(call.actor, entry.operation);
      return entry.handler(call, input as never); // decoded by the operation that the handler was bound to
    };
    try {
      const output = await translated(() => (readsOneState(entry, source) ? call.inOneState(answered) : answered()));
      return { output, headers: call.answerHeaders };
    } finally {
      // In the host's transaction nothing but the call itself is written.
      if (active && source.hostTransaction === undefined) await keepAlive(call, active);
    }
  };

/**
 * Whether a call of a session sees one state, from its session to its answer: what only reads needs no more than one transaction. One with a body, which
 * may be slow to come or hold a code to be spent, does not, nor one with an external token, whose signer's keys may have to be fetched.
 */
const readsOneState = ({ operation }: Entry, { credentials, hostTransaction }: CallSource): boolean =>
  operation.method === 'GET' &&
  operation.body === undefined &&
  operation.permission !== 'open' &&
  hostTransaction === undefined &&
  credentials.kind === 'token' &&
  credentials.token !== undefined &&
  credentials.authorization === undefined;

/** Errors of the store, in the words of the API. */
const translated = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ValueTooLong) throw new ApiError('COULD_NOT_VALIDATE', { cause: { code: 'UNHANDLED', message: error.message } });
    if (error instanceof WriteConflict) throw new ApiError('CONFLICT');
    if (error instanceof StoreUnavailable) throw new ApiError('SERVER_UNAVAILABLE', { retryAfter: 2 });
    throw error;
  }
};
