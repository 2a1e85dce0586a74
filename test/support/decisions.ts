/** Random callers, rules of a host, and requests on a small network: what random tests of authorization are made of. */
import fc from 'fast-check';
import type { AuthorizationRequest, HostRule, Verdict } from '../../src/call/pipeline/host-rule.ts';
import { EXTENSIONS, giveToken } from './api-tokens.ts';
import { type Answer, type App, type OpenOptions, openApp } from './app.ts';

export const ATTRIBUTES = ['a', 'b', 'c'];
const NAMED = ['identity', 'service', 'router', 'posture-check', 'enrollment', 'service-policy'] as const;
const SCOPABLE = ['identity', 'service', 'router', 'posture-check', 'enrollment'] as const;
const ACTIONS = ['read', 'create', 'update', 'delete'] as const;

export interface Scope {
  readonly roleAttributes: readonly string[];
  readonly assignableRoleAttributes?: readonly string[];
}

export interface Rights {
  readonly isAdmin: boolean;
  readonly permissions: readonly string[];
  readonly scopedPermissions: Readonly<Record<string, Scope>>;
}

const namesOf = (entities: readonly string[]) => entities.flatMap((entity) => [entity, ...ACTIONS.map((action) => `${entity}.${action}`)]);
const attributes = fc.subarray(ATTRIBUTES, { minLength: 1, maxLength: 2 });
const scope: fc.Arbitrary<Scope> = fc.record(
  { roleAttributes: attributes, assignableRoleAttributes: fc.subarray(ATTRIBUTES) },
  { requiredKeys: ['roleAttributes'], noNullPrototype: true },
);

const rights: fc.Arbitrary<Rights> = fc.record({
  isAdmin: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  permissions: fc.oneof(
    fc.subarray([...namesOf(NAMED), 'ops.read', 'admin_readonly'], { maxLength: 12 }),
    fc.subarray([...NAMED, 'admin_readonly'], { maxLength: 4 }),
  ),
  scopedPermissions: fc.dictionary(fc.constantFrom(...namesOf(SCOPABLE), ...SCOPABLE, ...SCOPABLE), scope, {
    maxKeys: 12,
    noNullPrototype: true,
  }),
});

/** A filter of the host, as text and by its meaning. */
export type Where =
  | { readonly attribute: string }
  | { readonly team: string }
  | { readonly names: readonly number[] }
  | { readonly not: Where }
  | { readonly either: readonly [Where, Where] };

const simple: fc.Arbitrary<Where> = fc.oneof(
  fc.record({ attribute: fc.constantFrom(...ATTRIBUTES) }),
  fc.record({ team: fc.constantFrom('x', 'y') }),
  fc.record({ names: fc.subarray([0, 1, 2, 3], { minLength: 1 }) }),
);
const where: fc.Arbitrary<Where> = fc.oneof(
  { weight: 4, arbitrary: simple },
  { weight: 1, arbitrary: fc.record({ not: simple }) },
  { weight: 1, arbitrary: fc.record({ either: fc.tuple(simple, simple) }) },
);

/** Enrollments and policies have no role attributes, and enrollments no names. */
const HAVE_ATTRIBUTES = new Set(['identity', 'service', 'router', 'posture-check']);

export const filterOf = (entity: string, limit: Where): string => {
  if ('not' in limit) return `not (${filterOf(entity, limit.not)})`;
  if ('either' in limit) return limit.either.map((each) => `(${filterOf(entity, each)})`).join(' or ');
  if ('team' in limit) return `tags.team = "${limit.team}"`;
  if ('attribute' in limit) return HAVE_ATTRIBUTES.has(entity) ? `anyOf(roleAttributes) = "${limit.attribute}"` : 'true';
  return entity === 'enrollment' ? 'identity != null' : limit.names.map((n) => `name = "${entity} ${n}"`).join(' or ');
};

/** What a rule says about a right; `attributes` are those that writes may change. */
export type Said = boolean | null | { readonly where: Where; readonly attributes?: readonly string[] };

const said: fc.Arbitrary<Said> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constant(false) },
  { weight: 3, arbitrary: fc.constant(true) },
  {
    weight: 5,
    arbitrary: fc.record({ where, attributes: fc.subarray(ATTRIBUTES) }, { requiredKeys: ['where'], noNullPrototype: true }),
  },
);

/** By right, with `credentials ` before it for the question about credentials. */
export type Rule = Readonly<Record<string, Said>>;

