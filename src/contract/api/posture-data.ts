import * as z from 'zod';
import { readOnly, reference, resource, string, timestamp } from './kit/index.ts';
import { boolean, sdkInfo } from './shared.ts';

const texts = z.array(string).readonly();
/** The id in the posture response, by convention the id of the posture check that it answers. */
const responseId = { postureCheckId: string };

/** A process, as reported by an endpoint. */
const processFact = z
  .object({ ...responseId, path: string.nullable(), isRunning: boolean, hash: string.nullable(), signerFingerprints: texts.nullable() })
  .readonly();
export type ProcessFact = z.infer<typeof processFact>;

/**
 * The latest facts that the endpoints of an identity reported, in any of its API sessions. The id is the id of the identity. Facts about a
 * single session (MFA codes, wake-ups, unlocks) are stored with that session.
 */
export const postureData = resource({
  kind: 'postureData',
  collection: 'posture-data',
  names: ['PostureData', 'PostureData'],
  about: 'Posture data contains the facts that the endpoints of an identity reported; it is deleted with the identity.',
  fields: {
    identityId: reference('identity', { write: 'never', onDelete: 'cascade' }),
    mac: readOnly(z.object({ ...responseId, addresses: texts }).readonly(), { keep: 'hidden' }),
    domain: readOnly(z.object({ ...responseId, domain: string }).readonly(), { keep: 'hidden' }),
    os: readOnly(z.object({ ...responseId, type: string, version: string, build: string.nullable() }).readonly(), { keep: 'hidden' }),
    /** The latest report for each response id. */
    processes: readOnly(z.array(processFact).readonly(), { keep: 'hidden' }),
    /** The latest report for each path, regardless of its response id. */
    paths: readOnly(z.array(processFact).readonly(), { keep: 'hidden' }),
    /** When each fact was last reported. Volatile, because repeated reports need no revision. The name dates from the first release. */
    toldAt: readOnly(z.record(string, timestamp).readonly(), { keep: 'hidden', volatile: true }),
  },
});

const reported = {
  /** Id of the posture check that was answered. */
  postureCheckId: string,
  /** When the fact was last reported; null if never. */
  lastUpdatedAt: timestamp.nullable(),
  /** True if the report has expired. */
  timedOut: boolean,
};

/** Facts about one API session of an identity. */
const ofSession = z
  .object({
    /** The state of the endpoint. */
    endpointState: z.object({
      /** When the endpoint last woke up. */
      wokenAt: timestamp.nullable(),
      /** When the endpoint was last unlocked. */
      unlockedAt: timestamp.nullable(),
    }),
    /** The MFA state of the session. */
    mfa: z.object({
      /** Id of the API session. */
      apiSessionId: string,
      /** True if the session submitted a valid code. */
      passedMfa: boolean,
      /** When the session last submitted a valid code. */
      passedAt: timestamp.nullable(),
      /** True if it submitted a valid code after the endpoint woke up. */
      passedOnWake: boolean,
      /** True if it submitted a valid code after the endpoint was unlocked. */
      passedOnUnlock: boolean,
    }),
    /** The software that the client reported at login. */
    sdkInfo,
  })
  .meta({ id: 'APISessionPostureData' });

/** The facts that the endpoints of an identity reported. Facts that no endpoint has reported are null. */
export const identityPostureData = z
  .object({
    /** The hardware addresses. */
    mac: z.object({
      ...reported,
      /** MAC addresses in hex digits. */
      addresses: z.array(string).nullable(),
    }),
    /** The Windows domain. */
    domain: z.object({
      ...reported,
      /** Name of the domain. */
      domain: string.nullable(),
    }),
    /** The operating system. */
    os: z.object({
      ...reported,
      /** Name of the system. */
      type: string.nullable(),
      /** Version of the system. */
      version: string.nullable(),
      /** Build of the system. */
      build: string.nullable(),
    }),
    /** The processes. */
    processes: z.array(
      z.object({
        ...reported,
        /** SHA-256 of the binary in hex. */
        binaryHash: string.optional(),
        /** True if the process is running. */
        isRunning: boolean.optional(),
        /** SHA-1 of the certificates that signed the binary, in hex. */
        signerFingerprints: z.array(string).nullable(),
      }),
    ),
    apiSessionPostureData: z.record(string, ofSession).meta({ description: 'Facts about the API sessions of the identity, by id.' }),
  })
  .meta({ id: 'PostureData' });
