import * as z from 'zod';
import { readOnly, reference, resource, string, timestamp } from './kit/index.ts';
import { boolean, sdkInfo } from './shared.ts';

const texts = z.array(string).readonly();
/** The id in the posture response: by convention, that of the posture check that it answers. */
const responseId = { postureCheckId: string };

/** A process, as reported by an endpoint. */
const processFact = z
  .object({ ...responseId, path: string.nullable(), isRunning: boolean, hash: string.nullable(), signerFingerprints: texts.nullable() })
  .readonly();
export type ProcessFact = z.infer<typeof processFact>;

/**
 * The latest facts that the endpoints of an identity reported, for all its API sessions. The id is the identity's. Facts about a single session (codes,
 * waking, unlocking) are stored with that session.
 */
export const postureData = resource({
  kind: 'postureData',
  collection: 'posture-data',
  names: ['PostureData', 'PostureData'],
  about: 'Posture data holds the facts that the endpoints of an identity reported; it is deleted with the identity.',
  fields: {
    identityId: reference('identity', { write: 'never', onDelete: 'cascade' }),
    mac: readOnly(z.object({ ...responseId, addresses: texts }).readonly(), { keep: 'hidden' }),
    domain: readOnly(z.object({ ...responseId, domain: string }).readonly(), { keep: 'hidden' }),
    os: readOnly(z.object({ ...responseId, type: string, version: string, build: string.nullable() }).readonly(), { keep: 'hidden' }),
    /** The last report for each response id. */
    processes: readOnly(z.array(processFact).readonly(), { keep: 'hidden' }),
    /** The last report for each path, whatever its response id. */
    paths: readOnly(z.array(processFact).readonly(), { keep: 'hidden' }),
    /** When each fact was last reported; the name is that of the first release. Volatile, because a repeated report does not merit a revision. */
    toldAt: readOnly(z.record(string, timestamp).readonly(), { keep: 'hidden', volatile: true }),
  },
});

const reported = {
  /** Id of the posture check that was answered. */
  postureCheckId: string,
  /** When it was last reported; null if never. */
  lastUpdatedAt: timestamp.nullable(),
  /** True if it was reported too long ago to count. */
  timedOut: boolean,
};

/** Facts about one API session of an identity. */
const ofSession = z
  .object({
    /** The state of the endpoint. */
    endpointState: z.object({
      /** When it last woke. */
      wokenAt: timestamp.nullable(),
      /** When it was last unlocked. */
      unlockedAt: timestamp.nullable(),
    }),
    /** The MFA state of the session. */
    mfa: z.object({
      /** Id of the API session. */
      apiSessionId: string,
      /** True if a code was passed. */
      passedMfa: boolean,
      /** When a code was last passed. */
      passedAt: timestamp.nullable(),
      /** True if a code was passed after the endpoint woke. */
      passedOnWake: boolean,
      /** True if a code was passed after the endpoint was unlocked. */
      passedOnUnlock: boolean,
    }),
    /** The software that the client reported at login. */
    sdkInfo,
  })
  .meta({ id: 'APISessionPostureData' });

/** The facts that the endpoints of an identity reported. A fact that no endpoint has reported is null. */
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
    /** The programs. */
    processes: z.array(
      z.object({
        ...reported,
        /** SHA-256 of the binary in hex. */
        binaryHash: string.optional(),
        /** True if the program runs. */
        isRunning: boolean.optional(),
        /** SHA-1 of the certificates that signed the binary, in hex. */
        signerFingerprints: z.array(string).nullable(),
      }),
    ),
    apiSessionPostureData: z.record(string, ofSession).meta({ description: 'By the ids of the API sessions of the identity.' }),
  })
  .meta({ id: 'PostureData' });