const FOR_RULES = namesOf(NAMED).filter((name) => name.includes('.'));
const rule: fc.Arbitrary<Rule> = fc.dictionary(
  fc.constantFrom(...FOR_RULES, ...FOR_RULES, ...FOR_RULES.map((right) => `credentials ${right}`)),
  said,
  { maxKeys: 40, minKeys: 5, noNullPrototype: true },
);

export interface Caller {
  readonly rights: Rights;
  /** Those of its API token; null in a session. */
  readonly token: Rights | null;
  /** Null for a host without an opinion about this caller. */
  readonly rule: Rule | null;
}

const caller: fc.Arbitrary<Caller> = fc.record({
  rights,
  token: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: rights }),
  rule: fc.oneof(fc.constant(null), rule),
});

const index = fc.nat({ max: 3 });
const tags = fc.constantFrom({ team: 'x' }, { team: 'y' }, {});

/** A request about the entity of a kind with a number, which is the last in its name. */
export type Step =
  | { readonly does: 'list' | 'get' | 'delete'; readonly kind: Kind; readonly at: number }
  | { readonly does: 'patch' | 'create'; readonly kind: Kind; readonly at: number; readonly body: Readonly<Record<string, unknown>> }
  | { readonly does: 'related'; readonly kind: Kind; readonly at: number; readonly list: string }
  | { readonly does: 'upsert' | 'attributes'; readonly kind: Kind; readonly at: number; readonly body: Readonly<Record<string, unknown>> }
  | { readonly does: 'batch'; readonly steps: readonly Step[]; readonly isPreview: boolean }
  | { readonly does: 'other'; readonly method: string; readonly path: string; readonly body?: unknown };

export const KINDS = ['identities', 'services', 'edge-routers', 'posture-checks', 'enrollments', 'service-policies'] as const;
export type Kind = (typeof KINDS)[number];
export const ENTITY: Readonly<Record<Kind, string>> = {
  identities: 'identity',
  services: 'service',
  'edge-routers': 'router',
  'posture-checks': 'posture-check',
  enrollments: 'enrollment',
  'service-policies': 'service-policy',
};

const carrying = fc.constantFrom('identities', 'services', 'edge-routers', 'posture-checks').map((kind): Kind => kind as Kind);
const fieldsOf: Readonly<Record<Kind, object>> = {
  identities: { type: 'User', isAdmin: false },
  services: { encryptionRequired: true },
  'edge-routers': {},
  'posture-checks': { typeId: 'DOMAIN', domains: ['a.example'] },
  enrollments: {},
  'service-policies': { type: 'Dial', semantic: 'AnyOf' },
};
const patched = fc.oneof(
  fc.record({ roleAttributes: fc.subarray(ATTRIBUTES) }),
  fc.record({ tags }),
  fc.record({ roleAttributes: fc.subarray(ATTRIBUTES), tags }),
);
const ownPatch = fc.constantFrom(
  { isAdmin: true },
  { permissions: ['service.read'] },
  { roleAttributeGrants: { a: { validUntil: '2031-01-01T00:00:00.000Z' } } },
  { roleAttributeGrants: { b: { validUntil: '2031-01-01T00:00:00.000Z' } } },
);
const RELATED: Readonly<Record<string, readonly string[]>> = {
  identities: ['services', 'service-policies', 'enrollments', 'edge-routers', 'service-configs'],
  services: ['identities', 'service-policies', 'edge-routers'],
  'service-policies': ['identities', 'services', 'posture-checks'],
};

const single: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('list' as const), kind: fc.constantFrom(...KINDS), at: index }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('get' as const), kind: fc.constantFrom(...KINDS), at: index }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete' as const), kind: fc.constantFrom(...KINDS), at: index }) },
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constant('patch' as const), kind: carrying, at: index, body: patched }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('patch' as const), kind: fc.constant('identities' as const), at: index, body: ownPatch }),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ does: fc.constant('create' as const), kind: carrying, at: index, body: patched })
      .map((step) => ({ ...step, body: { ...fieldsOf[step.kind], ...step.body } })),
  },
);

/** Not the operation that is refused with another status, which a batch does not declare. */
const isBatched = (step: Step) => step.does !== 'delete' || step.kind !== 'posture-checks';

