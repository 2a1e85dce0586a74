import { authPolicy } from '../../../api/auth-policies.ts';
import { authenticator } from '../../../api/authenticators.ts';
import { identity } from '../../../api/identities.ts';
import type { RowOf } from '../../../api/kit/resource.ts';
import { behaviour } from '../../../call/behaviour.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../changes/entities.ts';
import { ApiError, explained, invalidField, notFoundField } from '../../../errors/index.ts';
import { readCertificates } from '../../../pki/certificate.ts';
import { keyWeakness, signatureWeakness } from '../../../pki/strength.ts';
import { and, equals, not, text } from '../../../query/index.ts';
import { certificateFields, isInUse, issuerOf } from './certificates.ts';
import { passwordChanged } from './password-change.ts';
import { checkPassword } from './passwords.ts';
import { checkUsername } from './usernames.ts';

type Row = RowOf<typeof authenticator>;

/** What each method needs on creation, and which fields it brings. */
const methods: Readonly<Record<string, (call: Call, body: Readonly<Record<string, unknown>>) => Promise<Partial<Row>>>> = {
  updb: async (call, { identityId, username, password }) => {
    if (username === undefined) throw invalidField('username', 'username in body is required for method updb', undefined);
    if (password === undefined) throw invalidField('password', 'password in body is required for method updb', undefined);
    return { ...(await hashed(call, String(identityId), String(password))), certPem: null };
  },
  cert: async (call, { certPem }) => {
    if (certPem === undefined) throw invalidField('certPem', 'certPem in body is required for method cert', undefined);
    const { value: [certificate] = [] } = await readCertificates(String(certPem), 1);
    if (!certificate) throw new ApiError('COULD_NOT_PARSE_PEM_BLOCK');
    const weakness = keyWeakness(certificate.parsed) ?? signatureWeakness(certificate.parsed);
    if (weakness) throw invalidField('certPem', `the certificate is too weak: ${weakness}`, undefined);
    const trust = await issuerOf(call, certificate);
    if (!trust) throw invalidField('certPem', 'the certificate was issued by no certificate authority that this network trusts', undefined);
    return { ...certificateFields(certificate, trust), username: null };
  },
};

export const authenticatorBehaviour = behaviour(authenticator, {
  prepare: async (call, verb, body, id) => {
    if (verb === 'create') return (await methods[String(body.method)]?.(call, body)) ?? {};
    const row = await call.read((entities) => entities.require(authenticator, id ?? ''));
    return changedPassword(call, row, body);
  },
  check: async (entities, after, before) => {
    if (after.username !== null && after.username !== before?.username) checkUsername(after.username);
    if (before) return undefined;
    await requireFirst(entities, after);
    if (after.fingerprint !== null && (await isInUse(entities, after.fingerprint)))
      throw invalidField('certPem', 'the certificate is an authenticator already', undefined);
    return undefined;
  },
  write: async (entities, after, before, call) => {
    if (before && after.passwordHash !== before.passwordHash) await passwordChanged(entities, call, after.identityId);
  },
  guard: async (entities, row) => {
    const owner = await entities.get(identity, row.identityId);
    if (!owner?.isDefaultAdmin) return;
    const others = await entities.count(authenticator, and(equals(text('identityId'), owner.id), not(equals(text('id'), row.id))));
    if (others === 0)
      throw new ApiError('ENTITY_CAN_NOT_BE_DELETED', {
        cause: {
          code: 'ENTITY_CAN_NOT_BE_DELETED',
          message: 'it is the last authenticator of the default administrator, who could not log in any more',
        },
      });
  },
});

/** One of a method for an identity. @throws ApiError `MAX_AUTHENTICATOR_METHODS_REACHED` */
export const requireFirst = async (entities: Entities, { identityId, method }: Pick<Row, 'identityId' | 'method'>): Promise<void> => {
  const same = and(equals(text('identityId'), identityId), equals(text('method'), method));
  if ((await entities.count(authenticator, same)) > 0) throw new ApiError('MAX_AUTHENTICATOR_METHODS_REACHED');
};

/** An authenticator without username and password. */
export const noPassword = ({ method }: Row): ApiError =>
  explained('CAN_NOT_UPDATE_AUTHENTICATOR', `its method is ${method}: only authenticators of method updb have a username and a password`);

/**
 * What a change of a password authenticator stores; another authenticator has only tags to change.
 * @throws ApiError `CAN_NOT_UPDATE_AUTHENTICATOR`, or `COULD_NOT_VALIDATE` when the policy wants a better password
 */
export const changedPassword = async (call: Call, row: Row, body: Readonly<Record<string, unknown>>): Promise<Partial<Row>> => {
  if (row.method !== 'updb' && (body.username !== undefined || body.password !== undefined)) throw noPassword(row);
  return body.password === undefined ? {} : { ...(await hashed(call, row.identityId, String(body.password))), failedAttempts: 0 };
};

/** Held against the policy of the identity before the work of hashing is done. */
export const hashed = async (call: Call, identityId: string, password: string): Promise<Partial<Row>> => {
  const rules = await call.read(async (entities) => {
    const owner = await entities.get(identity, identityId);
    if (!owner) throw notFoundField('identityId', identity.kind, identityId);
    return (await entities.require(authPolicy, owner.authPolicyId)).primary.updb;
  });
  checkPassword(password, rules);
  return { passwordHash: await call.core.passwordChecks.hash(call, password) };
};
