/** To whom a change is put down, and why: kept in its change record. */
export interface Attribution {
  /** Id of the identity that acts, the host's own name for who acts (`sso:123`), `system` for the host's own code, `anonymous` for a login. */
  readonly actor: string;
  readonly requestId: string;
  /** For whom it is done, where that is not the actor. The words of the host. */
  readonly onBehalfOf?: string | undefined;
  /** Why it is done. The words of the host. */
  readonly reason?: string | undefined;
}