const combined: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('batch' as const),
      steps: fc.array(single.filter(isBatched), { minLength: 1, maxLength: 3 }),
      isPreview: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ does: fc.constant('upsert' as const), kind: carrying, at: fc.nat({ max: 5 }), body: patched })
      .map((step) => ({ ...step, body: { ...fieldsOf[step.kind], ...step.body } })),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('attributes' as const),
      kind: carrying,
      at: index,
      body: fc.record({ roleAttributes: fc.subarray(ATTRIBUTES, { minLength: 1 }) }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...Object.entries(RELATED).flatMap(([kind, lists]) => lists.map((list) => [kind as Kind, list] as const)))
      .chain(([kind, list]) => index.map((at): Step => ({ does: 'related', kind, at, list }))),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Step>(
      { does: 'other', method: 'GET', path: '/identity-role-attributes' },
      { does: 'other', method: 'GET', path: '/summary' },
      { does: 'other', method: 'GET', path: '/routers' },
      { does: 'other', method: 'GET', path: '/terminators' },
      { does: 'other', method: 'GET', path: '/authenticators' },
      { does: 'other', method: 'GET', path: '/api-sessions' },
      { does: 'other', method: 'GET', path: `${EXTENSIONS}/api-tokens` },
      { does: 'other', method: 'GET', path: `${EXTENSIONS}/access/matrix` },
      { does: 'other', method: 'GET', path: `${EXTENSIONS}/changes?limit=3` },
      { does: 'other', method: 'GET', path: `${EXTENSIONS}/state` },
      {
        does: 'other',
        method: 'POST',
        path: `${EXTENSIONS}/state/apply`,
        body: { document: { services: [{ name: 'service 0', encryptionRequired: true, roleAttributes: ['b'] }] } },
      },
      {
        does: 'other',
        method: 'GET',
        path: '/service-policies?filter=not isEmpty(from services where name contains "1")',
      },
    ),
  },
);

export const scenarios: fc.Arbitrary<{ readonly callers: readonly Caller[]; readonly steps: readonly Step[] }> = fc.record({
  callers: fc.array(caller, { minLength: 2, maxLength: 3 }),
  steps: fc.array(fc.oneof({ weight: 3, arbitrary: single }, { weight: 1, arbitrary: combined }), { minLength: 12, maxLength: 20 }),
});

export interface World {
  readonly app: App;
  /** By kind, in the order of their numbers. */
  readonly ids: Readonly<Record<Kind, readonly string[]>>;
  /** Makes a caller. @returns its session or API token */
  enter(caller: Caller): Promise<string>;
  send(step: Step, as: string): Promise<Answer>;
}

const CARRIED: readonly (readonly string[])[] = [['a'], ['b', 'c'], [], ['a', 'b']];
const TEAMS = [{ team: 'x' }, { team: 'y' }, { team: 'x' }, {}];

