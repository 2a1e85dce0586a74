/** How far a call may go with the right that it has. */
export interface Grant {
  /** A filter on the entities of the kinds that its right names: those that it may see and write. Default: all. */
  readonly where?: string;
  /** Whether only the host's rule gives it the right: it must not reach administrators then. */
  readonly isDelegated: boolean;
}

/** The right of the actor itself, without a limit. */
export const OWN_RIGHT: Grant = Object.freeze({ isDelegated: false });
