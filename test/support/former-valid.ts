/** Former networks that make sense, and what the API shows of each entity after its adoption, by the contract. */
import type { GeneratorValue } from 'fast-check';
import fc from 'fast-check';
import type { NewFormerEntities, NewFormerEntity } from './former-network/index.ts';
import { NOW } from './pki.ts';

type Detail = Readonly<Record<string, unknown>>;

/** A network, and for each kind of the API the details that it must show, by id. */
export interface ValidNetwork {
  readonly entities: NewFormerEntities;
  readonly expected: Readonly<Record<string, ReadonlyMap<string, Detail>>>;
}

const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((value) => value.trim() !== '' && /\P{C}/u.test(value) && !value.includes('\0'));
const attribute = fc.constantFrom('sales', 'eu', 'web', 'Ünï', 'a b');
const id = fc.stringMatching(/^[0-9A-Za-z]([0-9A-Za-z.-]{0,20}[0-9A-Za-z])?$/);
const time = fc.integer({ min: NOW - 10 ** 11, max: NOW - 1 }).map((at) => new Date(at));
const tags = fc.dictionary(
  fc.constantFrom('team', 'cost', 'old', 'constructor'),
  fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
  {
    noNullPrototype: true,
  },
);
const cost = fc.integer({ min: 0, max: 65_535 });
const PRECEDENCES = ['default', 'required', 'failed'] as const;
const SYSTEMS = ['Windows', 'Linux', 'macOS'] as const;

const sorted = (values: readonly string[]): readonly string[] => values.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
const iso = (date: Date) => date.toISOString();
/** Empty sets are shown as null. */
const shownSet = (values: readonly string[]) => (values.length === 0 ? null : sorted(values));

