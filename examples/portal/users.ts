/** The users of the portal, who log in through the company's single sign-on. */
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { Pool } from 'pg';

export interface User {
  /** The name in the change log, e.g. `sso:ann`. */
  readonly actor: string;
  readonly team: string;
  /** True if the user manages all devices of the team. */
  readonly isTeamAdmin: boolean;
}

/** The format of the names of users and teams. It is restricted because names become part of filters. */
const NAME = /^[a-z0-9][a-z0-9.-]{0,63}$/;

/**
 * Returns a function that verifies access tokens of the issuer (RFC 9068), in which `team` and `role` are claims specific to this company.
 * The function throws an Error for any other token.
 */
export const createTokenVerifier = async (issuer: string, audience: string): Promise<(token: string) => Promise<User>> => {
  const discovery = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { jwks_uri } = (await discovery.json()) as { readonly jwks_uri: string };
  const keys = createRemoteJWKSet(new URL(jwks_uri));
  return async (token) => {
    const { payload } = await jwtVerify(token, keys, { issuer, audience, requiredClaims: ['sub', 'exp'] });
    const [name, team] = [String(payload.sub), String(payload.team)];
    if (!NAME.test(name) || !NAME.test(team)) throw new TypeError('the token does not identify a user of this portal');
    return { actor: `sso:${name}`, team, isTeamAdmin: payload.role === 'team-admin' };
  };
};

/** Opens the table of users who have logged in. The rule needs it, because the controller passes only the name of the actor to it. */
export const openUserTable = async (pool: Pool) => {
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
