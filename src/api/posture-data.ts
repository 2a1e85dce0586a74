import * as z from 'zod';
import { string, timestamp } from './kit/entity.ts';
import { readOnly } from './kit/field.ts';
import { reference } from './kit/references.ts';
import { resource } from './kit/resource.ts';
import { boolean, sdkInfo } from './shared.ts';

const texts = z.array(string).readonly();
/** The id that the response named: by custom, that of the posture check that it answers. */
const answers = { postureCheckId: string };

/** What an endpoint told of one process. */
const processFact = z
  .object({ ...answers, path: string.nullable(), isRunning: boolean, hash: string.nullable(), signerFingerprints: texts.nullable() })
  .readonly();
export type ProcessFact = z.infer<typeof processFact>;

/**
 * What the endpoints of an identity told of themselves: the last word on each matter, for all API sessions of the identity. The id is the
 * identity's. What belongs to a single session (codes, waking, unlocking) is kept with that session.
 */
export const postureData = resource({
  kind: 'postureData',
  collection: 'posture-data',
  names: ['PostureData', 'PostureData'],
  about: 'Posture data is what the endpoints of an identity told of themselves; it goes with the identity.',
  fields: {
    identityId: reference('identity', { write: 'never', onDelete: 'cascade' }),
    mac: readOnly(z.object({ ...answers, addresses: texts }).readonly(), { keep: 'hidden' }),
    domain: readOnly(z.object({ ...answers, domain: string }).readonly(), { keep: 'hidden' }),
    os: readOnly(z.object({ ...answers, type: string, version: string, build: string.nullable() }).readonly(), { keep: 'hidden' }),
    /** The last answer for each id of a response. */
    processes: readOnly(z.array(processFact).readonly(), { keep: 'hidden' }),
    /** The last answer for each path, whatever the id. */
    paths: readOnly(z.array(processFact).readonly(), { keep: 'hidden' }),
    /** When each fact was told last, if only to repeat it: which is no change worth a revision. */
    toldAt: readOnly(z.record(string, timestamp).readonly(), { keep: 'hidden', volatile: true }),
  },
});

const told = {
  /** Id of the posture check that was answered. */
  postureCheckId: string,
  /** When it was last told; null when it never was. */
  lastUpdatedAt: timestamp.nullable(),
  /** Whether it was told too long ago to count. */
  timedOut: boolean,
};

/** What belongs to one API session of an identity. */
const ofSession = z
  .object({
    /** The state of the endpoint. */
    endpointState: z.object({
      /** When it last woke. */
      wokenAt: timestamp.nullable(),
      /** When it was last unlocked. */
      unlockedAt: timestamp.nullable(),
    }),
    /** The codes of the session. */
    mfa: z.object({
      /** Id of the API session. */
      apiSessionId: string,
      /** Whether a code was passed. */
      passedMfa: boolean,
      /** When a code was last passed. */
      passedAt: timestamp.nullable(),
      /** Whether a code was passed after the endpoint woke. */
      passedOnWake: boolean,
      /** Whether a code was passed after the endpoint was unlocked. */
      passedOnUnlock: boolean,
    }),
    /** What the client told of its software at the login. */
    sdkInfo,
  })
  .meta({ id: 'APISessionPostureData' });

/** What the endpoints of an identity told of themselves. What was never told is null. */
export const identityPostureData = z
  .object({
    /** The hardware addresses. */
    mac: z.object({
      ...told,
      /** MAC addresses in hex digits. */
      addresses: z.array(string).nullable(),
    }),
    /** The Windows domain. */
    domain: z.object({
      ...told,
      /** Name of the domain. */
      domain: string.nullable(),
    }),
    /** The operating system. */
    os: z.object({
      ...told,
      /** Name of the system. */
      type: string.nullable(),
      /** Its version. */
      version: string.nullable(),
      /** Its build. */
      build: string.nullable(),
    }),
    /** The programs. */
    processes: z.array(
      z.object({
        ...told,
        /** SHA-256 of the binary in hex. */
        binaryHash: string.optional(),
        /** Whether the program runs. */
        isRunning: boolean.optional(),
        /** SHA-1 of the certificates that signed the binary, in hex. */
        signerFingerprints: z.array(string).nullable(),
      }),
    ),
    apiSessionPostureData: z.record(string, ofSession).meta({ description: 'By the ids of the API sessions of the identity.' }),
  })
  .meta({ id: 'PostureData' });
