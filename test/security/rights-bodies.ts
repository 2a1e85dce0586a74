/** Bodies that are valid for an operation, so that what is judged next is the right. What they name need not exist. */
import { policyBody } from '../support/policies.ts';

const LATER = '2031-01-01T00:00:00.000Z';
const person = { name: 'somebody', type: 'User', isAdmin: false };
const roles = { semantic: 'AnyOf', identityRoles: [], serviceRoles: [], edgeRouterRoles: [] };
const flags = { isAuthEnabled: true, isOttCaEnrollmentEnabled: true, isAutoCaEnrollmentEnabled: true };
const ca = { name: 'a ca', ...flags, identityRoles: [], identityNameFormat: '' };
const signer = {
  name: 'a signer',
  issuer: 'https://issuer.example',
  audience: 'us',
  enabled: true,
  jwksEndpoint: 'https://issuer.example/keys',
};
const check = { name: 'a check', typeId: 'DOMAIN', domains: ['a.example'] };
const service = { name: 'a service', encryptionRequired: true };
const policy = { name: 'a policy', type: 'Dial', ...roles };
const terminator = { service: 'none', router: 'none', binding: 'edge', address: 'x' };
const pairs = [{ serviceId: 'none', configId: 'none' }];
const token = { token: 'none' };
const own = { username: 'somebody', password: 'a new password', currentPassword: 'a password' };

/** By operation, or by the path of POST for POST and PUT alike; most PATCHes take an empty object, and text is sent as `text/plain`. */
const bodies: Readonly<Record<string, unknown>> = {
  '/auth-policies': policyBody('a policy'),
  '/access/preview': { operations: [] },
  '/batch': { operations: [] },
  '/inspections': { appRegex: '.*', requestedValues: ['links'] },
  '/api-tokens': { identityId: 'none', name: 'a token', expiresAt: LATER },
  '/api-tokens/{id}/rotate': { overlapMinutes: 5 },
  '/current-identity/api-tokens': { name: 'a token', expiresAt: LATER },
  '/current-identity/api-tokens/{id}/rotate': { overlapMinutes: 5 },
  '/authenticators': { identityId: 'none', method: 'updb', username: 'somebody', password: 'a password' },
  'PUT /authenticators/{id}': { username: 'somebody', password: 'a password' },
  '/authenticators/{id}/re-enroll': { expiresAt: LATER },
  '/authenticators/{id}/request-extend': { rollKeys: false },
  'POST /cas': { ...ca, certPem: 'none' },
  'PUT /cas/{id}': ca,
  '/cas/{id}/verify': 'none',
  '/config-types': { name: 'a type' },
  '/configs': { name: 'a config', configTypeId: 'none', data: {} },
  '/edge-router-policies': policy,
  '/service-edge-router-policies': policy,
  '/policy-tests': { name: 't', serviceId: 'x', expect: 'none' },
  '/service-policies': policy,
  '/edge-routers': { name: 'a router' },
  '/routers': { name: 'a router' },
  '/transit-routers': { name: 'a router' },
  '/enrollments': { identityId: 'none', method: 'ott', expiresAt: LATER },
  '/enrollments/{id}/refresh': { expiresAt: LATER },
  '/external-jwt-signers': signer,
  '/identities': person,
  '/identities/{id}/service-configs': pairs,
  '/identities/{id}/disable': { durationMinutes: 5 },
  'PUT /identities/{id}/trace': { enabled: true, traceId: 'x', duration: '5m', channels: ['all'] },
  '/posture-checks': check,
  'PATCH /posture-checks/{id}': { typeId: 'DOMAIN' },
  '/revocations': { id: 'none', type: 'JTI' },
  // Upserts are open to all sessions, and their parts are not.
  'PUT /services': {},
  'PUT /identities': {},
  'PUT /service-policies': {},
  'PUT /edge-router-policies': {},
  'PUT /service-edge-router-policies': {},
  'PUT /configs': {},
  'PUT /config-types': {},
  'PUT /auth-policies': {},
  'PUT /edge-routers': {},
  'PUT /posture-checks': {},
  '/services': service,
  'POST /services/{id}/role-attributes': { roleAttributes: [] },
  'DELETE /services/{id}/role-attributes': { roleAttributes: [] },
  'POST /identities/{id}/role-attributes': { roleAttributes: [] },
  'DELETE /identities/{id}/role-attributes': { roleAttributes: [] },
  'POST /edge-routers/{id}/role-attributes': { roleAttributes: [] },
  'DELETE /edge-routers/{id}/role-attributes': { roleAttributes: [] },
  'POST /posture-checks/{id}/role-attributes': { roleAttributes: [] },
  'DELETE /posture-checks/{id}/role-attributes': { roleAttributes: [] },

  '/terminators': terminator,
  '/history/{kind}/{id}/revert': { revision: 1 },
  '/state/plan': { document: {} },
  '/state/apply': { document: {} },
  '/authenticate/mfa': { code: '000000' },
  '/current-identity/mfa/verify': { code: '000000' },
  '/current-identity/mfa/recovery-codes': { code: '000000' },
  '/current-api-session/totp-token': { code: '000000' },
  '/current-api-session/certificates': { csr: 'none' },
  'PUT /current-identity/authenticators/{id}': own,
  'PATCH /current-identity/authenticators/{id}': own,
  '/current-identity/authenticators/{id}/extend': { clientCertCsr: 'none' },
  '/current-identity/authenticators/{id}/extend-verify': { clientCert: 'none' },
  '/authenticators/{id}/extend': { clientCertCsr: 'none' },
  '/authenticators/{id}/extend-verify': { clientCert: 'none' },
  '/sessions': { serviceId: 'none', type: 'Dial' },
  '/posture-response': { id: 'none', typeId: 'DOMAIN', domain: 'a.example' },
  '/posture-response-bulk': [],
  '/enroll/ott': token,
  '/enroll/ottca': token,
  '/enroll/token': {},
  '/enroll/erott': token,
  '/enroll/trott': token,
  '/enroll/updb': { ...token, username: 'somebody', password: 'a password' },
  '/enroll/extend/router': { certCsr: 'none', serverCertCsr: 'none' },
};

export const bodyOf = (method: string, path: string): unknown => {
  const own = bodies[`${method} ${path}`];
  if (method === 'GET' || method === 'DELETE') return own;
  if (method === 'PATCH') return own ?? {};
  return own ?? bodies[method === 'PUT' ? path.replace('/{id}', '') : path];
};
