/** Filters by kind: an entity of the kind must satisfy all of them. A kind that is missing has no limit. */
export type Limits = ReadonlyMap<string, readonly string[]>;

/** How far a call may go with the right that it has. */
export interface Grant {
  /** A filter on the entities of the kinds that its right names: those that it may see and write. Default: all. */
  readonly where?: string;
  /** Whether only the host's rule gives it the right: it must not reach administrators then, and shows no credentials but those of `credentials`. */
  readonly isDelegated: boolean;
  /** The right that the host's rule was asked about: `identity.update`; undefined for what every session may do. */
  readonly right?: string | undefined;
  /** Which role attributes a write may give to entities and take from them. Default: all. */
  readonly roleAttributes?: (attribute: string) => boolean;
  /** What the caller may see of other kinds that the call is about: the rest, and what belongs to it, is as if it were not there. */
  readonly visible: Limits;
  /** What the caller may see and change of these kinds. */
  readonly changeable: Limits;
  /** Of a delegated call, the kinds whose credentials it may show: `true` for all entities, or filters of which an entity satisfies one. */
  readonly credentials: ReadonlyMap<string, true | readonly string[]>;
}

const NO_LIMITS: ReadonlyMap<string, readonly string[]> = new Map();

/** Nothing but what the rule says of the call itself. */
export const UNLIMITED: Pick<Grant, 'visible' | 'changeable' | 'credentials'> = {
  visible: NO_LIMITS,
  changeable: NO_LIMITS,
  credentials: NO_LIMITS,
};

/** The right of the actor itself, without a limit. */
export const OWN_RIGHT: Grant = Object.freeze({ isDelegated: false, ...UNLIMITED });
