/** Filters by kind: an entity of the kind must satisfy all of them. A kind that is missing has no limit. */
export type Limits = ReadonlyMap<string, readonly string[]>;

/** How far a call may go with the right that it has. */
export interface Grant {
  /** A filter on the entities of the kinds that its right names: those that it may see and write. Default: all. */
  readonly where?: string;
  /** True if only the host's rule grants the call: it must not affect administrators then, and shows no credentials beyond `credentials`. */
  readonly isDelegated: boolean;
  /** The right that the host's rule was given, such as `identity.update`; undefined for operations open to every session. */
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

/** The right of the actor itself, without a limit. */
export const OWN_RIGHT: Grant = Object.freeze({ isDelegated: false, visible: NO_LIMITS, changeable: NO_LIMITS, credentials: NO_LIMITS });
