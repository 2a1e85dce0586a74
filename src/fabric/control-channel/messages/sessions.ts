import { field, message } from '../codec/index.ts';
import { fromRouters, tableMessage } from './message-type.ts';

const apiSession = message({ token: field.text(1), certFingerprints: field.texts(2), id: field.text(3), identityId: field.text(4) });

/** Existing or new API sessions. */
const apiSessionAdded = tableMessage(20200, 'ApiSessionAdded', { isFullState: field.bool(1), apiSessions: field.list(2, apiSession) });

/** API sessions whose certificates have changed. */
const apiSessionUpdated = tableMessage(20201, 'ApiSessionUpdated', { apiSessions: field.list(1, apiSession) });

/** API sessions that have ended. */
const apiSessionRemoved = tableMessage(20202, 'ApiSessionRemoved', { tokens: field.texts(1), ids: field.texts(2) });

/** Sessions that have ended; both lists hold their ids. */
const sessionRemoved = tableMessage(20102, 'SessionRemoved', { tokens: field.texts(1), ids: field.texts(2) });

/** API sessions that are in use. */
const apiSessionHeartbeat = fromRouters(
  { bytes: 2_097_152, elements: 16_384, cost: 1 },
  tableMessage(20203, 'ApiSessionHeartbeat', { tokens: field.texts(1) }),
);

/** Asks which of these sessions, given by id, have ended. Answered with `sessionRemoved` if any have. */
const validateSessions = fromRouters(
  { bytes: 2_097_152, elements: 16_384, cost: 1 },
  tableMessage(20213, 'ValidateSessionsRequest', { sessionTokens: field.texts(1) }),
);

/** Requests all API sessions again. */
const requestResync = fromRouters(
  { bytes: 4096, elements: 16, cost: 5 },
  tableMessage(20204, 'RequestClientReSync', { reason: field.text(1) }),
);

/** Messages about API sessions and sessions. */
export const sessionMessages = {
  apiSessionAdded,
  apiSessionUpdated,
  apiSessionRemoved,
  sessionRemoved,
  apiSessionHeartbeat,
  validateSessions,
  requestResync,
} as const;
