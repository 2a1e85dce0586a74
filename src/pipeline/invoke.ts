import { apiSession } from '../api/sessions.ts';
import { type Actor, actorId } from '../call/actor.ts';
import type { Call, CallSource, Entry, Invoke } from '../call/call.ts';
import type { Core } from '../call/core.ts';
import type { Write } from '../call/writer.ts';
import { entitiesOf } from '../changes/entities.ts';
import { actorOfSession } from '../domain/sessions/state.ts';
import { ApiError, unauthorized } from '../errors/index.ts';
import { StoreUnavailable, ValueTooLong, WriteConflict } from '../storage/errors.ts';
import { authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { decode } from './decode.ts';

const NEVER_ABORTED = new AbortController().signal;

export interface Parts {
  readonly core: Core;
  readonly write: Write;
}

/**
 * What happens to every call, whether it came over HTTP or from the host's own code:
 * who calls, what they ask, whether they may, and then the operation itself in transactions of the store.
 */
export const createInvoke =
  (parts: Parts): Invoke =>
  async (entry, source) => {
    const answerHeaders = new Map<string, string>();
    const early = callOf(parts, entry, source, { kind: 'anonymous' }, answerHeaders);
    const actor = await translated(() => authenticate(early, entry.operation, source.hostTransaction !== undefined));
    const input = decode(entry.operation, await source.input());
    authorize(actor, entry.operation);
    const call = callOf(parts, entry, source, actor, answerHeaders);
    const output = await translated(() => entry.handler(call, input as never)); // decoded by the operation that the handler was bound to
    return { output, headers: answerHeaders };
  };

const callOf = (
  { core, write }: Parts,
  { operation }: Entry,
  source: CallSource,
  actor: Actor,
  answerHeaders: Map<string, string>,
): Call => {
  const now = () => new Date(core.platform.clock.now()).toISOString();
  const context = {
    actor: actorId(actor),
    requestId: source.requestId,
    random: core.platform.random,
    stamp: core.stamp,
    changesKept: core.settings.changesKept,
  };
  const joined = () => entitiesOf(core.store.join(source.hostTransaction), context);
  const call: Call = {
    actor,
    core,
    now,
    // Made only when it is asked for: reading needs none.
    get signal() {
      return source.signal ?? NEVER_ABORTED;
    },
    api: source.api,
    isJoined: source.hostTransaction !== undefined,
    requestId: source.requestId,
    credentials: source.credentials,
    peerCertificates: source.peerCertificates ?? [],
    remoteAddress: source.remoteAddress ?? '',
    answerHeaders,
    read: (work) =>
      source.hostTransaction === undefined ? core.store.transaction('read', (tx) => work(entitiesOf(tx, context))) : work(joined()),
    write: async (work) => {
      if (source.hostTransaction !== undefined) return work(joined());
      return write(context, call.signal, async (entities) => {
        await stillAllowed(call, operation, entities);
        return work(entities);
      });
    },
  };
  return call;
};

/** A right may be lost between the start of a call and its write: what counts is the state that the write sees. */
const stillAllowed = async (call: Call, operation: Entry['operation'], entities: ReturnType<typeof entitiesOf>): Promise<void> => {
  if (call.actor.kind !== 'session') return;
  const session = await entities.get(apiSession, call.actor.session.id);
  const actor = session && (await actorOfSession(entities, call.core.settings, session, call.actor.token, call.now()));
  if (!actor) throw unauthorized();
  authorize(actor, operation);
};

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
