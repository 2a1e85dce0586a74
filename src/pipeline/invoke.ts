import { parsed } from '../api/kit/parsed.ts';
import { currentActor } from '../authentication/actors.ts';
import { presentedToken } from '../authentication/bearer.ts';
import type { PresentedToken } from '../call/actor.ts';
import { assertBatchable, assertPreviewable } from '../call/batchable.ts';
import type { CallSource, Entry, Invoke } from '../call/call.ts';
import { observeActor } from '../call/observed.ts';
import type { Past } from '../call/past.ts';
import type { StoreErrors } from '../call/store-errors.ts';
import type { PastState } from '../entities/past-state.ts';
import type { Precondition } from '../entities/precondition.ts';
import { ApiError, invalidField, ofKnownCaller, unauthorized } from '../errors/index.ts';
import { TAKES_VERSION } from '../if-version.ts';
import { isoTime } from '../platform/clock.ts';
import { authenticate, type Caller } from './authenticate.ts';
import { assertOwesNothing, authorize, entryFor } from './authorize.ts';
import { boundByToken, verdictByPermission } from './by-permission.ts';
import { decode } from './decode.ts';
import type { BeforeArguments, Hooks } from './hooks.ts';
import { answerOfHost } from './host-code.ts';
import { calledOperation } from './host-rule.ts';
import { bodyFieldsIn, type CarryOut, OngoingCall } from './ongoing-call.ts';
import { partSource } from './part-source.ts';
import type { Parts } from './parts.ts';
import { preview } from './preview.ts';
import { principalOf } from './principal.ts';
import { createOnce } from './repeatable.ts';

/**
 * The steps of every call, from HTTP or from the host's own code: authenticate, decode, authorize, and then the operation itself, in transactions of
 * the store.
 */
export const createInvoke = (parts: Parts, storeErrors: StoreErrors, before: Hooks['before']): Invoke => {
  const { core, hasHostCode } = parts;
  const { activity, catchUp, followLog, platform, settings } = core;
  const once = createOnce(core);
  const mayWait = ({ operation }: Entry) => operation.awaitsRouters === true && core.expectedRouters.areExpected;
  const presentTime = () => isoTime(platform.clock.now());
  /** The steps of a call from its input on. */
  const perform = async (call: OngoingCall, entry: Entry, source: CallSource, raw: unknown): Promise<unknown> => {
    if (source.isPreview) assertPreviewable(entry);
    call.bodyFields = bodyFieldsIn(raw);
    const given = decode(entry.operation, raw, settings);
    // A past state shows what has been deleted, or moved beyond the limits of the caller, since: only the change log shows it, too.
    const log = source.past && parts.entries.get(CHANGE_LOG);
    if (log) await parts.permit(call, log, source, {});
    await call.permitted(given);
    // Only for those who may read them, so that nobody else decides when they are written.
    if (entry.group === AUDIT && source.hostTransaction === undefined) await core.securityEvents.flush();
    const replaced = before && (await askBefore(before, call, entry, source, given));
    const input = replaced ? decode(entry.operation, replaced, settings) : given;
    if (replaced) call.bodyFields = bodyFieldsIn(replaced);
    if (replaced) await call.permitted(input);
    const precondition = preconditionOf(entry, source, input);
    if (source.past) call.transactions.past = await openPast(call, source.past);
    const handle = () => {
      call.transactions.precondition = precondition;
      return entry.handler(call, input as never); // decoded by the operation that the handler was bound to
    };
    if (source.isPreview) return preview(call, entry, parts.whatIf, handle);
    return source.idempotencyKey === undefined ? handle() : once(call, entry, source.idempotencyKey, given, handle);
  };
  const carryOut: CarryOut = async (caller, callerSource, part, whole) => {
    const entry = parts.entries.get(part.operation);
    assertBatchable(part.operation, entry?.operation);
    const source = partSource(callerSource, part, whole);
    const call = new OngoingCall(parts, entry, source, carryOut);
    call.actor = await currentActor(whole.entities, caller);
    const output = parsed(entry.operation.answer, await perform(call, entry, source, part.input));
    caller.include(call, output);
    return output;
  };
  return async (declared, source) => {
    const entry = entryFor(declared, source, settings);
    const call = new OngoingCall(parts, entry, source, carryOut);
    let active: Caller['active'];
    let presented: PresentedToken | undefined;
    const run = async () => {
      const caller = await authenticate(call, entry.operation, presented);
      ({ active } = caller);
      call.actor = caller.actor;
      if (source.observation) observeActor(source.observation, caller.actor);
      // From here on, the challenge of a 401 does not say that the session token is invalid.
      const refusal = source.refusal?.();
      if (entry.operation.needsCertificate && call.peerCertificates.length === 0)
        throw unauthorized('present the client certificate in the TLS handshake of this request');
      if (refusal) {
        authorize(call.actor, entry.operation);
        throw refusal;
      }
      return perform(call, entry, source, await source.input(entry.operation.body?.isLarge === true && holdsRight(call)));
    };
    const mapError = (error: unknown) => storeErrors(error, { requestId: source.requestId, operationId: entry.operation.operationId });
    try {
      const caughtUp = catchUp();
      // In the host's transaction, waiting for another transaction could deadlock.
      if (caughtUp && source.hostTransaction === undefined) await caughtUp;
      const followed = entry.operation.permission === 'open' || source.hostTransaction !== undefined ? followLog() : undefined;
      if (followed && source.hostTransaction === undefined) await followed;
      if (entry.operation.permission !== 'open') {
        const { credentials } = source;
        if (credentials.kind === 'token' && credentials.token === undefined) presented = await presentedToken(call);
        const admitted = source.admit?.(presented?.sessionId);
        if (admitted) await admitted;
      }
      const output = await (!hasHostCode && !mayWait(entry) && readsOneState(entry, source, presented)
        ? call.transactions.inOneState(run)
        : run());
      const result = entry.operation.answer.is === 'events' ? withErrors(output as AsyncIterable<unknown>, mapError) : output; // as declared
      return {
        output: result,
        headers: call.answerHeaders,
        actor: call.actor,
        ...(call.isAccepted ? { isAccepted: true } : {}),
        ...(source.isPreview ? { isPreview: true } : {}),
      };
    } catch (error) {
      const mapped = mapError(error);
      noteDenial(call, mapped);
      throw mapped;
    } finally {
      // In the host's transaction nothing but the call itself is written.
      if (active && source.hostTransaction === undefined) activity.note(active.id, presentTime(), active.kind);
    }
  };
};

