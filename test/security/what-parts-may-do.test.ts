/** A call that is made of other operations is decided with the narrowest right of these, never with its own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedOperations } from '../../src/contract/api/named-operations.ts';
import { ApiError, type HostRule } from '../../src/index.ts';
import { giveToken } from '../support/api-tokens.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { network } from '../support/network.ts';

/** Ann dials the CRM by one policy, and a policy test wants that. */
const ground = async (app: App) => {
  const net = network(app);
  const ann = await net.identity('ann', 'sales', 'team');
  const crm = await net.service('crm', 'internal', 'team');
  const body = { name: 'sells', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#none'], serviceRoles: ['#internal'] } as const;
  const policy = await app.create('/service-policies', body);
  const before = (await app.controller.api.changes.list({ limit: 1, order: 'newest' })).data[0]?.revision ?? 0;
  await app.controller.api.servicePolicies.patch({ id: policy, body: { identityRoles: ['#sales'] } });
  await app.controller.api.policyTests.create({ body: { name: 'ann dials', identityId: ann, serviceId: crm, expect: 'dial' } });
  return { ann, crm, policy, before };
};

type Ground = Awaited<ReturnType<typeof ground>>;

/** A call that breaks the test, and the permissions that its parts need; none if permissions allow it to nobody. */
interface Breaking {
  readonly input: (ground: Ground) => unknown;
  readonly permissions?: readonly string[];
}

const patches = ({ policy }: Ground) => [{ operation: 'servicePolicies.patch', input: { id: policy, body: { identityRoles: [] } } }];

/** One for each operation that is made of others and whose parts can change who reaches what. */
const breaking: Readonly<Record<string, Breaking>> = {
  'batch.run': { input: (ground) => ({ body: { operations: patches(ground) } }), permissions: ['service-policy'] },
  'servicePolicies.upsert': { input: () => ({ body: { name: 'sells', identityRoles: [] } }), permissions: ['service-policy'] },
  'identities.upsert': { input: () => ({ body: { name: 'ann', roleAttributes: ['team'] } }), permissions: ['identity'] },
  'services.upsert': { input: () => ({ body: { name: 'crm', roleAttributes: ['team'] } }), permissions: ['service'] },
  'identities.removeRoleAttributes': {
    input: ({ ann }) => ({ id: ann, body: { roleAttributes: ['sales'] } }),
    permissions: ['identity'],
  },
  'services.removeRoleAttributes': {
    input: ({ crm }) => ({ id: crm, body: { roleAttributes: ['internal'] } }),
    permissions: ['service'],
  },
  'state.apply': {
    input: () => ({
      body: {
        document: { servicePolicies: [{ name: 'sells', type: 'Dial', semantic: 'AnyOf', identityRoles: [], serviceRoles: ['#internal'] }] },
      },
    }),
    permissions: ['admin_readonly', 'service-policy'],
  },
  'state.applyLines': {
    input: () => ({
      body: JSON.stringify({
        servicePolicies: { name: 'sells', type: 'Dial', semantic: 'AnyOf', identityRoles: [], serviceRoles: ['#internal'] },
      }),
    }),
    permissions: ['admin_readonly', 'service-policy'],
  },
  'history.revert': { input: ({ policy, before }) => ({ kind: 'servicePolicy', id: policy, body: { revision: before } }) },
};

/** These take nobody's access away: they only add role attributes, or their kinds are not related by service policies. */
const HARMLESS =
  /\.addRoleAttributes$|^(authPolicies|configs|configTypes|edgeRouters|edgeRouterPolicies|serviceEdgeRouterPolicies|postureChecks)\./;

/** Gives the host's actors and `limited` their rights for the entities that satisfy a filter. */
const rule: HostRule = ({ actor, operation, right, about }) => {
  if (actor.name !== 'sso:scoped' && actor.identity?.name !== 'limited') return undefined;
  if (right === undefined || about !== 'call') return undefined;
  return ['history.revert', 'state.apply', 'state.applyLines'].includes(operation) ? true : { where: 'name != "zz"' };
};

type Call = (input: unknown, options: object) => Promise<unknown>;

const operationIn = (api: object, name: string): Call => {
  const [group = '', verb = ''] = name.split('.');
  return (api as Record<string, Record<string, Call>>)[group]?.[verb] as Call; // it is in the table of operations
};

const errorOf = async (work: Promise<unknown>): Promise<ApiError> => {
  const error = await work.then(
    () => assert.fail('it was carried out'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error;
};

test('every operation that is made of others is tried', () => {
  const made = namedOperations.filter(({ operation }) => operation.isBatch).map(({ name }) => name);
  assert.deepEqual(made.filter((name) => !HARMLESS.test(name)).sort(), Object.keys(breaking).sort());
});

onEveryStore('a call that is made of other operations', (open) => {
  for (const [name, { input, permissions }] of Object.entries(breaking))
    test(`${name}: only an administrator without limits overrides policy tests, and reads what is lost and broken`, async () => {
      await using app = await open({ authorize: rule });
      const made = await ground(app);
      const callers: [string, Call][] = [
        ["the host's actor", (given, options) => operationIn(app.controller.api, name)(given, { actor: 'sso:scoped', ...options })],
      ];
      const as = (who: string, token: string) => callers.push([who, operationIn(app.controller.as(token), name)]);
      as('a limited administrator', await (await app.user({ name: 'limited', isAdmin: true })).login());
      if (permissions) {
        as('a delegate', await (await app.user({ permissions })).login());
        const chief = await app.user({ isAdmin: true });
        as('a limited API token', (await giveToken(app, chief.id, { permissions })).secret);
        const scope = { roleAttributes: ['team'], assignableRoleAttributes: ['sales', 'internal'] };
        if (permissions.every((permission) => ['identity', 'service'].includes(permission))) {
          const scopedPermissions = Object.fromEntries(permissions.map((permission) => [permission, scope]));
          as('a scoped delegate', await (await app.user({ scopedPermissions })).login());
        }
      }
      for (const [who, call] of callers) {
        const override = await errorOf(call(input(made), { overrideTests: true, reason: 'because' }));
        assert.deepEqual(
          [override.code, override.status],
          ['UNAUTHORIZED', 401],
          `${who}: ${override.message} ${JSON.stringify(override.cause)}`,
        );
        const broken = await errorOf(call(input(made), {}));
        assert.ok(broken.code === 'POLICY_TESTS_BROKEN', `${who}: ${broken.code}`);
        assert.deepEqual([broken.cause.brokenCount, broken.cause.brokenTests], [1, []], who);
        const lost = await errorOf(call(input(made), { maxLost: 0 }));
        assert.ok(lost.code === 'ACCESS_LOST', `${who}: ${lost.code}`);
        // The limit of the administrator is on names, and both have others.
        assert.deepEqual([lost.cause.lostCount, lost.cause.lost.length], [1, who === 'a limited administrator' ? 1 : 0], who);
      }
      const chief = operationIn(app.controller.as(app.admin), name);
      const broken = await errorOf(chief(input(made), {}));
      assert.ok(broken.code === 'POLICY_TESTS_BROKEN');
      assert.deepEqual(
        broken.cause.brokenTests.map((each) => each.name),
        ['ann dials'],
      );
      await chief(input(made), { overrideTests: true, reason: 'because' });
    });

  test('lists what is lost within the limits of all its parts', async () => {
    const limits: Readonly<Record<string, string>> = { 'identities.delete': 'name != "ben"', 'services.delete': 'name != "wiki"' };
    await using app = await open({
      authorize: ({ operation, about, actor }) =>
        about === 'call' && actor.kind === 'identity' && limits[operation] ? { where: limits[operation] } : undefined,
    });
    const net = network(app);
    const [ann, , crm] = [
      await net.identity('ann', 'sales'),
      await net.identity('ben', 'sales'),
      await net.service('crm', 'internal'),
      await net.service('wiki', 'internal'),
      await net.service('mail', 'internal'),
    ];
    const policy = await net.dial({ identities: ['#sales'], services: ['#internal'] });
    const { batch } = app.controller.as(app.admin);
    const lostBy = async (...operations: [operation: string, id: string][]) => {
      const body = { operations: operations.map(([operation, id]) => ({ operation, input: { id } })) };
      const error = await errorOf(batch.run({ body }, { maxLost: 0 }));
      assert.ok(error.code === 'ACCESS_LOST');
      return error.cause.lost.map(({ identity, service }) => `${identity} ${service}`).sort();
    };
    assert.deepEqual((await lostBy(['servicePolicies.delete', policy])).length, 6);
    assert.deepEqual(await lostBy(['servicePolicies.delete', policy], ['identities.delete', ann]), ['ann crm', 'ann mail', 'ann wiki']);
    assert.deepEqual(await lostBy(['servicePolicies.delete', policy], ['identities.delete', ann], ['services.delete', crm]), [
      'ann crm',
      'ann mail',
    ]);
  });
});
