/**
 * The actor of a call, its request, and the person and reason behind it. `authorize`, `hooks`, `observe` and `events` all use these names.
 * @typeParam A the type of the actor. Default: its name, as in change records
 */
export interface Attribution<A = string> {
  /**
   * The id of the acting identity, the host's name for the actor (`sso:123`), `system` for code of the host, or `anonymous` for a login.
   */
  readonly actor: A;
  /** The request id, as in logs, errors and answers. */
  readonly requestId: string;
  /** The person or system on whose behalf the actor acts: `onBehalfOf` of the call. */
  readonly onBehalfOf?: string | null | undefined;
  /** Id of the API token that the actor acts with; omitted if there is none. */
  readonly tokenId?: string | undefined;
  /** The reason for the call: `reason` of the call. */
  readonly reason?: string | null | undefined;
}
