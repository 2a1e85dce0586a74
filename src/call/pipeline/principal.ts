import { apiToken } from '../../contract/api/api-tokens.ts';
import { identity } from '../../contract/api/identities.ts';
import type { ChangedRow } from '../../contract/changes/events.ts';
import { visibleRow } from '../../store/changelog/visible.ts';
import { type Actor, actorId } from '../actor.ts';
import type { CallSource } from '../call-source.ts';

/** The actor of a call, as the host's code sees it. */
export interface Principal {
  /**
   * `host`: the host's own code. `identity`: an identity, in a session, through `asIdentity` or by an API token. `anonymous`: not
   * authenticated, e.g. at a login.
   */
  readonly kind: 'host' | 'identity' | 'anonymous';
  /** Its name in change records: the option `actor` of the call, or the id of the identity, or `system`, or `anonymous`. */
  readonly name: string;
  /** The identity as it is stored, without secrets; with an API token, an administrator only if the token has all rights of one. */
  readonly identity?: ChangedRow<'identity'>;
  /** The API token that the identity calls with. What the rule allows applies only within its permissions. */
  readonly apiToken?: ChangedRow<'apiToken'>;
}

export const principalOf = (actor: Actor, source: Pick<CallSource, 'actor'>): Principal => {
  const name = source.actor ?? actorId(actor);
  if (!('identity' in actor)) return { kind: actor.kind === 'system' ? 'host' : 'anonymous', name };
  const principal = { kind: 'identity', name, identity: visibleRow(identity, actor.identity) } as const;
  return actor.kind === 'token' ? { ...principal, apiToken: visibleRow(apiToken, actor.apiToken) } : principal;
};
