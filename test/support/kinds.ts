/**
 * What the specification says of the fields of each kind: which are required, which only the controller writes, and what an optional one is
 * when it is not given. Written by hand from the specification, and from nothing that the code under test says.
 */
import type { App } from './app.ts';
import { authority, party } from './pki.ts';

export interface KindRules {
  readonly path: string;
  /** A body that creates one, with a name of its own. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Required on create; on replace these too, but for `createOnly`. */
  readonly required: readonly string[];
  /** Of these, the sets that null empties, since answers show an empty one as null. */
  readonly emptiedByNull?: readonly string[];
  readonly createOnly?: readonly string[];
  readonly replaceOnly?: Readonly<Record<string, unknown>>;
  /** What a patch needs too. */
  readonly always?: Readonly<Record<string, unknown>>;
  /** Fields that only the controller writes, with values that a client might try. */
  readonly readOnly: Readonly<Record<string, unknown>>;
  /** Optional fields: a value, and what the field is without one. */
  readonly optional: Readonly<Record<string, readonly [value: unknown, none: unknown]>>;
  /** The field that no two have in common, if it is not the name. */
  readonly unique?: string;
  /** What else another one has to differ in. */
  readonly another?: Readonly<Record<string, unknown>>;
  /** A set of role attributes, none of which looks like a role. */
  readonly attributes?: string;
  /** The fields that filters may ask for, beside those of every kind. */
  readonly filterable?: readonly string[];
}

const PAST = '2001-02-03T04:05:06.000Z';
const BASE = { id: 'mine', createdAt: PAST, updatedAt: PAST, _links: { self: { href: './mine' } } };
const ENROLLMENT = { enrollmentCreatedAt: PAST, enrollmentExpiresAt: PAST, enrollmentJwt: 'a.b.c', enrollmentToken: 'mine' };
const TAGS = { tags: [{ a: 'b', c: null }, {}] } as const;
const display = (...kinds: readonly string[]) =>
  Object.fromEntries(kinds.map((kind) => [`${kind}RolesDisplay`, [{ name: 'x', role: '#x' }]]));
const roles = (...kinds: readonly string[]) => Object.fromEntries(kinds.map((kind) => [`${kind}Roles`, [['#a'], null] as const]));

const AUTH_POLICY = {
  primary: {
    cert: { allowed: true, allowExpiredCerts: false },
    extJwt: { allowed: true, allowedSigners: [] },
    updb: {
      allowed: true,
      minPasswordLength: 5,
      requireMixedCase: false,
      requireNumberChar: false,
      requireSpecialChar: false,
      maxAttempts: 0,
      lockoutDurationMinutes: 0,
    },
  },
  secondary: { requireTotp: false },
};
const SCHEMA = { type: 'object', required: ['port'], properties: { port: { type: 'integer' } } };

