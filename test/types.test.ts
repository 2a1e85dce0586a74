/**
 * What the compiler knows of the facade. The proofs are types: `tsc` carries them out (npm run check), and a line that should not compile
 * and does is an error of its own. Nothing here is ever called.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, createClient } from '../client/index.ts';
import type { Declared } from '../scripts/types/declared.ts';
import type { Api, ChangedKind, ManagementController } from '../src/index.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type IsAny<T> = 0 extends 1 & T ? true : false;
const prove = <_ extends true>(): void => {};

type Output<F> = F extends (...input: never) => Promise<infer O> | AsyncIterable<infer O> ? O : never;
type Input<F> = F extends (input: infer I, ...options: never) => unknown ? I : never;
type Get<G extends keyof Api> = Output<Api[G]['get' & keyof Api[G]]>;
type Reference = { readonly id: string; readonly entity: string; readonly name?: string | undefined };
/** Both ways assignable. */
type Alike<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** What the operations on the change log give is narrowed by kind, which no schema can say; loops give the items of streams. */
type IsNarrowed<G, V> = [G, V] extends ['changes', 'list' | 'follow'] | ['networkEvents', 'follow'] ? true : false;
/** The operations, as `identities.get`, of which `src/contract/types/` says something else than their declarations. */
type Misquoted = {
  [G in keyof Declared]: {
    [V in keyof Declared[G]]: V extends keyof Api[G]
      ? [
          Alike<Input<Api[G][V]>, Declared[G][V] extends { input: infer I } ? (Partial<I> extends I ? I | undefined : I) : never>,
          Alike<Output<Api[G][V]>, Declared[G][V] extends { output: infer O } ? O : never>,
        ] extends [true, true]
        ? never
        : IsNarrowed<G, V> extends true
          ? never
          : `${G}.${V & string}`
      : `${G}.${V & string}`;
  }[keyof Declared[G]];
}[keyof Declared];
/** The operations, as `identities.get`, whose input, output, or a field of the output is `any`. */
type Blind<F> = {
  [G in keyof F]: {
    [V in keyof F[G]]: true extends
      | IsAny<Input<F[G][V]>>
      | IsAny<Output<F[G][V]>>
      | { [K in keyof Output<F[G][V]>]: IsAny<Output<F[G][V]>[K]> }[keyof Output<F[G][V]>]
      ? `${G & string}.${V & string}`
      : never;
  }[keyof F[G]];
}[keyof F];

