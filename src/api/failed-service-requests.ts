import * as z from 'zod';
import { readOnly } from './kit/field.ts';
import { reference } from './kit/relations.ts';
import { resource } from './kit/resource.ts';
import { jsonMap, text, timestamp } from './shared.ts';

const failedCheck = z
  .object({
    postureCheckId: text,
    postureCheckName: text,
    postureCheckType: text,
    actualValue: z.unknown().meta({ description: 'What the endpoint had told; empty where it had told nothing.' }),
    expectedValue: z.unknown(),
    semantic: text.optional().meta({ description: 'Of a check of several processes.' }),
    criteria: jsonMap.optional().meta({ description: 'Of a check of MFA: the times that it goes by.' }),
  })
  .meta({ id: 'FailedPostureCheck' });

const policyFailure = z.object({ policyId: text, policyName: text, checks: z.array(failedCheck) }).meta({ id: 'PolicyFailure' });

const fields = {
  apiSessionId: text,
  serviceId: text,
  serviceName: text,
  sessionType: z.enum(['Dial', 'Bind']),
  when: timestamp,
  policyFailures: z.array(policyFailure),
};

export const failedServiceRequest = resource({
  kind: 'failedServiceRequest',
  collection: 'failed-service-requests',
  names: ['FailedServiceRequest', 'FailedServiceRequests'],
  about: 'A failed service request is a session that was refused because of posture checks; of each identity the last fifty are kept.',
  unrecorded: true,
  fields: {
    identityId: reference('identity', { write: 'never', onDelete: 'cascade' }),
    /** Counts those of an identity: their order, even of many within a millisecond. */
    number: readOnly(z.int(), { keep: 'hidden', index: true, default: 0 }),
    apiSessionId: readOnly(fields.apiSessionId, { default: '' }),
    serviceId: readOnly(fields.serviceId, { default: '' }),
    serviceName: readOnly(fields.serviceName, { default: '' }),
    sessionType: readOnly(fields.sessionType, { default: 'Dial' }),
    when: readOnly(fields.when, { default: '' }),
    policyFailures: readOnly(fields.policyFailures, { default: [] }),
  },
});

/** As the list of an identity shows it. */
export const failedServiceRequestDetail = z.object(fields).meta({ id: 'FailedServiceRequest' });
