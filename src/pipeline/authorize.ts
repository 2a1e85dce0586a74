import { isForEverySession, type Operation } from '../api/kit/operation.ts';
import { currentActor } from '../authentication/actors.ts';
import { assertOwnIdentityKept } from '../authentication/protected-identities.ts';
import { type Actor, type ApiSessionActor, isAdministrator, isKnownToRouters } from '../call/actor.ts';
import type { Call, CallSource, Entry } from '../call/call.ts';
import { type Grant, OWN_RIGHT } from '../call/grant.ts';
import type { Settings } from '../call/settings.ts';
import type { Entities } from '../entities/entities.ts';
import { explained, unauthorized } from '../errors/index.ts';

/** Decides whether a call may be made, and within which limits. @throws ApiError `UNAUTHORIZED`; `NOT_FOUND` for a target outside the grant */
export type Permit = (call: Call, entry: Entry, source: CallSource, input: unknown) => Promise<PermitResult>;

/** The permission to make a call. */
export interface PermitResult {
  readonly grant: Grant;
  /** True until the host's rule has been asked: what the call does by this permission is rolled back. */
  readonly isProvisional?: boolean;
  /**
   * Called first in the call's transaction, so that the decision is based on the state that the write sees.
   * @throws as `Permit`; StalePermit if the state that the host's rule judged has changed since
   */
  recheck(entities: Entities, actor: Actor): Promise<void>;
  /** Called last: checks the written rows against the grant. @throws ApiError `UNAUTHORIZED` */
  verify(entities: Entities): Promise<void>;
}

/** The host's rule must be called again, outside the transaction: it may itself use the store. */
export class StalePermit extends Error {
  override readonly name = 'StalePermit';
}

/** Used if the host has no rule: the permission that the operation declares decides. */
export const permitByDeclaration: Permit = async (call, { operation }) => {
  authorize(call.actor, operation);
  return {
    grant: OWN_RIGHT,
    recheck: async (_, actor) => authorize(actor, operation),
    verify: async (entities) => assertOwnIdentityKept(call.actor, entities.changes),
  };
};

/** A call that has been authorized once and is authorized again in each of its transactions. */
export interface Authorized extends Pick<Call, 'core' | 'remoteAddress' | 'now'> {
  actor: Actor;
  readonly permission: PermitResult | undefined;
  /** Forgets the parts that have run: they run again, in another transaction. */
  forgetParts(): void;
  /** Requests the permission again, for the same input. @throws as `Permit` */
  permitted(): Promise<void>;
}

/**
 * Authorizes a call by the state that its transaction sees.
 * @param present its actor in that state. Default: read from it
 * @throws as `PermitResult.recheck`
 */
export const reauthorize = async (call: Authorized, entities: Entities, present = currentActor(entities, call)): Promise<void> => {
  const actor = await present;
  await call.permission?.recheck(entities, actor).catch((error: unknown) => {
    if (error instanceof StalePermit) call.actor = actor;
    throw error;
  });
};

/** Maximum number of times that the host's rule is called again for one write. */
const MAX_RULE_RETRIES = 3;

/** Calls the host's rule again if its answer was based on an earlier state. @throws ApiError `CONFLICT` after several attempts; errors of `work` */
export const withFreshPermit = async <T>(call: Authorized, work: () => Promise<T>): Promise<T> => {
  for (let retries = 0; ; retries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StalePermit)) throw error;
      if (retries === MAX_RULE_RETRIES)
        throw explained(
          'CONFLICT',
          `the entity or the caller had changed each of the ${MAX_RULE_RETRIES} times after the host's rule was asked again`,
        );
      await call.permitted();
    }
  }
};

/**
 * Asserts that the actor may call the operation. The default is to deny.
 * @throws ApiError `UNAUTHORIZED`: 401, or 403 if the operation declares it
 */
export const authorize = (actor: Actor, operation: Operation): void => {
  const { permission, denied } = operation;
  if (permission === 'open' || actor.kind === 'system') return;
  if (actor.kind === 'token') {
    assertByToken(actor, operation);
    if (operation.byToken || isAdministrator(actor)) return;
  }
  if (actor.kind === 'identity' && (permission === 'partial' || permission === 'session' || isAdministrator(actor))) return;
  if (actor.kind === 'session') {
    if (permission === 'partial') return;
    assertOwesNothing(actor, { permission });
    assertUnknownToRouters(actor, operation);
    if (permission === 'session' || isAdministrator(actor)) return;
  }
  throw explained('UNAUTHORIZED', 'only an administrator may do this: log in as one', denied === undefined ? {} : { status: denied });
};

/** True if an operation is about entities that a right allows to see or change, also if every session may call it for its own ones. */
export const takesRight = ({ permission, ofAll }: Pick<Operation, 'permission' | 'ofAll'>): boolean => (ofAll ?? permission).includes('.');

const forEverySession = new WeakMap<Entry, Entry>();

/** The entry as a call sees it: where every session may call the operation, it takes no right. */
export const entryFor = (entry: Entry, { surface }: Pick<CallSource, 'surface'>, { compat }: Pick<Settings, 'compat'>): Entry => {
  if (!isForEverySession(entry.operation, surface, compat)) return entry;
  let open = forEverySession.get(entry);
  if (!open) forEverySession.set(entry, (open = { ...entry, operation: { ...entry.operation, permission: 'session', byToken: true } }));
  return open;
};

/**
 * API tokens cannot do what needs a session: what is about the login itself, and what would prolong the token.
 * @throws ApiError `UNAUTHORIZED`
 */
export const assertByToken = (actor: Actor, operation: Pick<Operation, 'permission' | 'byToken' | 'ofAll'>): void => {
  if (actor.kind !== 'token' || operation.permission === 'open' || (operation.byToken ?? takesRight(operation))) return;
  throw unauthorized('an API token cannot do this: log in');
};

/**
 * Until a session has presented all its factors, it may do nothing else, even if it is an administrator's.
 * @throws ApiError `UNAUTHORIZED`
 */
export const assertOwesNothing = (actor: Actor, { permission }: Pick<Operation, 'permission'>): void => {
  if (actor.kind !== 'session' || permission === 'open' || permission === 'partial' || actor.authQueries.length === 0) return;
  throw unauthorized(`the login is not complete: it still owes ${owed(actor)}`);
};

/**
 * Asserts that routers do not know the session's token. Routers get the token of each session that dials or binds services, so that they recognize its client;
 * they must not be able to act as an administrator with it, or to make API tokens of its identity.
 * @throws ApiError `UNAUTHORIZED`
 */
export const assertUnknownToRouters = (actor: Actor, { permission, byToken }: Pick<Operation, 'permission' | 'byToken'>): void => {
  if (!isKnownToRouters(actor) || permission === 'open' || permission === 'partial') return;
  if (permission === 'session' && byToken !== false) return;
  throw unauthorized(
    'this API session dials or binds services, so that routers know its token: log in once more to administer the network',
  );
};

const owed = ({ authQueries }: ApiSessionActor): string =>
  authQueries
    .map(({ typeId }) =>
      typeId === 'MFA' ? 'a code, by POST /authenticate/mfa' : 'a token of its external JWT signer, in the header Authorization',
    )
    .join(' and ');
