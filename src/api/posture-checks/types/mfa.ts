import * as z from 'zod';
import { optional, variant } from '../../kit/index.ts';
import { boolean } from '../../shared.ts';

/** How many seconds a passed code counts. Values up to 0 mean no limit and are stored as -1. */
const timeoutSeconds = z.int().transform((seconds): number => (seconds <= 0 ? -1 : seconds));

const prompt = () => optional(boolean, { default: false, absent: true, filter: true });

/** The API session must have passed an MFA code. If the check says so, it must do so again after a timeout, or within five minutes after waking or unlocking. */
export const mfaVariant = variant('Mfa', {
  /** How many seconds a passed code counts; -1: no limit. */
  timeoutSeconds: optional(timeoutSeconds, { default: -1 }),
  /** True if a code is required after the endpoint wakes. */
  promptOnWake: prompt(),
  /** True if a code is required after the endpoint is unlocked. */
  promptOnUnlock: prompt(),
  /** True if the remaining time is withheld from older clients, which do not understand it. */
  ignoreLegacyEndpoints: optional(boolean, { default: false, absent: true }),
});
