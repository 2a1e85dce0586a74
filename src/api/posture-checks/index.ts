import * as z from 'zod';
import { crud } from '../kit/crud.ts';
import { readOnly, required } from '../kit/field.ts';
import { group } from '../kit/operation.ts';
import { plainRoles } from '../kit/roles.ts';
import { variantResource } from '../kit/variants.ts';
import { name } from '../shared.ts';
import { domainVariant } from './domain.ts';
import { macVariant } from './mac.ts';
import { mfaVariant } from './mfa.ts';
import { osVariant } from './os.ts';
import { processVariant } from './process.ts';
import { processMultiVariant } from './process-multi.ts';

export const postureCheck = variantResource(
  {
    kind: 'postureCheck',
    collection: 'posture-checks',
    names: ['PostureCheck', 'PostureChecks'],
    about: 'A posture check is a condition that an endpoint must meet before the service policies that select the check let it in.',
    fields: {
      name: required(name, { unique: true, filter: true }),
      /** Role attributes, by which service policies select the check. */
      roleAttributes: plainRoles(),
      /** Of the form of the check. There is one. */
      version: readOnly(z.literal(1), { keep: 'computed' }),
    },
  },
  'typeId',
  { OS: osVariant, MAC: macVariant, MFA: mfaVariant, PROCESS: processVariant, PROCESS_MULTI: processMultiVariant, DOMAIN: domainVariant },
);

export const postureChecks = group('postureChecks', 'Posture checks', crud(postureCheck, { denied: { delete: 403 } }));
