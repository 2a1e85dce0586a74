import * as z from 'zod';
import { readOnly, resource, string } from './kit/index.ts';

/** An attempt that was refused: only the change log has it. */
export const securityEvent = resource({
  kind: 'securityEvent',
  collection: 'security-events',
  names: ['SecurityEvent', 'SecurityEvents'],
  about: 'A security event is an attempt that was refused: a record of the change log without an entity.',
  logOnly: true,
  fields: {
    /** `denied`: a known caller without the right; `loginFailed`: a login; `codeFailed`: the code of a second factor; `lockedOut`: too many wrong passwords. */
    type: readOnly(z.enum(['denied', 'loginFailed', 'codeFailed', 'lockedOut']), { default: 'denied' }),
    /** Error code of the refusal. */
    code: readOnly(string, { default: '' }),
    /** Id of the identity that the caller is, or tried to be, if it is known. */
    identityId: readOnly(string.nullable()),
    /** Number of such attempts of the same caller before this one that were not recorded, because there were too many. */
    omitted: readOnly(z.int(), { default: 0 }),
  },
});

/** What the controller vouches for at some point of the log: only the change log has it. */
export const logCheckpoint = resource({
  kind: 'logCheckpoint',
  collection: 'log-checkpoints',
  names: ['LogCheckpoint', 'LogCheckpoints'],
  about: 'A log checkpoint is a record of the change log in which the controller has sealed the hash of the record before.',
  logOnly: true,
  fields: {
    /** Revision of the record before. */
    recordRevision: readOnly(z.int(), { default: 0 }),
    /** Hash of that record. */
    recordHash: readOnly(string, { default: '' }),
    /** Both, sealed under the secret key of the network, which the database does not have. */
    proof: readOnly(string, { default: '' }),
  },
});
