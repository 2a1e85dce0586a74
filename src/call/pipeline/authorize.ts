import { isForEverySession, type Operation } from '../../contract/api/kit/operation.ts';
import { explained, unauthorized } from '../../contract/errors/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { type Actor, type ApiSessionActor, isAdministrator, isKnownToRouters } from '../actor.ts';
import { currentActor } from '../authentication/actors.ts';
import { assertOwnIdentityKept } from '../authentication/protected-identities.ts';
import type { Call } from '../call.ts';
import type { CallSource } from '../call-source.ts';
import type { Entry } from '../entry.ts';
import { type Grant, OWN_RIGHT } from '../grant.ts';
import type { Settings } from '../settings.ts';
import type { RecordedHostAnswers } from './host-code.ts';

/**
 * Decides whether a call may be made, and within which limits.
 * @throws ApiError `UNAUTHORIZED`
 */
export type Permit = (call: Call, entry: Entry, source: CallSource, input: unknown) => PermitResult | Promise<PermitResult>;

/** The permission to make a call. */
export interface PermitResult {
  readonly grant: Grant;
  /** True until the host's rule has been asked: what the call does by this permission is rolled back. */
  readonly isProvisional?: boolean;
  /**
   * Called once the call has its grant: asserts that this covers what the call is about. Undefined if nothing limits the call.
   * @throws ApiError `NOT_FOUND` for an entity outside the grant; `UNAUTHORIZED` for one that it protects
   */
  readonly check?: ((entities: Entities) => Promise<void>) | undefined;
  /**
   * Called first in the call's transaction, so that the decision is based on the state that the write sees.
   * @throws as `Permit` and `check`; StalePermit if the state that the host's rule judged has changed since
   */
  recheck(entities: Entities, actor: Actor): Promise<void>;
  /**
   * Called last: checks the written rows against the grant.
   * @throws ApiError `UNAUTHORIZED`
   */
  verify(entities: Entities): Promise<void>;
}

/** Thrown if the host's rule must be called again, outside of the transaction, because it may use the store itself. */
export class StalePermit extends Error {
  override readonly name = 'StalePermit';
}

/** The permission by the declaration of the operation, if the host has no rule. A class, because most calls never use its methods. */
export class PermitByDeclaration implements PermitResult {
  readonly grant = OWN_RIGHT;
  readonly #actor: Actor;
  readonly #operation: Operation;

  /** @throws ApiError `UNAUTHORIZED` */
  constructor(actor: Actor, operation: Operation) {
    authorize(actor, operation);
    this.#actor = actor;
    this.#operation = operation;
  }

  async recheck(_: Entities, actor: Actor): Promise<void> {
    authorize(actor, this.#operation);
  }

  async verify({ changes }: Entities): Promise<void> {
    assertOwnIdentityKept(this.#actor, changes);
  }
}

/** A call that has been authorized once and is authorized again in each of its transactions. */
export interface Authorized extends Pick<Call, 'core' | 'remoteAddress' | 'now' | 'signal'> {
  actor: Actor;
  readonly permission: PermitResult | undefined;
  /** Discards the records of nested calls: these run again, in another transaction. */
  forgetNestedCalls(): void;
  /**
   * Requests the permission again, for the same input.
   * @returns undefined if it has been decided at once.
   * @throws as `Permit`
   */
  permitted(): Promise<void> | undefined;
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

/**
 * Runs `work`, and repeats it if it was rolled back because the host's rule judged an earlier state, or because the host's code has
 * questions to answer. No transaction is open while that code runs.
 * @throws ApiError `CONFLICT` after several attempts; errors of `work`
 */
export const withFreshPermit = async <T>(call: Authorized, work: () => Promise<T>, answers?: RecordedHostAnswers): Promise<T> => {
  for (let retries = 0, runs = 1; ; ) {
    try {
      return await work();
    } catch (error) {
      if (answers?.isIncomplete) {
        await answers.answerAll(runs++, call.signal);
        continue;
      }
      if (!(error instanceof StalePermit)) throw error;
      if (retries++ === MAX_RULE_RETRIES)
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
  assertUsable(actor, operation);
  const { permission, byToken, denied } = operation;
  if (permission === 'open' || isAdministrator(actor)) return;
  if (actor.kind === 'token' && byToken) return;
  if ((actor.kind === 'identity' || actor.kind === 'session') && (permission === 'partial' || permission === 'session')) return;
  throw explained('UNAUTHORIZED', 'only an administrator may do this: log in as one', denied === undefined ? {} : { status: denied });
};

/**
 * Asserts that the way in which the actor has logged in suffices for the operation, whatever its rights are.
 * - API tokens cannot be used for operations that require a session: those on the login itself, and those that would prolong the token.
 * - Until a session has presented all its factors, it may do nothing else.
 * - Routers get the token of each session that dials or binds services, so that they recognize its client. They must not be able to act as
 *   an administrator with it, or to create API tokens of its identity.
 * @throws ApiError `UNAUTHORIZED`
 */
export const assertUsable = (actor: Actor, operation: Operation): void => {
  const { permission, byToken } = operation;
  if (permission === 'open') return;
  if (actor.kind === 'token' && !(byToken ?? takesRight(operation))) throw unauthorized('an API token cannot do this: log in');
  if (actor.kind !== 'session' || permission === 'partial') return;
  if (actor.authQueries.length > 0) throw unauthorized(`the login is not complete: it still owes ${owed(actor)}`);
  if (isKnownToRouters(actor) && (permission !== 'session' || byToken === false))
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

/** True if an operation requires a right, or a right extends it to the entities of all identities. */
export const takesRight = ({ permission, ofAll }: Pick<Operation, 'permission' | 'ofAll'>): boolean => (ofAll ?? permission).includes('.');

const forEverySession = new WeakMap<Entry, Entry>();

/** The entry as a call sees it: where every session may call the operation, it takes no right. */
export const entryFor = (entry: Entry, { surface }: Pick<CallSource, 'surface'>, { compat }: Pick<Settings, 'compat'>): Entry => {
  if (!isForEverySession(entry.operation, surface, compat)) return entry;
  let open = forEverySession.get(entry);
  if (!open) forEverySession.set(entry, (open = { ...entry, operation: { ...entry.operation, permission: 'session', byToken: true } }));
  return open;
};
