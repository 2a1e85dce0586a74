import * as z from 'zod';
import { optional, variant } from '../../kit/index.ts';
import { boolean } from '../../shared.ts';

/** Seconds that a passed code counts. 0 and less: without end, kept as -1. */
const timeoutSeconds = z.int().transform((seconds): number => (seconds <= 0 ? -1 : seconds));

const prompt = () => optional(boolean, { default: false, absent: true, filter: true });

/** The API session must have passed a code, and again after the timeout and five minutes after waking or unlocking, if the check says so. */
export const mfaVariant = variant('Mfa', {
  /** Seconds that a passed code counts; -1: without end. */
  timeoutSeconds: optional(timeoutSeconds, { default: -1 }),
  /** True if a code is owed after the endpoint woke. */
  promptOnWake: prompt(),
  /** True if a code is owed after the endpoint was unlocked. */
  promptOnUnlock: prompt(),
  /** Older clients do not understand the remaining time, and do not receive it. */
  ignoreLegacyEndpoints: optional(boolean, { default: false, absent: true }),
});
