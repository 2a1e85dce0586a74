import { type Actor, isAdministrator } from './actor.ts';
import { type Limits, NO_LIMITS, withinBoth } from './limit.ts';

/** The authorization of a call: the entities that it may see and change. */
export interface Grant {
  /** The right that the call requires, such as `identity.update`; undefined for operations that are open to every session. */
  readonly right?: string | undefined;
  /**
   * True if only the host's rule or permissions allow the call. It must then not affect administrators, and shows only the credentials that
   * `credentials` allows.
   */
  readonly isDelegated: boolean;
  /** The permissions of the calling identity, if these allow the call. */
  readonly permissions?: readonly string[];
  /** True for the role attributes that a write may add to entities or remove from them. Default: all. */
  readonly roleAttributes?: (attribute: string) => boolean;
  /**
   * The entities that the caller may see. All others of a kind, and what they own, are treated as absent. A kind that is missing has no
   * limit.
   */
  readonly visible: Limits;
  /** The entities that the caller may change, and whose dependents it may change. */
  readonly changeable: Limits;
  /** The entities whose credentials a delegated call may show. A kind that is missing has none. */
  readonly credentials: Limits;
}

/** The actor's own right, without limits. */
export const OWN_RIGHT: Grant = Object.freeze({ isDelegated: false, visible: NO_LIMITS, changeable: NO_LIMITS, credentials: NO_LIMITS });

/** True if a grant covers only some entities of a kind. */
export const isLimited = ({ visible, changeable }: Grant): boolean => visible.size + changeable.size > 0;

/** True if an administrator makes the call, and neither the host's rule nor an API token limits it. */
export const isUnlimited = ({ actor, grant }: { readonly actor: Actor; readonly grant: Grant }): boolean =>
  isAdministrator(actor) && !grant.isDelegated && !isLimited(grant);

/**
 * The grant of a call after a nested call: what both grants allow. Role attributes are not combined, because each nested call has checked
 * them. The answer shows no credentials.
 */
export const narrowedBy = (own: Grant, nested: Grant): Grant =>
  nested === OWN_RIGHT
    ? own
    : {
        ...own,
        isDelegated: own.isDelegated || nested.isDelegated,
        ...(nested.permissions && { permissions: nested.permissions }), // the caller, and so its permissions, are the same
        visible: withinBoth(own.visible, nested.visible),
        changeable: withinBoth(own.changeable, nested.changeable),
        credentials: NO_LIMITS,
      };
