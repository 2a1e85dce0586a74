/**
 * Who acts, in which request, on whose behalf and why: `authorize`, `hooks`, `observe` and `events` all use these names.
 * @typeParam A the actor: its name as text, as in change records, or whatever part of it is known at that point
 */
export interface Attribution<A = string> {
  /** As text: id of the identity that acts, the host's name for the actor (`sso:123`), `system` for the host's own code, `anonymous` for a login. */
  readonly actor: A;
  /** Request id, as in logs, errors and answers. */
  readonly requestId: string;
  /** On whose behalf the actor does it, in the host's words (`onBehalfOf` of the call). */
  readonly onBehalfOf?: string | null | undefined;
  /** Why, in the host's words (`reason` of the call). */
  readonly reason?: string | null | undefined;
}
