import * as z from 'zod';
import { readOnly, resource, string } from './kit/index.ts';

/** A refused attempt, which exists only in the change log. */
export const securityEvent = resource({
  kind: 'securityEvent',
  collection: 'security-events',
  names: ['SecurityEvent', 'SecurityEvents'],
  about: 'A security event is a refused attempt, such as a failed login: a record of the change log without an entity.',
  logOnly: true,
  fields: {
    /**
     * `denied`: a known caller lacked the right; `loginFailed`: a login failed; `codeFailed`: the code of a second factor was wrong;
     * `lockedOut`: there were too many wrong passwords.
     */
    type: readOnly(z.enum(['denied', 'loginFailed', 'codeFailed', 'lockedOut']), { default: 'denied' }),
    /** Error code of the refusal. */
    code: readOnly(string, { default: '' }),
    /** Id of the identity of the caller, or of the login attempt; null if unknown. */
    identityId: readOnly(string.nullable()),
    /** Number of earlier attempts of this kind by the same caller that were not recorded, because there were too many. */
    omitted: readOnly(z.int(), { default: 0 }),
  },
});

/** A repair at a router, which exists only in the change log. */
export const routerRepair = resource({
  kind: 'routerRepair',
  collection: 'router-repairs',
  names: ['RouterRepair', 'RouterRepairs'],
  about:
    'A router repair is a request that has a router give up what differs from the state of the controller: a record of the change log without an entity.',
  logOnly: true,
  fields: {
    /** Id of the router. */
    routerId: readOnly(string, { default: '' }),
    /** `terminators`: it closes invalid ones, which are then deleted; `dataModel`: it takes the data model of the controller. */
    subject: readOnly(z.enum(['terminators', 'dataModel']), { default: 'dataModel' }),
    /** Ids of the terminators that it was asked about. */
    terminators: readOnly(z.array(string), { default: [] }),
  },
});

/** A checkpoint of the hash chain, which exists only in the change log. */
export const logCheckpoint = resource({
  kind: 'logCheckpoint',
  collection: 'log-checkpoints',
  names: ['LogCheckpoint', 'LogCheckpoints'],
  about: 'A log checkpoint is a record of the change log that contains the encrypted hash of the previous record.',
  logOnly: true,
  fields: {
    /** Revision of the previous record. */
    recordRevision: readOnly(z.int(), { default: 0 }),
    /** Hash of that record. */
    recordHash: readOnly(string, { default: '' }),
    /** Revision and hash, encrypted with the secret key of the network, which is not in the database. */
    proof: readOnly(string, { default: '' }),
  },
});
