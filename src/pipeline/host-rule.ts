import type { Kind } from '../api/kit/resource.ts';
import type { Entry } from '../call/call.ts';
import type { OperationName } from './operation-name.ts';
import type { Principal } from './principal.ts';

/** What a host's rule is asked. */
export interface AuthorizationRequest {
  readonly actor: Principal;
  readonly operation: CalledOperation;
  /** What the operation takes, checked and with defaults: `{ ...path, ...query, body }`. */
  readonly input: unknown;
  /** The entity that `{id}` of the operation's path names, as it is stored, without secrets. undefined where there is none. */
  readonly target: Readonly<Record<string, unknown>> | undefined;
}

/** An operation as the host's own code sees it. */
export interface CalledOperation {
  /** Its name on the facade: `identities.patch`. */
  readonly name: OperationName;
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
export type Verdict = boolean | undefined | { readonly where: string };

/**
 * A host's own rule of authorisation, asked for every call but those of the host's own code without the option `actor`: after the input was checked, and
 * before anything is done. Asked again before a write if the target or the identity that acts has changed meanwhile. A rule that throws refuses the call.
 * No transaction is open while it runs: it may be asynchronous, and use the controller itself.
 */
export type HostRule = (request: AuthorizationRequest) => Verdict | Promise<Verdict>;

/** Refuses every operation that takes a right to create, update or delete. Logins and what sessions do for themselves go on. */
export const readOnlyRule: HostRule = ({ operation }) =>
  operation.right === undefined || operation.right.endsWith('.read') ? undefined : false;

/** The kind that the beginning of a path names, where the path goes on with `{id}`. */
export const targetOf = ({ operation }: Pick<Entry, 'operation'>, kinds: readonly Kind[]): Kind | undefined => {
  const [, collection, id] = operation.path.split('/');
  return id === '{id}' ? kinds.find((kind) => kind.collection === collection) : undefined;
};

export const calledOperation = ({ group, verb, operation: { permission } }: Entry): CalledOperation => ({
  name: `${group}.${verb}` as OperationName, // the entries are those of the facade
  right: permission.includes('.') ? permission : undefined,
});
