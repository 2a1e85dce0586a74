/** The identities, services and sessions that go without an entity while it is disabled: its policies stay as they are, so the report of a preview does not have them. */
import { filter as filterText } from '../../client/index.ts';
import { type Entity, type EntityApi, entityApi, kindOf } from './kinds.ts';
import { readFirst } from './list-page.ts';
import { client, type Session } from './session.ts';
import type { texts } from './texts.ts';

/** Entities of one kind. */
export interface Loss {
  readonly name: keyof typeof texts.disabling.losses;
  readonly group: string;
  readonly count: number;
  /** The first of them. */
  readonly entities: readonly Entity[];
}

type Source = readonly [name: Loss['name'], group: string, needs: readonly [group: string, verb: string], list: EntityApi['list']];

const MAX_NAMED = 5;
/** Auth policies of which those that allow a signer are found. */
const MAX_POLICIES = 500;

/** The lists of the groups that can be disabled. */
const sourcesOf = async (group: string, { id }: Entity, signal: AbortSignal): Promise<readonly Source[]> => {
  const related = (verb: string): EntityApi['list'] => {
    const list = Reflect.get(Reflect.get(client, group), verb) as EntityApi['list']; // the rows below name lists of the group
    return (input, options) => list({ id, ...input }, options);
  };
  const by =
    (target: string, filter: string): EntityApi['list'] =>
    (input, options) =>
      entityApi(target).list({ filter, ...input }, options);
  const sessionsBy = (name: 'sessions' | 'remain', filter: string): Source => [
    name,
    'apiSessions',
    ['apiSessions', 'list'],
    by('apiSessions', filter),
  ];
  switch (group) {
    case 'identities':
      return [
        ['reach', 'services', [group, 'listServices'], related('listServices')],
        sessionsBy('sessions', filterText`identity = ${id}`),
      ];
    case 'edgeRouters':
      return [
        ['connect', 'identities', [group, 'listIdentities'], related('listIdentities')],
        ['carry', 'services', [group, 'listServices'], related('listServices')],
        ['terminators', 'terminators', ['terminators', 'list'], by('terminators', filterText`router = ${id}`)],
      ];
    case 'externalJwtSigners': {
      const policies = await policiesThatAllow(id, signal);
      return [
        ...(policies.length > 0
          ? [['logIn', 'identities', ['identities', 'list'], by('identities', filterText`authPolicyId in ${policies}`)] satisfies Source]
          : []),
        sessionsBy('remain', filterText`authenticator = ${`extJwtId:${id}`}`),
      ];
    }
    default:
      return [];
  }
};

/** The ids of the auth policies by which tokens of a signer log in, or are a second factor. */
const policiesThatAllow = async (signerId: string, signal: AbortSignal): Promise<readonly string[]> => {
  const { data } = await readFirst(MAX_POLICIES, (range) => client.authPolicies.list({ ...range }, { signal }));
  return data
    .filter(({ primary: { extJwt }, secondary: { requireExtJwtSigner } }) => {
      const isAllowed = extJwt.allowed && (extJwt.allowedSigners.length === 0 || extJwt.allowedSigners.includes(signerId));
      return isAllowed || requireExtJwtSigner === signerId;
    })
    .map(({ id }) => id);
};

/** Reads the losses, as far as the session may see them. */
export const readLosses = async (session: Session, group: string, entity: Entity, signal: AbortSignal): Promise<readonly Loss[]> => {
  const isVisible = group !== 'externalJwtSigners' || session.may('authPolicies', 'list');
  const sources = isVisible ? await sourcesOf(group, entity, signal) : [];
  return Promise.all(
    sources
      .filter(([, , [needed, verb]]) => session.may(needed, verb))
      .map(async ([name, of, , list]) => {
        const { data, pagination } = await list({ limit: MAX_NAMED, sort: kindOf(of)?.order ?? 'name' }, { signal });
        return { name, group: of, count: pagination.totalCount, entities: data };
      }),
  );
};

/** True for a change that disables an entity. */
export const isDisabling = (entity: Readonly<Record<string, unknown>>, { disabled, enabled }: { disabled?: unknown; enabled?: unknown }) =>
  (disabled === true && entity['disabled'] !== true) || (enabled === false && entity['enabled'] !== false);
