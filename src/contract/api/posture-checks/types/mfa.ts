import * as z from 'zod';
import { optional, variant } from '../../kit/index.ts';
import { boolean } from '../../shared.ts';

/** Seconds for which a code remains valid. Zero and negative values mean no limit, and are stored as -1. */
const timeoutSeconds = z.int().transform((seconds): number => (seconds <= 0 ? -1 : seconds));

const prompt = () => optional(boolean, { default: false, absent: true, filter: true });

/**
 * The API session must have submitted a valid MFA code. The check may require another code after a timeout, or within five minutes after
 * the endpoint wakes up or is unlocked.
 */
export const mfaVariant = variant('Mfa', {
  /** Seconds for which a code remains valid; -1: no limit. */
  timeoutSeconds: optional(timeoutSeconds, { default: -1 }),
  /** True if a code is required after the endpoint wakes up. */
  promptOnWake: prompt(),
  /** True if a code is required after the endpoint is unlocked. */
  promptOnUnlock: prompt(),
  /** True if older clients, which do not support timeouts, are not sent the remaining time. */
  ignoreLegacyEndpoints: optional(boolean, { default: false, absent: true }),
});
