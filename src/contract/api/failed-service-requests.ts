import * as z from 'zod';
import { readOnly, reference, resource, string, timestamp } from './kit/index.ts';
import { jsonMap } from './shared.ts';

/** A posture check that failed. */
const failedCheck = z
  .object({
    /** Id of the posture check. */
    postureCheckId: string,
    /** Name of the posture check. */
    postureCheckName: string,
    /** Type of the posture check. */
    postureCheckType: string,
    actualValue: z.unknown().meta({ description: 'The value that the endpoint had reported; empty if it had reported none.' }),
    /** The value that the check expects. */
    expectedValue: z.unknown(),
    semantic: string.optional().meta({ description: 'For a check of several processes: `AllOf` or `AnyOf`.' }),
    criteria: jsonMap.optional().meta({ description: 'For an MFA check: the times on which its result is based.' }),
  })
  .meta({ id: 'FailedPostureCheck' });

/** A service policy that did not grant a session, because posture checks failed. */
const policyFailure = z
  .object({
    /** Id of the service policy. */
    policyId: string,
    /** Name of the service policy. */
    policyName: string,
    /** The posture checks of the policy that failed. */
    checks: z.array(failedCheck),
  })
  .meta({ id: 'PolicyFailure' });

const fields = {
  /** Id of the API session of the request. */
  apiSessionId: string,
  /** Id of the service. */
  serviceId: string,
  /** Name of the service. */
  serviceName: string,
  /** `Dial` or `Bind`. */
  sessionType: z.enum(['Dial', 'Bind']),
  /** When the session was requested: ISO 8601, UTC. */
  when: timestamp,
  /** The policies that would have granted the session. */
  policyFailures: z.array(policyFailure),
};

export const failedServiceRequest = resource({
  kind: 'failedServiceRequest',
  collection: 'failed-service-requests',
  names: ['FailedServiceRequest', 'FailedServiceRequests'],
  about: 'A failed service request is a session that was refused because of posture checks. The last fifty per identity are kept.',
  unrecorded: true,
  fields: {
    identityId: reference('identity', { write: 'never', onDelete: 'cascade' }),
    /** Sequence number per identity, which also orders requests within the same millisecond. */
    number: readOnly(z.int(), { keep: 'hidden', index: true, default: 0 }),
    apiSessionId: readOnly(fields.apiSessionId, { default: '' }),
    serviceId: readOnly(fields.serviceId, { default: '' }),
    serviceName: readOnly(fields.serviceName, { default: '' }),
    sessionType: readOnly(fields.sessionType, { default: 'Dial' }),
    when: readOnly(fields.when, { default: '' }),
    policyFailures: readOnly(fields.policyFailures, { default: [] }),
  },
});

/** A session that was refused because of posture checks. */
export const failedServiceRequestDetail = z.object(fields).meta({ id: 'FailedServiceRequest' });