/** @param app where what the bodies refer to is made */
export const kindRules = async (app: App): Promise<readonly KindRules[]> => {
  const identityId = await app.create('/identities', { name: 'of the rules', type: 'User', isAdmin: false });
  const anotherIdentity = await app.create('/identities', { name: 'another of the rules', type: 'User', isAdmin: false });
  const configTypeId = await app.create('/config-types', { name: 'of the rules' });
  const authPolicyId = await app.create('/auth-policies', { ...AUTH_POLICY, name: 'of the rules' });
  const [ca, anotherCa] = [await authority('of the rules'), await authority('another')];
  const [signer, anotherSigner] = [await party('of the rules'), await party('another')];
  return [
    {
      path: '/identities',
      body: { name: 'a', type: 'User', isAdmin: false },
      required: ['name', 'type', 'isAdmin'],
      readOnly: {
        ...BASE,
        authPolicy: { id: 'x' },
        authenticators: { updb: { id: 'x', username: 'mine' } },
        disabled: true,
        disabledAt: PAST,
        disabledUntil: PAST,
        edgeRouterConnectionStatus: 'online',
        envInfo: { os: 'mine' },
        sdkInfo: { type: 'mine' },
        hasApiSession: true,
        hasEdgeRouterConnection: true,
        isDefaultAdmin: true,
        isMfaEnabled: true,
        typeId: 'Router',
      },
      optional: {
        ...TAGS,
        appData: [{ one: 'two', deep: { x: [1, 2.5, null] }, none: null }, {}],
        authPolicyId: [authPolicyId, 'default'],
        defaultHostingCost: [7, 0],
        defaultHostingPrecedence: ['failed', 'default'],
        externalId: ['x', null],
        roleAttributes: [['a'], null],
      },
      attributes: 'roleAttributes',
      filterable: ['authPolicyId', 'externalId', 'isAdmin', 'isDefaultAdmin', 'name', 'roleAttributes', 'type'],
    },
    {
      path: '/authenticators',
      body: { identityId, method: 'updb', username: 'annie', password: 'a password' },
      required: ['username', 'password', 'identityId', 'method'],
      createOnly: ['identityId', 'method'],
      readOnly: { ...BASE, isIssuedByNetwork: true, fingerprint: 'mine', certPem: 'mine' },
      optional: TAGS,
      unique: 'username',
      another: { identityId: anotherIdentity },
      filterable: [
        'certFingerprint',
        'certPem',
        'extendRequestedAt',
        'identity',
        'isExtendRequested',
        'isIssuedByNetwork',
        'isKeyRollRequested',
        'lastAuthResolvedToRoot',
        'lastExtendRolledKeys',
        'method',
        'publicKeyPrint',
        'updbPassword',
        'updbSalt',
        'updbUsername',
      ],
    },
    {
      path: '/enrollments',
      body: { identityId, method: 'ott', expiresAt: '2026-12-24T10:00:00.000Z' },
      required: ['identityId', 'method', 'expiresAt'],
      readOnly: { ...BASE, token: 'mine', jwt: 'a.b.c' },
      optional: {},
    },
    {
      path: '/cas',
      body: {
        name: 'a',
        certPem: ca.cert,
        identityRoles: ['a'],
        isAuthEnabled: false,
        isAutoCaEnrollmentEnabled: false,
        isOttCaEnrollmentEnabled: false,
      },
      required: ['name', 'certPem', 'identityRoles', 'isAuthEnabled', 'isAutoCaEnrollmentEnabled', 'isOttCaEnrollmentEnabled'],
      emptiedByNull: ['identityRoles'],
      createOnly: ['certPem'],
      replaceOnly: { identityNameFormat: '[caName]-[commonName]' },
      readOnly: { ...BASE, fingerprint: 'mine', isVerified: true, verificationToken: 'mine' },
      optional: TAGS,
      another: { certPem: anotherCa.cert },
      attributes: 'identityRoles',
    },
    {
      path: '/external-jwt-signers',
      body: { name: 'a', issuer: 'https://a.example', audience: 'us', enabled: false, certPem: signer.cert },
      required: ['name', 'issuer', 'audience', 'enabled'],
      readOnly: { ...BASE, commonName: 'mine', fingerprint: 'mine', notAfter: PAST, notBefore: PAST },
      optional: {
        ...TAGS,
        claimsProperty: ['email', 'sub'],
        clientId: ['c', null],
        externalAuthUrl: ['https://a.example/login', null],
        kid: ['k', null],
        scopes: [['openid'], null],
        targetToken: ['ID', 'ACCESS'],
        useExternalId: [true, false],
      },
      another: { issuer: 'https://another.example', certPem: anotherSigner.cert },
      filterable: [
        'audience',
        'certPem',
        'claimsProperty',
        'clientId',
        'commonName',
        'enabled',
        'enrollAttributeClaimsSelector',
        'enrollAuthPolicyId',
        'enrollNameClaimsSelector',
        'enrollToCertEnabled',
        'enrollToTokenEnabled',
        'fingerprint',
        'issuer',
        'kid',
        'name',
        'notAfter',
        'notBefore',
        'scopes',
        'targetToken',
        'useExternalId',
      ],
    },
    {
      path: '/auth-policies',
      body: { name: 'a', ...AUTH_POLICY },
      required: ['name', 'primary', 'secondary'],
      readOnly: BASE,
      optional: TAGS,
      filterable: [
        'name',
        'primary.cert.allowed',
        'primary.cert.allowExpiredCerts',
        'primary.extJwt.allowed',
        'primary.updb.allowed',
        'primary.updb.maxAttempts',
        'primary.updb.minPasswordLength',
        'primary.updb.requireMixedCase',
        'primary.updb.requireNumberChar',
        'primary.updb.requireSpecialChar',
        'secondary.requireExtJwtSigner',
        'secondary.requireTotp',
      ],
    },
    {
      path: '/config-types',
      body: { name: 'a' },
      required: ['name'],
      readOnly: BASE,
      optional: { ...TAGS, schema: [SCHEMA, null] },
      filterable: ['name', 'schema', 'target'],
    },
    {
      path: '/configs',
      body: { name: 'a', configTypeId, data: { a: 1 } },
      required: ['name', 'configTypeId', 'data'],
      createOnly: ['configTypeId'],
      readOnly: { ...BASE, configType: { id: 'x' } },
      optional: TAGS,
      filterable: ['name', 'type'],
    },
    {
      path: '/services',
      body: { name: 'a', encryptionRequired: false },
      required: ['name', 'encryptionRequired'],
      createOnly: ['encryptionRequired'],
      readOnly: { ...BASE, config: { a: {} }, permissions: ['Dial'], postureQueries: [{ isPassing: true }] },
      optional: { ...TAGS, roleAttributes: [['a'], null], terminatorStrategy: ['random', 'smartrouting'], maxIdleTimeMillis: [60_000, 0] },
      attributes: 'roleAttributes',
    },
    {
      path: '/edge-routers',
      body: { name: 'a' },
      required: ['name'],
      readOnly: {
        ...BASE,
        ...ENROLLMENT,
        fingerprint: 'mine',
        hostname: 'mine',
        isOnline: true,
        isVerified: true,
        supportedProtocols: { tls: 'tls://mine' },
      },
      optional: {
        ...TAGS,
        appData: [{ k: 1 }, {}],
        cost: [7, 0],
        disabled: [true, false],
        noTraversal: [true, false],
        roleAttributes: [['a'], null],
      },
      attributes: 'roleAttributes',
    },
    {
      path: '/routers',
      body: { name: 'plain a' },
      required: ['name'],
      readOnly: {
        ...BASE,
        ...ENROLLMENT,
        fingerprint: 'mine',
        isOnline: true,
        isVerified: true,
        unverifiedCertPem: 'mine',
        unverifiedFingerprint: 'mine',
      },
      optional: { ...TAGS, cost: [7, 0], disabled: [true, false], noTraversal: [true, false] },
      filterable: ['configs', 'cost', 'disabled', 'fingerprint', 'name', 'noTraversal'],
    },
    {
      path: '/edge-router-policies',
      body: { name: 'a', semantic: 'AnyOf' },
      required: ['name', 'semantic'],
      readOnly: { ...BASE, ...display('edgeRouter', 'identity'), isSystem: true },
      optional: { ...TAGS, ...roles('edgeRouter', 'identity') },
    },
    {
      path: '/service-edge-router-policies',
      body: { name: 'a', semantic: 'AnyOf' },
      required: ['name', 'semantic'],
      readOnly: { ...BASE, ...display('edgeRouter', 'service') },
      optional: { ...TAGS, ...roles('edgeRouter', 'service') },
    },
    {
      path: '/service-policies',
      body: { name: 'a', semantic: 'AnyOf', type: 'Dial' },
      required: ['name', 'semantic', 'type'],
      readOnly: { ...BASE, ...display('identity', 'service', 'postureCheck') },
      optional: { ...TAGS, ...roles('identity', 'service', 'postureCheck') },
    },
    {
      path: '/posture-checks',
      body: { name: 'a', typeId: 'DOMAIN', domains: ['a.example'] },
      required: ['name', 'typeId', 'domains'],
      always: { typeId: 'DOMAIN' },
      readOnly: { ...BASE, version: 77 },
      optional: { ...TAGS, roleAttributes: [['a'], []] },
    },
  ];
};
