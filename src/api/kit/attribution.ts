/**
 * Who acts, in which request, on whose behalf and why. `authorize`, `hooks`, `observe` and `events` all use these names.
 * @typeParam A the type of the actor: its name, as in change records, or whatever is known about it at that point
 */
export interface Attribution<A = string> {
  /** The id of the acting identity, the host's name for the actor (`sso:123`), `system` for code of the host, or `anonymous` for a login. */
  readonly actor: A;
  /** The request id that logs, errors and answers have. */
  readonly requestId: string;
  /** On whose behalf the actor acts: `onBehalfOf` of the call, in the host's words. */
  readonly onBehalfOf?: string | null | undefined;
  /** Id of the API token that the actor acts with; omitted if there is none. */
  readonly tokenId?: string | undefined;
  /** Why the actor acts: `reason` of the call, in the host's words. */
  readonly reason?: string | null | undefined;
}
