/** Filters by kind: an entity of the kind must satisfy all of them. A kind that is missing has no limit. */
export type Limits = ReadonlyMap<string, readonly string[]>;

/** The extent of a call's right: the entities that it may see and change. */
export interface Grant {
  /** A filter on the entities of the kinds that its right names: those that it may see and write. Default: all. */
  readonly where?: string;
  /**
   * True if only the host's rule or permissions allow the call: then it must not affect administrators, and shows only the credentials that `credentials`
   * allows.
   */
  readonly isDelegated: boolean;
  /** The permissions of the calling identity, if these allow the call. */
  readonly permissions?: readonly string[];
  /** The right that the host's rule was asked about, such as `identity.update`; undefined for operations that are open to every session. */
  readonly right?: string | undefined;
  /** Which role attributes a write may give to entities and take from them. Default: all. */
  readonly roleAttributes?: (attribute: string) => boolean;
  /** Limits on the entities of other kinds that the caller may see. All others, and what they own, are treated as absent. */
  readonly visible: Limits;
  /** Limits on the entities of these kinds that the caller may see and change. */
  readonly changeable: Limits;
  /** The kinds whose credentials a delegated call may show: `true` for all entities, or filters, one of which an entity must satisfy. */
  readonly credentials: ReadonlyMap<string, true | readonly string[]>;
}

const NO_LIMITS: Limits = new Map();

/** True if a right applies only to some entities, or to some of those that its calls involve. */
export const isLimited = ({ where, visible, changeable }: Grant): boolean => where !== undefined || visible.size + changeable.size > 0;

/** The actor's own right, without limits. */
export const OWN_RIGHT: Grant = Object.freeze({ isDelegated: false, visible: NO_LIMITS, changeable: NO_LIMITS, credentials: NO_LIMITS });
