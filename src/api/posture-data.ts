import * as z from 'zod';
import { readOnly } from './kit/field.ts';
import { reference } from './kit/relations.ts';
import { resource } from './kit/resource.ts';
import { flag, sdkInfo, text, timestamp } from './shared.ts';

const texts = z.array(text).readonly();
/** The id that the response named: by custom, that of the posture check that it answers. */
const answers = { postureCheckId: text };

/** What an endpoint told of one process. */
const processFact = z
  .object({ ...answers, path: text.nullable(), isRunning: flag, hash: text.nullable(), signerFingerprints: texts.nullable() })
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
    domain: readOnly(z.object({ ...answers, domain: text }).readonly(), { keep: 'hidden' }),
    os: readOnly(z.object({ ...answers, type: text, version: text, build: text.nullable() }).readonly(), { keep: 'hidden' }),
    /** The last answer for each id of a response. */
    processes: readOnly(z.array(processFact).readonly(), { keep: 'hidden' }),
    /** The last answer for each path, whatever the id. */
    paths: readOnly(z.array(processFact).readonly(), { keep: 'hidden' }),
    /** When each fact was told last, if only to repeat it: which is no change worth a revision. */
    toldAt: readOnly(z.record(text, timestamp).readonly(), { keep: 'hidden', volatile: true }),
  },
});

const told = { postureCheckId: text, lastUpdatedAt: timestamp.nullable(), timedOut: flag };

const ofSession = z
  .object({
    endpointState: z.object({ wokenAt: timestamp.nullable(), unlockedAt: timestamp.nullable() }),
    mfa: z.object({
      apiSessionId: text,
      passedMfa: flag,
      passedAt: timestamp.nullable(),
      passedOnWake: flag,
      passedOnUnlock: flag,
    }),
    sdkInfo,
  })
  .meta({ id: 'APISessionPostureData' });

/** Posture data as administrators see it. What was never told is null. */
export const identityPostureData = z
  .object({
    mac: z.object({ ...told, addresses: z.array(text).nullable() }),
    domain: z.object({ ...told, domain: text.nullable() }),
    os: z.object({ ...told, type: text.nullable(), version: text.nullable(), build: text.nullable() }),
    processes: z.array(
      z.object({ ...told, binaryHash: text.optional(), isRunning: flag.optional(), signerFingerprints: z.array(text).nullable() }),
    ),
    apiSessionPostureData: z.record(text, ofSession).meta({ description: 'By the ids of the API sessions of the identity.' }),
  })
  .meta({ id: 'PostureData' });
