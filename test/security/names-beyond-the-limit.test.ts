/**
 * A caller that the host's rule limits to some entities learns nothing of the others by what refers to them, and gains nothing by role
 * attributes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostRule, Verdict } from '../../src/call/pipeline/host-rule.ts';
import { ApiError } from '../../src/contract/errors/index.ts';
import { type App, onEveryStore } from '../support/app.ts';

const LEAD = { actor: 'sso:lead' };
const TEAM = { where: 'anyOf(roleAttributes) = "team-a"' };
/** A filter on identities only. */
const OF_IDENTITIES = { where: 'anyOf(roleAttributes) = "team-a" and isAdmin = false' };
const OURS = { where: 'name = "ours"' };
const rejects = (work: Promise<unknown>, code: string) =>
  assert.rejects(work, (error: unknown) => error instanceof ApiError && error.code === code);

/** Limits the rights that begin with one of these, and grants all others. */
const limiting =
  (...limited: readonly string[]): HostRule =>
  ({ actor, right }) =>
    actor.name !== LEAD.actor ? undefined : limited.some((name) => right?.startsWith(`${name}.`)) ? limitOf(right) : true;

/** Of posture checks and configs, filters do not know role attributes. */
const limitOf = (right = '') => (/^(posture-check|config)\./.test(right) ? OURS : TEAM);

/** Of each kind one entity of the team, `ours`, and one of others, `theirs`, and policies of all kinds that select both by id. */
const ground = async ({ controller }: App) => {
  const { identities, services, edgeRouters, postureChecks, servicePolicies, edgeRouterPolicies, serviceEdgeRouterPolicies } =
    controller.api;
  const pair = async (make: (name: string, roleAttributes: string[]) => Promise<{ readonly id: string }>) =>
    [(await make('ours', ['team-a'])).id, (await make('theirs', ['team-b'])).id] as const;
  const identity = await pair((name, roleAttributes) =>
    identities.create({ body: { name, type: 'User', isAdmin: false, roleAttributes, externalId: `of-${name}` } }),
  );
  const service = await pair((name, roleAttributes) => services.create({ body: { name, encryptionRequired: true, roleAttributes } }));
  const router = await pair((name, roleAttributes) => edgeRouters.create({ body: { name, roleAttributes } }));
  const check = await pair((name, roleAttributes) =>
    postureChecks.create({ body: { name, typeId: 'DOMAIN', domains: ['a.example'], roleAttributes } }),
  );
  const all = (ids: readonly string[]) => ids.map((id) => `@${id}`);
  const common = { semantic: 'AnyOf' } as const;
  const identityRoles = [...all(identity)];
  const policies = {
    servicePolicies: await servicePolicies.create({
      body: { name: 'sp', type: 'Dial', ...common, identityRoles, serviceRoles: all(service), postureCheckRoles: all(check) },
    }),
    edgeRouterPolicies: await edgeRouterPolicies.create({ body: { name: 'erp', ...common, identityRoles, edgeRouterRoles: all(router) } }),
    serviceEdgeRouterPolicies: await serviceEdgeRouterPolicies.create({
      body: { name: 'serp', ...common, serviceRoles: all(service), edgeRouterRoles: all(router) },
    }),
  };
  return { identity, service, router, check, policies };
};

/** By the right that is limited, the displays in which names of entities of its kind stand. */
const DISPLAYS = {
  identity: ['identityRolesDisplay'],
  service: ['serviceRolesDisplay'],
  'posture-check': ['postureCheckRolesDisplay'],
  router: ['edgeRouterRolesDisplay'],
} as const;

