import * as z from 'zod';
import { CREATED, crud, group, operation, readOnly, resource, rightTo, tags, timestamp } from './kit/index.ts';
import { shortText } from './shared.ts';

const revocationType = z.enum(['JTI', 'IDENTITY', 'API_SESSION']);

export const revocation = resource({
  kind: 'revocation',
  collection: 'revocations',
  right: 'ops',
  idOf: { kind: 'identity', while: ['type', 'IDENTITY'] },
  names: ['Revocation', 'Revocations'],
  about:
    'A revocation ends tokens of the OpenID provider at once: one token, those of an API session, or all that an identity has. Its id is the id of the revoked token, session or identity. It is kept until the last of the tokens would have ended.',
  fields: {
    /** What is revoked, and thus what the id is: the `jti` of a token (`JTI`), or the id of an identity or of an API session. */
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
    /** What is revoked. */
    type: revocationType,
    /** User-defined names with values: text, boolean or null. */
    tags: tags.optional(),
  })
  .meta({ id: 'RevocationCreate' });

export const revocations = group('revocations', 'Revocations', {
  ...crud(revocation, { except: ['create', 'replace', 'patch', 'delete'], grantable: 'onlyToAuditors' }),
  create: operation('POST', '/revocations', {
    operationId: 'createRevocation',
    summary: 'Revoke a token, an API session or all tokens of an identity, at once; this cannot be undone',
    permission: rightTo('create', revocation),
    grantable: false,
    body: { schema: revocationCreate, name: 'revocation' },
    answer: CREATED,
    errors: ['NOT_FOUND'],
  }),
});
