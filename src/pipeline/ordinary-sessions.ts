import type { Credentials } from '../call/call.ts';
import { boundedCache } from '../platform/bounded-cache.ts';

/** Characters of a token: too few to be one, and enough to tell it from others. */
const END = 10;
/** The ends of the tokens of the last ordinary sessions of this process. */
const ends = boundedCache<string, true>(10_000);

const endOf = (credentials: Credentials): string =>
  credentials.kind === 'token' ? (credentials.token ?? credentials.authorization ?? '').slice(-END) : '';

/** Remembers that credentials are those of an ordinary session. */
export const noteOrdinary = (credentials: Credentials): void => void ends.set(endOf(credentials), true);

/** Whether these credentials were those of an ordinary session when they last came. They may be no more: it says only in which order to wait. */
export const wasOrdinary = (credentials: Credentials): boolean => ends.has(endOf(credentials));