/** A network with four entities of each kind. The identity 2 has permissions, and the identity 3 is an administrator. */
export const openWorld = async (store: string, options: OpenOptions = {}): Promise<World> => {
  const rules = new Map<string, Rule>();
  const authorize: HostRule = ({ actor, about, right = '' }: AuthorizationRequest): Verdict => {
    const answer = rules.get(actor.identity?.id ?? '')?.[about === 'credentials' ? `credentials ${right}` : right];
    if (answer === undefined || answer === null || typeof answer === 'boolean') return answer ?? undefined;
    const assignable = answer.attributes;
    return {
      where: filterOf(right.split('.')[0] ?? '', answer.where),
      ...(assignable && { roleAttributes: (attribute: string) => assignable.includes(attribute) }),
    };
  };
  // A limit on an operation that has nothing to limit is a mistake of the host, and is logged.
  const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };
  const app = await openApp(store, { authorize, ...options, platform: { logger: silent, ...options.platform } });
  const made: Record<Kind, string[]> = {
    identities: [],
    services: [],
    'edge-routers': [],
    'posture-checks': [],
    enrollments: [],
    'service-policies': [],
  };
  for (const [i, roleAttributes] of CARRIED.entries()) {
    const common = { tags: TEAMS[i] };
    const privileges = i === 2 ? { permissions: ['terminator.delete'] } : i === 3 ? { isAdmin: true } : {};
    const carry = async (kind: Kind, fields: object) =>
      void made[kind].push(
        await app.create(`/${kind}`, { name: `${ENTITY[kind]} ${i}`, ...fieldsOf[kind], roleAttributes, ...common, ...fields }),
      );
    await carry('identities', { ...privileges, enrollment: { ott: true } });
    await carry('services', {});
    await carry('edge-routers', {});
    await carry('posture-checks', {});
    const { body } = await app.request('GET', `/identities/${made.identities[i]}/enrollments`);
    made.enrollments.push(body.data[0].id);
    made['service-policies'].push(
      await app.create('/service-policies', {
        name: `service-policy ${i}`,
        ...fieldsOf['service-policies'],
        identityRoles: [`@${made.identities[i]}`, '#a'],
        serviceRoles: [`@${made.services[i]}`, '#b'],
        postureCheckRoles: [`@${made['posture-checks'][i]}`],
        ...common,
      }),
    );
  }
  let serial = 0;
  const enter: World['enter'] = async ({ rights, token, rule }) => {
    const user = await app.user({ ...rights, isAdmin: rights.isAdmin || token?.isAdmin === true, ...(token && union(rights, token)) });
    // Made first, because nobody may give a token what its identity lacks.
    const secret = token && (await giveToken(app, user.id, token)).secret;
    const session = secret ?? (await user.login());
    if (token) await app.request('PATCH', `/identities/${user.id}`, { body: { ...rights } });
    if (rule) rules.set(user.id, rule);
    return session;
  };
  const idOf = (kind: Kind, at: number): string => made[kind][at] ?? 'unknown';
  const nameFor = (kind: Kind) => `new ${ENTITY[kind]} ${++serial}`;
  const GROUPS: Readonly<Record<Kind, string>> = {
    identities: 'identities',
    services: 'services',
    'edge-routers': 'edgeRouters',
    'posture-checks': 'postureChecks',
    enrollments: 'enrollments',
    'service-policies': 'servicePolicies',
  };
  const discriminated = (kind: Kind, body: object) => (kind === 'posture-checks' ? { typeId: 'DOMAIN', ...body } : body);
  const batched = (step: Step): object => {
    if (step.does === 'patch')
      return {
        operation: `${GROUPS[step.kind]}.patch`,
        input: { id: idOf(step.kind, step.at), body: discriminated(step.kind, step.body) },
      };
    if (step.does === 'create')
      return { operation: `${GROUPS[step.kind]}.create`, input: { body: { name: nameFor(step.kind), ...step.body } } };
    if (step.does === 'delete') return { operation: `${GROUPS[step.kind]}.delete`, input: { id: idOf(step.kind, step.at) } };
    return { operation: 'services.patch', input: { id: idOf('services', 0), body: {} } };
  };
  const send: World['send'] = (step, as) => {
    if (step.does === 'other') return app.request(step.method, step.path, { as, ...(step.body === undefined ? {} : { body: step.body }) });
    if (step.does === 'batch')
      return app.request('POST', `${EXTENSIONS}/batch`, {
        as,
        body: { operations: step.steps.map(batched) },
        headers: step.isPreview ? { prefer: 'dry-run' } : {},
      });
    const path = `/${step.kind}/${idOf(step.kind, step.at)}`;
    switch (step.does) {
      case 'list':
        return app.request('GET', `/${step.kind}?limit=500`, { as });
      case 'get':
        return app.request('GET', path, { as });
      case 'delete':
        return app.request('DELETE', path, { as });
      case 'related':
        return app.request('GET', `${path}/${step.list}`, { as });
      case 'patch':
        return app.request('PATCH', path, { as, body: discriminated(step.kind, step.body) });
      case 'create':
        return app.request('POST', `/${step.kind}`, { as, body: { name: nameFor(step.kind), ...step.body } });
      case 'upsert':
        return app.request('PUT', `${EXTENSIONS}/${step.kind}`, { as, body: { name: `${ENTITY[step.kind]} ${step.at}`, ...step.body } });
      case 'attributes':
        return app.request('POST', `${EXTENSIONS}${path}/role-attributes`, { as, body: step.body });
    }
  };
  return { app, ids: made, enter, send };
};

/** Rights that include both. */
const union = (one: Rights, other: Rights) => ({
  permissions: [...new Set([...one.permissions, ...other.permissions])],
  scopedPermissions: Object.fromEntries(
    [...new Set([...Object.keys(one.scopedPermissions), ...Object.keys(other.scopedPermissions)])].map((name) => {
      const scopes = [one, other].flatMap(({ scopedPermissions }) => scopedPermissions[name] ?? []);
      return [
        name,
        {
          roleAttributes: [...new Set(scopes.flatMap(({ roleAttributes }) => roleAttributes))],
          assignableRoleAttributes: [...new Set(scopes.flatMap(({ assignableRoleAttributes = [] }) => assignableRoleAttributes))],
        },
      ];
    }),
  ),
});