/** Draws a network. @param g gives values, which fast-check shrinks */
export const drawNetwork = (g: GeneratorValue): ValidNetwork => {
  const names = new Set<string>();
  const nameOf = (): string => {
    let name = g(() => text);
    while (names.has(name)) name += 'x';
    names.add(name);
    return name;
  };
  const ids = new Set<string>();
  const newId = (): string => {
    let drawn = g(() => id);
    while (ids.has(drawn)) drawn += 'x';
    ids.add(drawn);
    return drawn;
  };
  const count = (max: number) => g(fc.nat, { max });
  const some = <T>(all: readonly T[]): T[] => (all.length === 0 ? [] : g(() => fc.subarray([...all])));
  const attributes = () => g(() => fc.uniqueArray(attribute, { maxLength: 3 }));
  const roles = (all: readonly string[]): string[] =>
    g(fc.boolean) ? ['#all'] : [...attributes().map((one) => `#${one}`), ...some(all).map((one) => `@${one}`)];
  const common = () => {
    const [one, other] = [g(() => time), g(() => time)];
    const [createdAt, updatedAt] = one < other ? [one, other] : [other, one];
    const base = { id: newId(), createdAt, updatedAt, tags: g(() => tags) };
    return { base, shown: { id: base.id, createdAt: iso(createdAt), updatedAt: iso(updatedAt), tags: base.tags } };
  };
  const expected: Record<string, Map<string, Detail>> = {};
  const expect = (kind: string, detail: Detail & { readonly id: string }) => {
    expected[kind] ??= new Map();
    expected[kind].set(detail.id, detail);
    return detail.id;
  };
  const make = <T>(max: number, one: () => T): T[] => Array.from({ length: count(max) }, one);

  const configTypes: NewFormerEntity<'configTypes'>[] = make(2, () => {
    const { base, shown } = common();
    const [name, schema] = [nameOf(), g(() => fc.constantFrom(null, '{"type":"object"}', '{}'))];
    expect('configTypes', { ...shown, name, schema: schema === '{"type":"object"}' ? { type: 'object' } : null });
    return { ...base, name, schema };
  });
  const configs: NewFormerEntity<'configs'>[] = configTypes.flatMap((type) =>
    make(2, () => {
      const { base, shown } = common();
      const [name, data] = [nameOf(), { port: g(fc.integer), deep: { list: [g(() => text), null, { on: g(fc.boolean) }] } }];
      expect('configs', { ...shown, name, data, configTypeId: type.id });
      return { ...base, name, type: type.id, data };
    }),
  );
  const services: NewFormerEntity<'services'>[] = make(4, () => {
    const { base, shown } = common();
    const name = nameOf();
    const edge = { encryptionRequired: g(fc.boolean), roleAttributes: attributes(), configs: oneOfEachType(some(configs)) };
    const [terminatorStrategy, milliseconds] = [g(() => fc.constantFrom('', 'sticky', 'weighted')), g(fc.nat, { max: 10 ** 6 })];
    expect('services', {
      ...shown,
      name,
      encryptionRequired: edge.encryptionRequired,
      roleAttributes: shownSet(edge.roleAttributes),
      configs: shownSet(edge.configs),
      maxIdleTimeMillis: milliseconds,
      terminatorStrategy: terminatorStrategy || 'smartrouting',
    });
    return { ...base, name, edge, terminatorStrategy, maxIdleTime: milliseconds * 1_000_000 };
  });
  const serviceIds = services.map((one) => one.id);
  const policyIds = ['default'];
  const authPolicies: NewFormerEntity<'authPolicies'>[] = [
    { id: 'default', name: 'Default', isSystem: true },
    ...make(2, () => {
      const { base, shown } = common();
      const policy = {
        name: nameOf(),
        'primary.updb.allowed': g(fc.boolean),
        'primary.updb.maxAttempts': g(fc.nat, { max: 9 }),
        'primary.cert.allowExpiredCerts': g(fc.boolean),
        'secondary.requireTotp': g(fc.boolean),
      };
      policyIds.push(base.id);
      expect('authPolicies', {
        ...shown,
        name: policy.name,
        primary: {
          cert: { allowed: true, allowExpiredCerts: policy['primary.cert.allowExpiredCerts'] },
          extJwt: { allowed: true, allowedSigners: [] },
          updb: {
            allowed: policy['primary.updb.allowed'],
            maxAttempts: policy['primary.updb.maxAttempts'],
            minPasswordLength: 5,
            lockoutDurationMinutes: 0,
            requireMixedCase: false,
            requireNumberChar: false,
            requireSpecialChar: false,
          },
        },
        secondary: { requireTotp: policy['secondary.requireTotp'] },
      });
      return { ...base, ...policy };
    }),
  ];
  const admin = { id: newId(), name: nameOf(), type: 'Default', isAdmin: true, isDefaultAdmin: true };
  const identities: NewFormerEntity<'identities'>[] = [
    admin,
    ...make(5, () => {
      const { base, shown } = common();
      const hosted = some(serviceIds);
      const precedences = some(serviceIds);
      const overridden = some(serviceIds).slice(0, configs.length);
      const identity = {
        name: nameOf(),
        type: g(() => fc.constantFrom('Default', 'User', 'Device', 'Service')),
        isAdmin: g(fc.boolean),
        authPolicyId: g(() => fc.constantFrom(...policyIds)),
        externalId: g(fc.boolean) ? `external ${base.id}` : null,
        roleAttributes: attributes(),
        defaultHostingCost: g(() => cost),
        defaultHostingPrecedence: g(fc.nat, { max: 2 }),
        serviceHostingCosts: new Map(hosted.map((service) => [service, g(() => cost)])),
        serviceHostingPrecedences: new Map(precedences.map((service) => [service, g(fc.nat, { max: 2 })])),
        appData: { note: g(() => text), nested: { n: [1, 2] } },
        disabledAt: g(fc.boolean) ? new Date(NOW - 5000) : null,
        envInfoOs: g(() => fc.constantFrom('', 'linux')),
        sdkInfoVersion: g(() => fc.constantFrom('', 'v1.2')),
        serviceConfigs: new Map(
          overridden.map((service, i) => [service, new Map([[configs[i]?.type ?? '', configs[i]?.id ?? '']])] as const),
        ),
      };
      expect('identities', {
        ...shown,
        name: identity.name,
        typeId: 'Default',
        isAdmin: identity.isAdmin,
        isDefaultAdmin: false,
        authPolicyId: identity.authPolicyId,
        externalId: identity.externalId,
        roleAttributes: shownSet(identity.roleAttributes),
        defaultHostingCost: identity.defaultHostingCost,
        defaultHostingPrecedence: PRECEDENCES[identity.defaultHostingPrecedence],
        serviceHostingCosts: Object.fromEntries(identity.serviceHostingCosts),
        serviceHostingPrecedences: Object.fromEntries(
          [...identity.serviceHostingPrecedences].map(([service, n]) => [service, PRECEDENCES[n]]),
        ),
        appData: identity.appData,
        disabled: identity.disabledAt !== null,
        envInfo: identity.envInfoOs ? { os: 'linux' } : {},
        sdkInfo: identity.sdkInfoVersion ? { version: 'v1.2' } : {},
      });
      return { ...base, ...identity };
    }),
  ];
  const identityIds = identities.map((one) => one.id);
  const authenticators: NewFormerEntity<'authenticators'>[] = some(identityIds).map((identity, i) => {
    const { base, shown } = common();
    const updbUsername = `user ${i}`;
    expect('authenticators', { ...shown, identityId: identity, method: 'updb', username: updbUsername });
    const [updbSalt, updbPassword] = ['MDEyMzQ1Njc4OQ==', 'bm90IHRoZSB0YWcgb2YgYW55IHBhc3N3b3JkISEhISE='];
    return { ...base, method: 'updb', identity, updbUsername, updbSalt, updbPassword };
  });
  const enrollments: NewFormerEntity<'enrollments'>[] = some(identityIds).map((identity, i) => {
    const [own, token] = [newId(), `token-${i}`];
    const issuedAt = g(() => time);
    const expiresAt = new Date(NOW + 1 + count(10 ** 9));
    const jwt = ['e30', Buffer.from(JSON.stringify({ jti: token })).toString('base64url'), 'c2ln'].join('.');
    expect('enrollments', {
      id: own,
      token,
      jwt,
      method: 'ott',
      identityId: identity,
      createdAt: iso(issuedAt),
      expiresAt: iso(expiresAt),
    });
    return { id: own, method: 'ott', identity, token, jwt, issuedAt, expiresAt };
  });
  const routers: NewFormerEntity<'routers'>[] = make(3, () => {
    const { base, shown } = common();
    const router = { name: nameOf(), cost: g(() => cost), noTraversal: g(fc.boolean), disabled: g(fc.boolean) };
    const isVerified = g(fc.boolean);
    const fingerprint = isVerified ? Buffer.from(base.id).toString('hex').padEnd(40, '0').slice(0, 40) : null;
    const verification = { isVerified, unverifiedCertPem: null, unverifiedFingerprint: null };
    if (g(fc.boolean)) {
      expect('routers', { ...shown, ...router, isVerified, fingerprint });
      return { ...base, ...router, fingerprint, transitRouter: verification };
    }
    const edge = { ...verification, certPem: null, isTunnelerEnabled: false, roleAttributes: attributes(), appData: { a: [1] } };
    const { roleAttributes, appData } = edge;
    expect('edgeRouters', {
      ...shown,
      ...router,
      isVerified,
      ...(fingerprint ? { fingerprint } : {}),
      roleAttributes: shownSet(roleAttributes),
      appData,
      isTunnelerEnabled: false,
    });
    return { ...base, ...router, fingerprint, edge };
  });
  const edgeRouterIds = routers.filter((one) => one.edge).map((one) => one.id);
  const postureChecks: NewFormerEntity<'postureChecks'>[] = make(4, () => {
    const { base, shown } = common();
    const [name, roleAttributes] = [nameOf(), attributes()];
    const [typeId, former, detail] = g(() => fc.constantFrom(...CHECKS));
    expect('postureChecks', { ...shown, name, typeId, roleAttributes: sorted(roleAttributes), ...detail });
    return { ...base, name, typeId, version: 1, roleAttributes, ...former };
  });
  const checkIds = postureChecks.map((one) => one.id);
  const semanticOf = () => g(() => fc.constantFrom('AllOf', 'AnyOf'));
  const servicePolicies: NewFormerEntity<'servicePolicies'>[] = make(4, () => {
    const { base, shown } = common();
    const [type, semantic] = [g(() => fc.constantFrom(1, 2)), semanticOf()];
    const selecting = { identityRoles: roles(identityIds), serviceRoles: roles(serviceIds), postureCheckRoles: roles(checkIds) };
    const name = nameOf();
    expect('servicePolicies', { ...shown, name, semantic, type: type === 1 ? 'Dial' : 'Bind', ...selectingShown(selecting) });
    return { ...base, name, type, semantic, ...selecting };
  });
  const edgeRouterPolicies: NewFormerEntity<'edgeRouterPolicies'>[] = make(2, () => {
    const { base, shown } = common();
    const [semantic, name] = [semanticOf(), nameOf()];
    const selecting = { identityRoles: roles(identityIds), edgeRouterRoles: roles(edgeRouterIds) };
    expect('edgeRouterPolicies', { ...shown, name, semantic, ...selectingShown(selecting) });
    return { ...base, name, semantic, ...selecting };
  });
  const serviceEdgeRouterPolicies: NewFormerEntity<'serviceEdgeRouterPolicies'>[] = make(2, () => {
    const { base, shown } = common();
    const [semantic, name] = [semanticOf(), nameOf()];
    const selecting = { serviceRoles: roles(serviceIds), edgeRouterRoles: roles(edgeRouterIds) };
    expect('serviceEdgeRouterPolicies', { ...shown, name, semantic, ...selectingShown(selecting) });
    return { ...base, name, semantic, ...selecting };
  });
  const terminators: NewFormerEntity<'terminators'>[] =
    routers.length === 0
      ? []
      : some(serviceIds).map((service) => {
          const { base, shown } = common();
          const router = routers[0]?.id ?? '';
          const own = { binding: 'transport', address: 'tcp:localhost:80', cost: g(() => cost) };
          const precedence = g(() => fc.constantFrom(...PRECEDENCES));
          expect('terminators', { ...shown, ...own, precedence, serviceId: service, routerId: router, identity: '' });
          return { ...base, ...own, precedence, service, router };
        });
  return {
    entities: {
      authPolicies,
      authenticators,
      configTypes,
      configs,
      edgeRouterPolicies,
      enrollments,
      identities,
      postureChecks,
      routers,
      serviceEdgeRouterPolicies,
      servicePolicies,
      services,
      terminators,
    },
    expected,
  };
};