/** True if the caller may do this by its permissions and those of its API token, whatever a rule of the host says about this call. */
const holdsRight = (call: OngoingCall): boolean => {
  const { actor, operation } = call;
  try {
    assertOwesNothing(actor, operation);
    boundByToken(actor, operation);
    if (!verdictByPermission(call, actor, operation)) authorize(actor, operation);
    return true;
  } catch {
    return false;
  }
};

const openPast = (call: OngoingCall, { open }: Past): Promise<PastState> => {
  const now = call.now();
  return call.read((entities) => open(entities, now));
};

/** The operation that reads the change log. */
const CHANGE_LOG = 'changes.list';

/** The group whose operations show attempts that were refused before, so these are recorded first. */
const AUDIT = 'audit';

/** Notes in the error, and records, that a known caller was refused. A session that owes a factor is none: its client asks what it may do. */
const noteDenial = (call: OngoingCall, error: unknown): void => {
  const { actor, core } = call;
  if (!(error instanceof ApiError) || error.code !== 'UNAUTHORIZED' || actor.kind === 'anonymous') return;
  if (actor.kind === 'session' && actor.authQueries.length > 0) return;
  ofKnownCaller(error);
  if (!('identity' in actor) || call.isJoined) return;
  core.securityEvents.note(call, 'denied', error.code, actor.identity.id);
};

/**
 * Calls the host's hook, or returns what it has answered for this part of a call.
 * @returns the input that replaces the given one, if any
 */
const askBefore = async (
  before: NonNullable<Hooks['before']>,
  call: OngoingCall,
  entry: Entry,
  source: CallSource,
  input: unknown,
): Promise<unknown> => {
  // The hook is not called for what may be refused.
  if (call.permission?.isProvisional) return undefined;
  const ask = async () =>
    answerOfHost(callBefore(before, call, entry, source, input), source.hostTransaction !== undefined, call.core.platform.clock);
  const answers = source.whole?.answers;
  return answers ? answers.answer(['before', entry.operation.operationId, input], ask) : ask();
};

/** Calls the host's hook. @returns the input that replaces the given one, if any */
const callBefore = (before: NonNullable<Hooks['before']>, call: OngoingCall, entry: Entry, source: CallSource, input: unknown) => {
  const { requestId, onBehalfOf, reason } = call.attribution;
  const hooked = { actor: principalOf(call.actor, source), requestId, onBehalfOf, reason, signal: call.signal };
  return before(...([calledOperation(entry, call.actor).operation, structuredClone(input), hooked] as unknown as BeforeArguments)); // the input is that of the operation
};

/**
 * The condition on the entity that the call is about to change, which a hook may have replaced.
 * @throws ApiError `COULD_NOT_VALIDATE` for an operation of a batch that changes no entity by its id
 */
const preconditionOf = ({ group, verb, operation }: Entry, source: CallSource, input: unknown): Precondition | undefined => {
  const versions = operation.method === 'GET' ? undefined : source.expectedVersions?.();
  if (versions && !operation.isConditional)
    throw invalidField('ifVersion', `${group}.${verb} takes no ifVersion: ${TAKES_VERSION}`, versions[0]);
  if (!versions || !operation.entity) return undefined;
  const { id } = input as { readonly id: string }; // the path of every conditional operation has an id
  return { kind: operation.entity, id, versions };
};

/**
 * Whether the whole call, from its session to its answer, reads in one transaction and so sees one consistent state. Only for reads without a body, which may
 * arrive slowly or contain a one-time code, and without an external token, because its signer's keys may have to be fetched. Not for the audit, for which what was
 * refused is written first, nor for operations that stand alone, which use transactions of their own: a store with one connection would wait for itself.
 */
const readsOneState = (
  { operation, group }: Entry,
  { credentials, hostTransaction }: CallSource,
  presented: PresentedToken | undefined,
): boolean =>
  operation.method === 'GET' &&
  group !== AUDIT &&
  operation.standalone === undefined &&
  operation.body === undefined &&
  operation.permission !== 'open' &&
  hostTransaction === undefined &&
  credentials.kind === 'token' &&
  (presented?.isAlone ?? (credentials.token !== undefined && credentials.authorization === undefined));

/** Maps the errors of a stream, whose answer has already begun, like the errors of a call. */
async function* withErrors(
  events: AsyncIterable<unknown>,
  mapError: (error: unknown) => unknown,
): AsyncGenerator<unknown, void, undefined> {
  try {
    yield* events;
  } catch (error) {
    throw mapError(error);
  }
}
