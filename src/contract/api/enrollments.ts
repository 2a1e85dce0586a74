import * as z from 'zod';
import { type EnrollmentMethodName, enrollmentMethod, type IdentityMethodName, requestableMethod } from './enrollment-methods.ts';
import { created, createOnly, crud, data, group, operation, optional, readOnly, reference, resource, sealed, string } from './kit/index.ts';
import { dateTime, shortText, username } from './shared.ts';

const identity = reference('identity', {
  write: 'createOnly',
  onDelete: 'cascade',
  unknown: 'unresolved',
  filter: 'identity',
  urlName: true,
});

const ca = reference('ca', { write: 'optional', onDelete: 'cascade', unknown: 'unresolved', filter: true });

const edgeRouter = reference('edgeRouter', { write: 'optional', onDelete: 'cascade', filter: 'edgeRouter' });
const transitRouter = reference('router', { write: 'optional', onDelete: 'cascade', filter: 'transitRouter' });

export const enrollment = resource({
  kind: 'enrollment',
  collection: 'enrollments',
  names: ['Enrollment', 'Enrollments'],
  about:
    'An enrollment is a token that can be exchanged once, before it expires, for an authenticator or the certificates of a router. It belongs to an identity, an edge router or a transit router.',
  fields: {
    /** Id of the identity that enrolls; routers have none. */
    // Only enrollments of identities can be requested; those of routers have no identity.
    identityId: { ...identity, schema: identity.schema as z.ZodType<string | null, string>, absent: true },
    /**
     * The enrollment method of the owner. `ott`: the network issues a certificate; `ottca`: with its own certificate of a known CA; `updb`:
     * it sets a password; `erott`, `trott`: the network issues the certificates of a router.
     */
    // Bodies are read with `input`, so the input type of the schema never matters.
    method: { ...createOnly(enrollmentMethod as z.ZodType<EnrollmentMethodName, IdentityMethodName>), input: requestableMethod },
    /** When the enrollment expires: RFC 3339. */
    expiresAt: createOnly(dateTime),
    /** For the method `ottca`: id of the authority whose certificates are accepted. */
    caId: { ...ca, write: 'createOnlyOptional', absent: true, reference: { ...ca.reference, orNull: true } },
    /** For the method `erott`: id of the edge router. */
    edgeRouterId: { ...edgeRouter, write: 'never', absent: true },
    /** For the method `trott`: id of the router. */
    transitRouterId: { ...transitRouter, write: 'never', absent: true },
    /** For the method `updb`: the username of the new authenticator. */
    // Stored usernames are not validated as strictly as input: those of an adopted network may be invalid.
    username: { ...optional(shortText, { absent: true }), input: username, write: 'createOnlyOptional' },
    /** SHA-256 of the token, used to find the enrollment. */
    tokenHash: readOnly(string, { keep: 'hidden', unique: true }),
    /** The JWT, which contains the token, encrypted: administrators may read both later. */
    sealed: sealed(string, ({ tokenHash }) => `enrollment:${tokenHash}`, { neverNull: true }),
    /** The token to enroll with. */
    token: { ...readOnly(string, { keep: 'computed' }), credential: true },
    /** The token as a JWT, which also contains the address to enroll at. */
    jwt: { ...readOnly(string, { keep: 'computed' }), absent: true, credential: true },
  },
  symbols: { token: { secret: 'string', hashedAs: 'tokenHash' } },
});

/** The new expiry of an enrollment. */
const refresh = z
  .object({
    /** When the enrollment expires: RFC 3339. */
    expiresAt: dateTime,
  })
  .meta({ id: 'EnrollmentRefresh' });

export const enrollments = group('enrollments', 'Enrollments', {
  ...crud(enrollment, {
    except: ['replace', 'patch'],
    errors: { create: ['ENROLLMENT_EXISTS', 'REFERENCED_ENTITY_NOT_FOUND', 'NOT_CONFIGURED'] },
  }),
  refresh: operation('POST', '/enrollments/{id}/refresh', {
    operationId: 'refreshEnrollment',
    summary: 'Refresh an enrollment, expired or not, with a new expiry and a new token; the old token becomes invalid',
    permission: 'enrollment.update',
    body: { schema: refresh, name: 'refresh' },
    answer: data(created),
    errors: ['NOT_CONFIGURED'],
  }),
});
