import { parseOutput } from '../../contract/api/kit/parse-output.ts';
import { ApiError, invalidField, ofKnownCaller, unauthorized } from '../../contract/errors/index.ts';
import { CONDITIONAL_OPERATIONS } from '../../contract/if-version.ts';
import { isoTime } from '../../runtime/platform/clock.ts';
import type { PastState } from '../../store/entities/past-state.ts';
import type { Precondition } from '../../store/entities/precondition.ts';
import { observedActor, type PresentedToken } from '../actor.ts';
import { currentActor } from '../authentication/actors.ts';
import { presentedToken } from '../authentication/bearer.ts';
import { assertBatchable, assertPreviewable } from '../batchable.ts';
import type { CallSource } from '../call-source.ts';
import type { Entry, Invoke } from '../entry.ts';
import type { Past } from '../past.ts';
import type { StoreErrors } from '../store-errors.ts';
import { authenticate, type Caller } from './authenticate.ts';
import { assertUsable, authorize, entryFor } from './authorize.ts';
import { inputFromHook } from './before-hook.ts';
import { boundByToken, verdictByPermission } from './by-permission.ts';
import type { CallServices } from './call-services.ts';
import { decode } from './decode.ts';
import type { Hooks } from './hooks.ts';
import { createOnce } from './idempotency.ts';
import { nestedSource } from './nested-source.ts';
import { bodyFieldsIn, type InvokeNested, OngoingCall } from './ongoing-call.ts';
import { preview } from './preview.ts';

/**
 * The steps of every call, from HTTP or from the host's own code: authenticate, decode, authorize, and then the operation itself, in
 * transactions of the store.
 */
export const createInvoke = (services: CallServices, storeErrors: StoreErrors, before: Hooks['before']): Invoke => {
  const { core, hasHostCode } = services;
  const { activity, catchUp, followLog, platform, settings } = core;
  const perform = createPerform(services, before);
  const invokeNested = createInvokeNested(services, perform);
  const mapError = (error: unknown, { requestId, operation }: OngoingCall) =>
    storeErrors(error, { requestId, operationId: operation.operationId });
  return async (declared, source) => {
    const entry = declared.operation.everySession === undefined ? declared : entryFor(declared, source, settings);
    const { operation } = entry;
    const isJoined = source.hostTransaction !== undefined;
    const call = new OngoingCall(services, entry, source, invokeNested);
    let active: Caller['active'];
    let presented: PresentedToken | undefined;
    const run = async () => {
      const caller = await authenticate(call, operation, presented);
      ({ active } = caller);
      call.actor = caller.actor;
      source.observation?.setActor(...observedActor(caller.actor));
      source.recognize?.(caller.actor);
      // After this, the challenge of a 401 no longer says that the session token is invalid.
      const refusal = source.refusal?.();
      if (operation.needsCertificate && call.peerCertificates.length === 0)
        throw unauthorized('present the client certificate in the TLS handshake of this request');
      if (refusal) {
        authorize(call.actor, operation);
        throw refusal;
      }
      return perform(call, entry, source, await source.input(operation.body?.isLarge === true && holdsRight(call)));
    };
    try {
      const caughtUp = catchUp();
      // In the host's transaction, waiting for another transaction could deadlock.
      if (caughtUp && !isJoined) await caughtUp;
      const followed = operation.permission === 'open' || isJoined ? followLog() : undefined;
      if (followed && !isJoined) await followed;
      if (operation.permission !== 'open') presented = await admitted(call, source);
      const mayWait = operation.awaitsRouters === true && core.expectedRouters.areExpected;
      const inOneState = !hasHostCode && !mayWait && readsOneState(entry, source, presented);
      const output = await (inOneState ? call.transactions.inOneState(run) : run());
      const { answerHeaders: headers, actor, isAccepted } = call;
      const isStream = operation.answer.is === 'events';
      return {
        output: isStream ? withErrors(output as AsyncIterable<unknown>, (error) => mapError(error, call)) : output, // as declared
        headers,
        actor,
        isAccepted,
        isPreview: source.isPreview === true,
      };
    } catch (error) {
      const mapped = mapError(error, call);
      noteDenial(call, mapped);
      throw mapped;
    } finally {
      // In a transaction of the host, only the call itself is written.
      if (active && !isJoined) activity.note(active.id, isoTime(platform.clock.now()), active.kind);
    }
  };
};

/** The steps of a call from its input on. */
type Perform = (call: OngoingCall, entry: Entry, source: CallSource, raw: unknown) => Promise<unknown>;

