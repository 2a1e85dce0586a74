/** Who uses the portal: people whom the company's single sign-on knows. */
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { Pool } from 'pg';

export interface User {
  /** As the change log names them: `sso:ann`. */
  readonly actor: string;
  readonly team: string;
  /** Whether they manage all devices of their team. */
  readonly isTeamAdmin: boolean;
}

/** What a user or a team may be called: it becomes part of filters. */
const NAME = /^[a-z0-9][a-z0-9.-]{0,63}$/;

/** Verifies the access tokens of the issuer, as RFC 9068 describes them; `team` and `role` are claims of this company. @throws JOSEError for any other token */
export const signOn = async (issuer: string, audience: string): Promise<(token: string) => Promise<User>> => {
  const discovery = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { jwks_uri } = (await discovery.json()) as { readonly jwks_uri: string };
  const keys = createRemoteJWKSet(new URL(jwks_uri));
  return async (token) => {
    const { payload } = await jwtVerify(token, keys, { issuer, audience, requiredClaims: ['sub', 'exp'] });
    const [name, team] = [String(payload.sub), String(payload.team)];
    if (!NAME.test(name) || !NAME.test(team)) throw new TypeError('the token names no user of this portal');
    return { actor: `sso:${name}`, team, isTeamAdmin: payload.role === 'team-admin' };
  };
};

/** The users who have been here, in a table of the portal: the rule of the controller knows actors by name only. */
export const userTable = async (pool: Pool) => {
  await pool.query('create table if not exists portal_users (actor text primary key, team text not null, is_team_admin boolean not null)');
  return {
    save: ({ actor, team, isTeamAdmin }: User) =>
      pool.query(
        'insert into portal_users values ($1, $2, $3) on conflict (actor) do update set team = excluded.team, is_team_admin = excluded.is_team_admin',
        [actor, team, isTeamAdmin],
      ),
    find: async (actor: string): Promise<User | undefined> => {
      const { rows } = await pool.query('select actor, team, is_team_admin as "isTeamAdmin" from portal_users where actor = $1', [actor]);
      return rows[0];
    },
  };
};
