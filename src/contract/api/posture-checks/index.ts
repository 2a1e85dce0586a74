import * as z from 'zod';
import { attributeEdits, upsert } from '../edits.ts';
import { crud, group, plainRoles, readOnly, required, variantResource } from '../kit/index.ts';
import { name } from '../shared.ts';
import { postureCheckVariants } from './types.ts';

export const postureCheck = variantResource(
  {
    kind: 'postureCheck',
    collection: 'posture-checks',
    names: ['PostureCheck', 'PostureChecks'],
    about: 'A posture check is a condition that an endpoint must meet before the service policies that select the check grant access.',
    fields: {
      name: required(name, { unique: true, filter: true }),
      /** Role attributes, by which service policies select the check. */
      roleAttributes: plainRoles(),
      /** Schema version of the check: always 1. */
      version: readOnly(z.literal(1), { keep: 'computed' }),
    },
  },
  'typeId',
  postureCheckVariants,
);

export const postureChecks = group('postureChecks', 'Posture checks', {
  ...crud(postureCheck, { denied: { delete: 403 } }),
  ...upsert(postureCheck),
  ...attributeEdits(postureCheck),
});
