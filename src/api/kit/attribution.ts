/**
 * Who acts, in which request, for whom and why: under these names in all that `authorize`, `hooks`, `observe` and `events` hand to the host.
 * @typeParam A the actor: its name as text, as in change records, or as much of it as is known there
 */
export interface Attribution<A = string> {
  /** As text: id of the identity that acts, the host's own name for who acts (`sso:123`), `system` for the host's own code, `anonymous` for a login. */
  readonly actor: A;
  /** By which the host knows the request, as in logs, errors and answers. */
  readonly requestId: string;
  /** For whom the actor does it, in the host's words (`onBehalfOf` of the call). */
  readonly onBehalfOf?: string | null | undefined;
  /** Why, in the host's words (`reason` of the call). */
  readonly reason?: string | null | undefined;
}