onEveryStore('names beyond the limit', (open) => {
  for (const [right, names] of Object.entries(DISPLAYS)) {
    test(`the displays of policies name no ${right} beyond the limit, in details, lists and related lists`, async () => {
      await using app = await open({ authorize: limiting(right) });
      const all = await ground(app);
      const { controller } = app;
      const shown = async (options?: typeof LEAD) => {
        const details: object[] = [];
        for (const [group, { id }] of Object.entries(all.policies)) {
          const operations = controller.api[group as 'servicePolicies'];
          details.push(await operations.get({ id }, options), ...(await operations.list({}, options)).data);
        }
        const [ours] = all.identity;
        details.push(...(await controller.api.identities.listServicePolicies({ id: ours }, options)).data);
        details.push(...(await controller.api.services.listServicePolicies({ id: all.service[0] }, options)).data);
        return details.flatMap((detail) =>
          names.flatMap((name) =>
            ((detail as Record<string, readonly { name: string }[] | undefined>)[name] ?? []).map(({ name }) => name),
          ),
        );
      };
      // What was shown to one is remembered for no other.
      for (let i = 0; i < 3; i++) {
        const own = await shown();
        assert.deepEqual(new Set(own), new Set(['@ours', '@theirs']));
        const limited = await shown(LEAD);
        assert.deepEqual([new Set(limited), limited.length * 2], [new Set(['@ours']), own.length]);
      }
    });
  }

  test('the lists below an entity beyond the limit are as below an unknown one', async () => {
    await using app = await open({ authorize: limiting('identity', 'service', 'router', 'posture-check') });
    const { identity, service, router, check, policies } = await ground(app);
    const { identities, services, edgeRouters, postureChecks } = app.controller.api;
    type List = (input: { id: string }, options: typeof LEAD) => Promise<{ readonly data: readonly unknown[] }>;
    const lists = (group: object): readonly (readonly [string, List])[] =>
      Object.entries(group as Readonly<Record<string, List>>).filter(([verb]) => verb.startsWith('list'));
    for (const [group, [ours, theirs]] of [
      [identities, identity],
      [services, service],
      [edgeRouters, router],
      [postureChecks, check],
    ] as const)
      for (const [verb, list] of lists(group)) {
        if (verb === 'list') continue;
        const answer = (id: string) =>
          list({ id }, LEAD).then(
            ({ data }) => data.length,
            (error: ApiError) => error.code,
          );
        assert.deepEqual(await answer(theirs), await answer('unknown1'), verb);
        assert.equal(typeof (await answer(ours)), 'number', verb);
      }
    await rejects(identities.getPolicyAdvice({ id: identity[0], serviceId: service[1] }, LEAD), 'NOT_FOUND');
    await identities.getPolicyAdvice({ id: identity[0], serviceId: service[0] }, LEAD);
    // Who is limited to policies has no parent to be found by.
    assert.equal((await app.controller.api.servicePolicies.listIdentities({ id: policies.servicePolicies.id }, LEAD)).data.length, 1);
  });

  test('a subquery of a filter finds nothing beyond the limit', async () => {
    await using app = await open({ authorize: limiting('identity', 'service', 'config') });
    const { service } = await ground(app);
    const { servicePolicies, services, configs, configTypes } = app.controller.api;
    const found = async (filter: string) => (await servicePolicies.list({ filter }, LEAD)).pagination.totalCount;
    assert.equal(await found('not isEmpty(from identities where name = "ours")'), 1);
    assert.equal(await found('not isEmpty(from identities where name = "theirs")'), 0);
    assert.equal(await found('count(from services where name contains "s") = 1'), 1);
    const { id: configTypeId } = await configTypes.create({ body: { name: 'type' } });
    const { id } = await configs.create({ body: { name: 'hidden', configTypeId, data: {} } });
    await services.patch({ id: service[0], body: { configs: [id] } });
    const filter = 'not isEmpty(from configs where name = "hidden")';
    assert.equal((await services.list({ filter })).pagination.totalCount, 1);
    assert.equal((await services.list({ filter }, LEAD)).pagination.totalCount, 0);
  });

  test('what belongs to an entity beyond the limit is neither listed nor found', async () => {
    await using app = await open({ authorize: limiting('identity', 'service') });
    const { service, router } = await ground(app);
    const { terminators, authenticators, apiSessions, services } = app.controller.api;
    const user = await app.user({ roleAttributes: ['team-b'] });
    const ours = await app.user({ roleAttributes: ['team-a'] });
    const [theirLogin, ourLogin] = [
      await app.login(user.username, 'Passw0rd!Passw0rd!'),
      await app.login(ours.username, 'Passw0rd!Passw0rd!'),
    ];
    const terminator = (of: string) =>
      terminators.create({ body: { service: of, router: router[0], binding: 'transport', address: 'tcp:10.0.0.1:22' } });
    const [mine, hidden] = [await terminator(service[0]), await terminator(service[1])];
    const ids = ({ data }: { readonly data: readonly { readonly id: string }[] }) => data.map(({ id }) => id);
    assert.deepEqual(ids(await terminators.list({}, LEAD)), [mine.id]);
    await rejects(terminators.get({ id: hidden.id }, LEAD), 'NOT_FOUND');
    await rejects(terminators.delete({ id: hidden.id }, LEAD), 'NOT_FOUND');
    const body = { service: service[1], router: router[0], binding: 'transport', address: 'tcp:10.6.6.6:22' } as const;
    await rejects(terminators.create({ body }, LEAD), 'UNAUTHORIZED');
    assert.deepEqual(ids(await services.listTerminators({ id: service[1] })), [hidden.id]);
    assert.deepEqual(ids(await authenticators.list({ limit: -1 }, LEAD)), [ours.authenticatorId]);
    await rejects(authenticators.get({ id: user.authenticatorId }, LEAD), 'NOT_FOUND');
    assert.deepEqual(ids(await apiSessions.list({ limit: -1 }, LEAD)), [ourLogin.body.data.id]);
    await rejects(apiSessions.get({ id: theirLogin.body.data.id }, LEAD), 'NOT_FOUND');
  });

  test('a limit that most entities satisfy finds the same as one that few do', async () => {
    let where = TEAM.where;
    await using app = await open({
      authorize: ({ actor, right }) => (actor.name !== LEAD.actor ? undefined : right?.startsWith('identity.') ? { where } : true),
    });
    const users = await Promise.all([1, 2, 3, 4, 5].map((i) => app.user({ roleAttributes: i === 5 ? ['team-a'] : [] })));
    const listed = async () =>
      new Set((await app.controller.api.authenticators.list({ limit: -1 }, LEAD)).data.map(({ identityId }) => identityId));
    assert.deepEqual(await listed(), new Set([users[4]?.id]));
    where = 'isEmpty(roleAttributes) and isAdmin = false';
    assert.deepEqual(await listed(), new Set(users.slice(0, 4).map(({ id }) => id)));
  });

  test('an edge router limit counts for what belongs to routers of any kind', async () => {
    await using app = await open({ authorize: limiting('router') });
    const { service, router } = await ground(app);
    const { terminators, edgeRouters } = app.controller.api;
    for (const each of router)
      await terminators.create({ body: { service: service[0], router: each, binding: 'transport', address: 'tcp:10.0.0.1:22' } });
    assert.deepEqual(
      (await terminators.list({}, LEAD)).data.map(({ routerId }) => routerId),
      [router[0]],
    );
    assert.deepEqual(
      (await edgeRouters.list({}, LEAD)).data.map(({ id }) => id),
      [router[0]],
    );
  });

  test('a limit that is not a filter on a kind hides all of it, and is logged', async () => {
    const logged: unknown[] = [];
    const note = (message: string, context?: object) => void logged.push([message, (context as { kind?: string } | undefined)?.kind]);
    await using app = await open({
      authorize: ({ actor, right }) =>
        actor.name !== LEAD.actor ? undefined : right?.startsWith('service-policy.') ? true : OF_IDENTITIES,
      platform: { logger: { error: note, warn: () => undefined, info: () => undefined } },
    });
    const { policies } = await ground(app);
    const shown = await app.controller.api.servicePolicies.get({ id: policies.servicePolicies.id }, LEAD);
    assert.deepEqual([shown.identityRolesDisplay.length, shown.postureCheckRolesDisplay, shown.serviceRolesDisplay], [1, [], []]);
    const told = 'the authorize rule of the host limited a kind by an invalid filter: no entity of that kind is visible';
    assert.deepEqual(logged.toSorted(), [
      [told, 'postureCheck'],
      [told, 'service'],
    ]);
  });

  test('what another identity sees is for administrators', async () => {
    await using app = await open({ authorize: limiting('identity') });
    const { identity } = await ground(app);
    for (const asIdentity of [...identity, 'ours', 'nobody'])
      await rejects(app.controller.api.services.list({ asIdentity }, LEAD), 'UNAUTHORIZED');
    assert.equal((await app.controller.api.services.list({ asIdentity: 'ours' })).data.length, 2);
  });

  test('the rule says which role attributes a limited caller may set', async () => {
    let limit: Verdict = TEAM;
    const quiet = { error: () => undefined, warn: () => undefined, info: () => undefined };
    const authorize: HostRule = ({ actor }) => (actor.name === LEAD.actor ? limit : undefined);
    await using app = await open({ authorize, platform: { logger: quiet } });
    const { identities, services, edgeRouters } = app.controller.api;
    const person = (roleAttributes: string[]) => ({ name: 'ann', type: 'User', isAdmin: false, roleAttributes }) as const;
    const { id } = await identities.create({ body: person(['team-a', 'vip']) });
    const set = (roleAttributes: string[]) => identities.patch({ id, body: { roleAttributes } }, LEAD);
    // Without it, an attribute of another team can be added: the guide warns of it.
    await set(['team-a', 'vip', 'team-b']);
    await set(['team-a', 'vip']);
    limit = { ...TEAM, roleAttributes: (attribute) => attribute === 'team-a' || attribute.startsWith('team-a:') };
    await rejects(set(['team-a', 'vip', 'team-b']), 'UNAUTHORIZED');
    await rejects(set(['team-a']), 'UNAUTHORIZED');
    await rejects(identities.replace({ id, body: person(['team-a']) }, LEAD), 'UNAUTHORIZED');
    await rejects(identities.create({ body: { ...person(['team-a', 'team-b']), name: 'eve' } }, LEAD), 'UNAUTHORIZED');
    await rejects(
      services.create({ body: { name: 's', encryptionRequired: true, roleAttributes: ['team-a', 'x'] } }, LEAD),
      'UNAUTHORIZED',
    );
    await rejects(edgeRouters.create({ body: { name: 'r', roleAttributes: ['team-a', 'x'] } }, LEAD), 'UNAUTHORIZED');
    assert.deepEqual((await identities.get({ id })).roleAttributes, ['team-a', 'vip']);
    await set(['team-a', 'team-a:phones', 'vip']);
    await identities.patch({ id, body: { name: 'anne' } }, LEAD);
    await identities.create({ body: { ...person(['team-a', 'team-a:laptops']), name: 'bob' } }, LEAD);
    await services.create({ body: { name: 's', encryptionRequired: true, roleAttributes: ['team-a'] } }, LEAD);
    await identities.delete({ id }, LEAD);
    limit = { ...TEAM, roleAttributes: ['team-a'] } as never;
    await rejects(identities.list({}, LEAD), 'UNAUTHORIZED');
  });
});