/** Never run: calls that compile, and calls that must not. */
export const calls = async ({
  api: { identities, authenticators, authPolicies, configs, configTypes, authentication, apiSessions, changes },
  api,
  events,
  as,
  asIdentity,
  changes: { consume },
  system,
}: ManagementController): Promise<void> => {
  prove<Same<Blind<Api>, never>>();
  prove<Same<Misquoted, never>>();
  prove<Same<{ [G in keyof Api]: keyof Api[G] }, { [G in keyof Declared]: keyof Declared[G] }>>();

  const body = { name: 'ann', type: 'User', isAdmin: false } as const;
  const created = await identities.create({ body });
  prove<Same<(typeof created)['id'], string>>();
  await identities.create({ body: { ...body, roleAttributes: null, tags: { a: true, b: null, c: 'x' }, enrollment: { ott: true } } });
  const { name, roleAttributes, tags } = await identities.get(created);
  await identities.create({ body: { ...body, name, roleAttributes, tags } });
  // @ts-expect-error a name is needed
  await identities.create({ body: { type: 'User', isAdmin: false } });
  // @ts-expect-error the type is one of a list
  await identities.create({ body: { ...body, type: 'Robot' } });
  // @ts-expect-error isAdmin is a boolean
  await identities.create({ body: { ...body, isAdmin: 'yes' } });
  await identities.create({ body: { ...body, tags: { n: 1 } } }); // whether that is taken is a setting
  // @ts-expect-error tags hold no lists
  await identities.create({ body: { ...body, tags: { n: [1] } } });
  // @ts-expect-error only the controller says who is the default administrator
  await identities.create({ body: { ...body, isDefaultAdmin: true } });
  // @ts-expect-error a body is needed
  await identities.create({});
  // @ts-expect-error an input is needed
  await identities.create();
  // @ts-expect-error an enrollment can only be asked for on create
  await identities.patch({ id: 'x', body: { enrollment: { ott: true } } });
  // @ts-expect-error replace needs what create needs
  await identities.replace({ id: 'x', body: { name: 'ann' } });
  // @ts-expect-error the id of a path is needed
  await identities.get({});
  // @ts-expect-error and is a text
  await identities.get({ id: 5 });
  // @ts-expect-error a limit is a number, or its digits
  await identities.list({ limit: true });
  // @ts-expect-error types have no role attributes to select by
  await configTypes.list({ roleFilter: ['#a'] });
  await identities.list();
  await identities.list({ limit: 5, offset: '10', filter: 'isAdmin', roleFilter: ['#a'], roleSemantic: 'AnyOf' });
  await identities.patch({ id: 'x', body: { name: null } }, { transaction: {}, signal: AbortSignal.abort() });
  // @ts-expect-error there is no such option
  await identities.get({ id: 'x' }, { transactions: {} });
  // @ts-expect-error there is no such operation
  await apiSessions.create({ body: {} });

  // @ts-expect-error the method is one of two
  await authenticators.create({ body: { identityId: 'x', method: 'magic' } });
  // @ts-expect-error method and identity never change
  await authenticators.patch({ id: 'x', body: { method: 'cert' } });
  // @ts-expect-error a replace needs the password
  await authenticators.replace({ id: 'x', body: { username: 'somebody' } });
  // @ts-expect-error the type of a config never changes
  await configs.patch({ id: 'x', body: { configTypeId: 'y' } });
  // @ts-expect-error create needs every leaf
  await authPolicies.create({ body: { name: 'x', primary: {}, secondary: { requireTotp: true } } });
  await authPolicies.patch({ id: 'x', body: { primary: { updb: { maxAttempts: 1 } }, secondary: null } });
  await authPolicies.patch({ id: 'x', body: { secondary: { requireExtJwtSigner: null } } });
  // @ts-expect-error a leaf has its type
  await authPolicies.patch({ id: 'x', body: { primary: { updb: { maxAttempts: 'one' } } } });
  // @ts-expect-error there is no such leaf
  await authPolicies.patch({ id: 'x', body: { primary: { updb: { attempts: 1 } } } });
  // @ts-expect-error the method of a login is needed
  await authentication.authenticate({ body: { username: 'somebody', password: 'secret' } });

  const session = await authentication.authenticate({ method: 'password' });
  prove<Same<(typeof session)['expirationSeconds'], number>>();
  await as(session).identities.get({ id: 'x' });
  await as('token').currentIdentity.get();
  (await system.informational.summary()) satisfies Readonly<Record<string, number>>;
  events.on('identity', (change) => prove<Same<typeof change.entity, 'identity'>>());
  events.on('change', (change) => prove<Same<typeof change.action, 'create' | 'update' | 'delete'>>());
  // @ts-expect-error there is no such kind
  events.on('unicorn', () => {});
  for await (const change of changes.follow({ kinds: ['identity', 'service'] }))
    prove<Same<typeof change.entity, 'identity' | 'service'>>();
  for (const { entity } of (await changes.list({ after: 1, kinds: ['identity'] })).data) prove<Same<typeof entity, 'identity'>>();
  consume('crm', ({ entity }) => prove<Same<typeof entity, 'identity'>>(), { kinds: ['identity'] });
  for await (const { entity } of changes.follow()) prove<Same<typeof entity, ChangedKind>>();
  // @ts-expect-error there is no such kind
  changes.follow({ kinds: ['unicorn'] });
  // @ts-expect-error the host's own code consumes, and no caller of an operation
  api.changes.consume;
  // Code against the operations takes every source of them.
  const countOf = async ({ identities }: Client) => (await identities.list()).pagination.totalCount;
  for (const source of [api, system, as(session), asIdentity('x'), createClient({ baseUrl: '/' })] as const) await countOf(source);
  prove<Same<typeof api, ReturnType<typeof as>>>();
  prove<Same<typeof api, ReturnType<typeof asIdentity>>>();
};

/** Never run: what answers hold. */
export const answers = (
  identity: Get<'identities'>,
  authenticator: Get<'authenticators'>,
  policy: Get<'authPolicies'>,
  config: Get<'configs'>,
  type: Get<'configTypes'>,
  session: Get<'currentApiSession'>,
): void => {
  prove<Same<typeof identity.isAdmin, boolean>>();
  prove<Same<typeof identity.disabled, boolean>>();
  prove<Same<typeof identity.externalId, string | null>>();
  prove<Same<typeof identity.roleAttributes, readonly string[] | null>>();
  prove<Same<typeof identity.disabledUntil, string | undefined>>();
  prove<Same<typeof identity.defaultHostingPrecedence, 'default' | 'required' | 'failed'>>();
  prove<Same<typeof identity.edgeRouterConnectionStatus, 'online' | 'offline' | 'unknown'>>();
  prove<Same<typeof identity.tags, Readonly<Record<string, string | number | boolean | null>>>>();
  identity.authPolicy satisfies Reference | undefined;
  identity.type satisfies Reference | undefined;
  identity.enrollment.ott?.jwt satisfies string | undefined;
  prove<Same<'external' extends keyof typeof identity ? true : false, false>>();
  prove<Same<typeof authenticator.method, 'updb' | 'cert'>>();
  prove<Same<typeof authenticator.username, string | undefined>>();
  prove<Same<Extract<keyof typeof authenticator, 'password' | 'passwordHash' | 'failedAttempts'>, never>>();
  prove<Same<typeof policy.primary.updb.maxAttempts, number>>();
  prove<Same<undefined extends typeof policy.secondary.requireExtJwtSigner ? true : false, true>>();
  prove<Same<typeof config.configTypeId, string>>();
  prove<Same<typeof type.schema, Readonly<Record<string, unknown>> | null>>();
  prove<Same<typeof session.token, string>>();
  prove<Same<Extract<keyof typeof session, 'tokenHash' | 'authenticator'>, never>>();
};

test('what the compiler knows of the facade is proved by compiling this file', () => {
  assert.equal(typeof calls, 'function');
  assert.equal(typeof answers, 'function');
});
