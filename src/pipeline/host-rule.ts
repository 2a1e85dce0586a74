import type { Attribution } from '../api/kit/attribution.ts';
import type { Operation } from '../api/kit/operation.ts';
import type { Kind } from '../api/kit/resource.ts';
import type { Actor } from '../call/actor.ts';
import type { Entry } from '../call/call.ts';
import { isOnKind } from '../resources/granted.ts';
import { allKinds } from '../resources/kinds.ts';
import { answeredKind, kindAt } from './named-kinds.ts';
import type { OperationName } from './operation-name.ts';
import type { Principal } from './principal.ts';

/** The question that a host's rule answers. */
export interface AuthorizationRequest extends Attribution<Principal>, CalledOperation {
  /**
   * `call`: whether the call may be made. The others are asked beside it, about an operation that is not called, with no ids in `input` and no target:
   * `visibility`, of kinds that the call is about beside its own, such as the identities whose enrollments it lists: a verdict `{ where }` limits these, too,
   * and any other changes nothing. `credentials`: whether the answer may show tokens to enroll with; it is asked about the operations that create and update
   * what they are of.
   */
  readonly about: 'call' | 'visibility' | 'credentials';
  /** What the operation takes, checked and with defaults: `{ ...path, ...query, body }`. */
  readonly input: unknown;
  /** The entity that `{id}` of the operation's path names, as stored, without secrets; undefined if there is none. */
  readonly target: Readonly<Record<string, unknown>> | undefined;
}

/** An operation as the host's own code sees it. */
export interface CalledOperation {
  /** Its name in the API: `identities.patch`. */
  readonly operation: OperationName;
  /**
   * The right that it takes: `identity.update`, `router.read`. undefined for what is open to everybody, and to every session: logins, and what sessions do
   * for themselves.
   */
  readonly right: string | undefined;
}

/**
 * What a host's rule answers. `true`: granted, also to who is no administrator, but then nothing that would reach administrators: no change of them, of how they log in, or of what vouches for identities.
 * `false`: refused. `undefined`: as without a rule. `{ where }`: granted for the entities of the right's kind that satisfy the filter (docs/filters.md):
 * others are not found, lists neither show nor count them, and no write can lead out of it.
 */
export type Verdict = boolean | undefined | Limit;

/** How far a right goes. */
export interface Limit {
  /** A filter on the entities of the right's kind. */
  readonly where: string;
  /** Which role attributes writes may give to these entities, and take from them; the others stay as they are. Default: all. */
  readonly roleAttributes?: (attribute: string) => boolean;
}

/**
 * A host's own rule of authorisation, asked for every call but those of the host's own code without the option `actor`: after the input was checked, and
 * before anything is done. Called again before a write if the target or the acting identity has changed since. A rule that throws refuses the call.
 * No transaction is open while it runs: it may be asynchronous, and use the controller itself.
 */
export type HostRule = (request: AuthorizationRequest) => Verdict | Promise<Verdict>;

/** Refuses every operation that takes a right to create, update or delete. Logins and what sessions do for themselves go on. */
export const readOnlyRule: HostRule = ({ right }) => (right === undefined || right.endsWith('.read') ? undefined : false);

/** A caller without an identity has no sessions: it needs the right to everybody's. */
export const calledOperation = ({ group, verb, operation: { permission, ofAll } }: Entry, actor: Actor): CalledOperation => ({
  operation: `${group}.${verb}` as OperationName, // the entries are those of the API
  right: permission.includes('.') ? permission : actor.kind === 'system' ? ofAll : undefined,
});

/**
 * The answer of a rule.
 * @param entry and the right that it is called with, of a verdict about the call itself
 * @throws TypeError for an invalid verdict, and for a limit on an operation that has nothing to limit
 */
export const checkedVerdict = (verdict: Verdict, entry?: Entry, { right }: Partial<CalledOperation> = {}): Verdict => {
  if (verdict === undefined || typeof verdict === 'boolean') return verdict;
  if (typeof verdict !== 'object' || verdict === null || typeof verdict.where !== 'string')
    throw new TypeError(`authorize takes true, false, undefined or { where }, got ${JSON.stringify(verdict)}`);
  if (verdict.roleAttributes !== undefined && typeof verdict.roleAttributes !== 'function')
    throw new TypeError(`authorize takes as roleAttributes a function, got ${typeof verdict.roleAttributes}`);
  if (entry && !allKinds.some((kind) => isOnKind(right, kind) && isAbout(entry.operation, kind)))
    throw new TypeError(
      `authorize limits ${entry.group}.${entry.verb} by '${verdict.where}', and it neither lists nor writes entities of a kind`,
    );
  return verdict;
};

const isAbout = (operation: Operation, kind: Kind): boolean =>
  (kindAt(operation) === kind && (operation.path.includes('/{id}') || operation.answer.is === 'created')) ||
  (operation.answer.is === 'page' && answeredKind(operation) === kind);