/** A service has one config of each type at most. */
const oneOfEachType = (configs: readonly NewFormerEntity<'configs'>[]): string[] => [
  ...new Map(configs.map(({ type, id: own }) => [type, own])).values(),
];

const selectingShown = (selecting: Readonly<Record<string, readonly string[]>>): Detail =>
  Object.fromEntries(Object.entries(selecting).map(([name, roles]) => [name, shownSet(roles)]));

/** Checks of each type: its requirement in the database, and in the API. */
const CHECKS: readonly (readonly [string, Partial<NewFormerEntity<'postureChecks'>>, Detail])[] = [
  ['DOMAIN', { DOMAIN: { domains: ['corp', 'Lab'] } }, { domains: ['Lab', 'corp'] }],
  ['MAC', { MAC: { macAddresses: ['001a2b3c4d5e'] } }, { macAddresses: ['001a2b3c4d5e'] }],
  [
    'MFA',
    { MFA: { timeoutSeconds: 60, promptOnWake: true, promptOnUnlock: false, ignoreLegacyEndpoints: false } },
    { timeoutSeconds: 60, promptOnWake: true },
  ],
  [
    'OS',
    {
      OS: new Map([
        [SYSTEMS[0], { osType: SYSTEMS[0], osVersions: ['>=10.0.0'] }],
        [SYSTEMS[1], { osType: SYSTEMS[1], osVersions: [] }],
      ]),
    },
    {
      operatingSystems: [
        { type: SYSTEMS[1], versions: null },
        { type: SYSTEMS[0], versions: ['>=10.0.0'] },
      ],
    },
  ],
  [
    'PROCESS',
    { PROCESS: { os: SYSTEMS[2], path: '/bin/agent', hashes: ['ab'], fingerprint: 'cd' } },
    { process: { osType: SYSTEMS[2], path: '/bin/agent', hashes: ['ab'], signerFingerprint: 'cd' } },
  ],
  [
    'PROCESS_MULTI',
    {
      PROCESS_MULTI: {
        semantic: 'AnyOf',
        processes: new Map([['Linux-/bin/a', { osType: SYSTEMS[1], path: '/bin/a', hashes: [], signerFingerprints: ['ef'] }]]),
      },
    },
    { semantic: 'AnyOf', processes: [{ osType: SYSTEMS[1], os: SYSTEMS[1], path: '/bin/a', hashes: [], signerFingerprints: ['ef'] }] },
  ],
];
