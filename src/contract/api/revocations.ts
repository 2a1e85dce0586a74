import * as z from 'zod';
import { CREATED, crud, group, operation, readOnly, resource, rightTo, tags, timestamp } from './kit/index.ts';
import { AUDITOR } from './permissions.ts';
import { shortText } from './shared.ts';

const revocationType = z.enum(['JTI', 'IDENTITY', 'API_SESSION']);

export const revocation = resource({
  kind: 'revocation',
  collection: 'revocations',
  right: 'ops',
  idOf: { kind: 'identity', while: ['type', 'IDENTITY'] },
  names: ['Revocation', 'Revocations'],
  about:
    'A revocation invalidates tokens of the OpenID provider immediately: one token, those of an API session, or all tokens of an identity. Its id is the id of the revoked token, session or identity. It is kept until the last of the tokens would have expired.',
  fields: {
    /** The kind of the revoked object, and thus of the id: the `jti` of a token (`JTI`), or the id of an identity or of an API session. */
    type: readOnly(revocationType, { filter: true, default: 'JTI' }),
    /** When the last of the revoked tokens would have expired. */
    expiresAt: readOnly(timestamp, { filter: true, index: true }),
  },
});

/** The body that creates a revocation. */
const revocationCreate = z
  .object({
    /** The `jti` of a token or the id of an API session, both UUIDs, or the id of an identity. */
    id: shortText,
    /** The kind of the revoked object. */
    type: revocationType,
    /** User-defined names with values: text, boolean or null. */
    tags: tags.optional(),
  })
  .meta({ id: 'RevocationCreate' });

export const revocations = group('revocations', 'Revocations', {
  ...crud(revocation, { except: ['create', 'replace', 'patch', 'delete'], acceptedPermissions: [AUDITOR] }),
  create: operation('POST', '/revocations', {
    operationId: 'createRevocation',
    summary: 'Revoke a token, an API session or all tokens of an identity immediately; this cannot be undone',
    permission: rightTo('create', revocation),
    acceptedPermissions: [],
    body: { schema: revocationCreate, name: 'revocation' },
    answer: CREATED,
    errors: ['NOT_FOUND'],
  }),
});
