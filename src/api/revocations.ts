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
    'A revocation ends tokens of the OpenID provider at once: one token, those of an API session, or all that an identity has. Its id is that of what it revokes. It is kept until the last of the tokens would have ended.',
  fields: {
    /** The type of the id: that of a token, its `jti` (JTI), of an identity, or of an API session. */
    type: readOnly(revocationType, { filter: true, default: 'JTI' }),
    /** When the last of the tokens would have ended by itself. */
    expiresAt: readOnly(timestamp, { filter: true, index: true }),
  },
});

/** A revocation. */
const revocationCreate = z
  .object({
    /** A UUID for a token (its `jti`) or an API session; for an identity its id. */
    id: shortText,
    /** The type of the id. */
    type: revocationType,
    /** User-defined names with values: text, boolean or null. */
    tags: tags.optional(),
  })
  .meta({ id: 'RevocationCreate' });

export const revocations = group('revocations', 'Revocations', {
  ...crud(revocation, { except: ['create', 'replace', 'patch', 'delete'] }),
  create: operation('POST', '/revocations', {
    operationId: 'createRevocation',
    summary: 'Revoke a token, an API session or all tokens of an identity, at once; there is no way back',
    permission: rightTo('create', revocation),
    body: { schema: revocationCreate, name: 'revocation' },
    answer: CREATED,
    errors: ['NOT_FOUND'],
  }),
});
