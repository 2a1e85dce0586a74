import type { Attribution } from '../../contract/api/kit/attribution.ts';
import type { Operation } from '../../contract/api/kit/operation.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import type { Actor } from '../actor.ts';
import type { Entry } from '../entry.ts';
import { EVERY_ENTITY, type Limit, NO_ENTITY, satisfying } from '../limit.ts';
import { isOnKind } from '../resources/granted.ts';
import { allKinds } from '../resources/kinds.ts';
import { answeredKind, kindAt } from './named-kinds.ts';
import type { OperationName } from './operation-name.ts';
import type { Principal } from './principal.ts';

/** The question that a host's rule answers. */
export interface AuthorizationRequest extends Attribution<Principal>, CalledOperation {
  /**
   * `call`: whether the call may be made. The other two are side questions about an operation that is not called, with no ids in `input`
   * and no target. `visibility`: which entities of a related kind the call may involve, such as the identities whose enrollments it lists;
   * a verdict `{ where }` limits these, too. `false` leaves the kind out of answers about who can reach what, and of documents of the
   * state; elsewhere, as any other verdict, it changes nothing. `credentials`: whether the answer may show enrollment tokens; the question
   * is about the operations that create and update the entities that contain them.
   */
  readonly about: 'call' | 'visibility' | 'credentials';
  /** The input of the operation, checked and with defaults: `{ ...path, ...query, body }`. */
  readonly input: unknown;
  /** The entity that `{id}` in the operation's path identifies, as stored, without secrets; undefined if there is none. */
  readonly target: Readonly<Record<string, unknown>> | undefined;
}

/** An operation as the host's own code sees it. */
export interface CalledOperation {
  /** Its name in the API: `identities.patch`. */
  readonly operation: OperationName;
  /**
   * The right that it requires, such as `identity.update` or `router.read`. undefined for operations that are open to everyone or to every
   * session: logins, and what sessions do for themselves.
   */
  readonly right: string | undefined;
}

/**
 * The answer of a host's rule. `true`: granted, even to callers who are not administrators; such a caller still cannot change
 * administrators, how they log in, or the CAs and signers that vouch for identities. `false`: refused. `undefined`: decided as if there
 * were no rule. `{ where }`: granted for the entities of the right's kind that satisfy the filter (docs/filters.md): others are not found,
 * lists neither show nor count them, and no written entity may end up outside the filter.
 */
export type Verdict = boolean | undefined | LimitedVerdict;

/** The limits of a granted right. */
export interface LimitedVerdict {
  /** A filter on the entities of the right's kind. */
  readonly where: string;
  /** Which role attributes writes may add to these entities or remove from them; a write that changes others is refused. Default: all. */
  readonly roleAttributes?: (attribute: string) => boolean;
}

/**
 * The host's own authorization rule. It is called for every call, except those of the host's own code without the option `actor`: after the
 * input has been checked, and before anything is done. It is called again before a write if the target or the acting identity has changed
 * since. If it throws, the call is refused. It may be asynchronous and use the controller itself, because no transaction of the controller
 * is open while it runs. In a call with the option `transaction`, it must pass that on, and may take 5 seconds.
 */
export type HostRule = (request: AuthorizationRequest) => Verdict | Promise<Verdict>;

/**
 * Refuses every operation that requires a right to create, update or delete. Logins and what sessions do for themselves remain possible.
 */
export const readOnlyRule: HostRule = ({ right }) => (right === undefined || right.endsWith('.read') ? undefined : false);

/**
 * The limit that a verdict sets.
 * @param otherwise what no verdict means
 */
export const limitBy = (verdict: Verdict, otherwise: Limit): Limit => {
  if (verdict === undefined) return otherwise;
  return typeof verdict === 'object' ? satisfying(verdict.where) : verdict ? EVERY_ENTITY : NO_ENTITY;
};

/**
 * The operation as the rule sees it.
 * @param isOfAll true if the caller acts on the entities of all identities, where others act on their own. A caller without an identity has
 * none of its own
 */
export const calledOperation = (
  { group, verb, operation: { permission, ofAll } }: Entry,
  actor: Actor,
  isOfAll = actor.kind === 'system',
): CalledOperation => ({
  operation: `${group}.${verb}` as OperationName, // the entries are those of the API
  right: permission.includes('.') ? permission : isOfAll ? ofAll : undefined,
});

/**
 * Validates the verdict of a rule.
 * @param entry the called operation, with its right, if the verdict is about the call itself
 * @throws TypeError for an invalid verdict, and for a limit on an operation that has nothing to limit
 */
export const checkedVerdict = (verdict: Verdict, entry?: Entry, { right }: Partial<CalledOperation> = {}): Verdict => {
  if (verdict === undefined || typeof verdict === 'boolean') return verdict;
  if (typeof verdict !== 'object' || verdict === null || typeof verdict.where !== 'string')
    throw new TypeError(`authorize takes true, false, undefined or { where }, got ${JSON.stringify(verdict)}`);
  if (verdict.roleAttributes !== undefined && typeof verdict.roleAttributes !== 'function')
    throw new TypeError(`authorize takes as roleAttributes a function, got ${typeof verdict.roleAttributes}`);
  if (entry && limitableKinds(entry.operation, right).length === 0)
    throw new TypeError(
      `authorize limits ${entry.group}.${entry.verb} by '${verdict.where}', and it neither lists nor writes entities of a kind`,
    );
  return verdict;
};

/** The kinds that a limit on an operation applies to: those that the right is on, and whose entities the operation lists or writes. */
export const limitableKinds = (operation: Operation, right: string | undefined): readonly Kind[] =>
  allKinds.filter((kind) => isOnKind(right, kind) && isAbout(operation, kind));

const isAbout = (operation: Operation, kind: Kind): boolean =>
  (kindAt(operation) === kind && (operation.path.includes('/{id}') || operation.answer.is === 'created')) ||
  (operation.answer.is === 'page' && answeredKind(operation) === kind);