const createPerform = (services: CallServices, before: Hooks['before']): Perform => {
  const { core } = services;
  const { settings } = core;
  const once = createOnce(core);
  return async (call, entry, source, raw) => {
    const { isPreview, idempotencyKey } = source;
    if (isPreview) assertPreviewable(entry);
    if (entry.operation.body) call.bodyFields = bodyFieldsIn(raw);
    const given = decode(entry.operation, raw, settings);
    // A past state shows entities that were since deleted, or moved outside the limits of the caller, as only the change log does
    // otherwise.
    const log = source.past && services.entries.get(CHANGE_LOG);
    if (log) await services.permit(call, log, source, {});
    const permitting = call.permitted(given);
    if (permitting) await permitting;
    // Only once the call is permitted, so that nobody else can trigger these writes.
    if (entry.group === AUDIT && source.hostTransaction === undefined) await core.securityEvents.flush();
    const input = before ? await inputFromHook(before, call, entry, source, given) : given;
    const precondition = entry.operation.method === 'GET' ? undefined : preconditionOf(entry, source, input);
    if (source.past) call.transactions.past = await openPast(call, source.past);
    const handle = () => {
      call.transactions.precondition = precondition;
      return entry.handler(call, input as never); // decoded by the operation that the handler was bound to
    };
    if (isPreview) return preview(call, entry, services.whatIf, handle);
    return idempotencyKey === undefined ? handle() : once(call, entry, idempotencyKey, given, handle);
  };
};

const createInvokeNested = (services: CallServices, perform: Perform): InvokeNested => {
  const invokeNested: InvokeNested = async (caller, callerSource, nested, enclosing) => {
    const entry = services.entries.get(nested.operation);
    assertBatchable(nested.operation, entry?.operation);
    const source = nestedSource(callerSource, nested, enclosing);
    const call = new OngoingCall(services, entry, source, invokeNested);
    call.actor = await currentActor(enclosing.entities, caller);
    const output = parseOutput(entry.operation.answer, await perform(call, entry, source, nested.input));
    caller.addNestedCall(call, output);
    return output;
  };
  return invokeNested;
};

/**
 * Waits until a call that requires a right may be answered.
 * @returns the access token that it presents
 */
const admitted = async (call: OngoingCall, source: CallSource): Promise<PresentedToken | undefined> => {
  const { credentials } = source;
  const presented = credentials.kind === 'token' && credentials.token === undefined ? await presentedToken(call) : undefined;
  const admission = source.admit?.(presented?.sessionId);
  if (admission) await admission;
  return presented;
};

/** True if the permissions of the caller and of its API token allow the call, whatever the host's rule decides. */
const holdsRight = (call: OngoingCall): boolean => {
  const { actor, operation } = call;
  try {
    assertUsable(actor, operation);
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

/** The group whose operations show refused attempts, which are therefore recorded first. */
const AUDIT = 'audit';

/**
 * Marks the error, and records a security event, if a known caller was refused. Not for a session that still owes a factor, whose client
 * finds out in this way which operations are allowed.
 */
const noteDenial = (call: OngoingCall, error: unknown): void => {
  const { actor, core } = call;
  if (!(error instanceof ApiError) || error.code !== 'UNAUTHORIZED' || actor.kind === 'anonymous') return;
  if (actor.kind === 'session' && actor.authQueries.length > 0) return;
  ofKnownCaller(error);
  if (!('identity' in actor) || call.isJoined) return;
  core.securityEvents.note(call, 'denied', error.code, actor.identity.id);
};

/**
 * The condition on the entity that the call is about to change, which a hook may have replaced.
 * @throws ApiError `COULD_NOT_VALIDATE` for an operation of a batch that changes no entity by its id
 */
const preconditionOf = ({ group, verb, operation }: Entry, source: CallSource, input: unknown): Precondition | undefined => {
  const versions = source.expectedVersions?.();
  if (versions && !operation.isConditional)
    throw invalidField('ifVersion', `${group}.${verb} does not accept ifVersion: ${CONDITIONAL_OPERATIONS}`, versions[0]);
  if (!versions || !operation.entity) return undefined;
  const { id } = input as { readonly id: string }; // the path of every conditional operation has an id
  return { kind: operation.entity, id, versions };
};

/**
 * True if the whole call, from its session to its answer, reads in one transaction and so sees one consistent state. Only for reads without
 * a body, which may arrive slowly or contain a one-time code, and without an external token, because the keys of its signer may have to be
 * fetched. Not for the audit, because refused attempts are written first, nor for standalone operations, which use transactions of their
 * own: a store with one connection would wait for itself.
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
