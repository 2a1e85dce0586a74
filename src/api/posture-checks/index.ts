import * as z from 'zod';
import { readOnly, required } from '../kit/field.ts';
import { plainRoles } from '../kit/relations.ts';
import { variantResource } from '../kit/variants.ts';
import { name } from '../shared.ts';
import { domainCheck } from './domain.ts';
import { macCheck } from './mac.ts';
import { mfaCheck } from './mfa.ts';
import { osCheck } from './os.ts';
import { processCheck } from './process.ts';
import { processMultiCheck } from './process-multi.ts';

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
  { OS: osCheck, MAC: macCheck, MFA: mfaCheck, PROCESS: processCheck, PROCESS_MULTI: processMultiCheck, DOMAIN: domainCheck },
);
