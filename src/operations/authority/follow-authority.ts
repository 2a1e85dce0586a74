import type { Core } from '../../call/core.ts';
import { type CertificateEnd, certificateEnds } from '../../crypto/pki/certificate-ends.ts';
import { DAY, isoTime, MINUTE, monotonic } from '../../runtime/platform/clock.ts';
import { createRepeatedLog } from '../../runtime/platform/repeated-log.ts';
import { schedule } from '../../store/jobs/schedule.ts';
import { certificatesInUse, type KeptAuthority } from './kept-authority.ts';

/** Time for which a controller uses the authority that it has read. ms */
const RELOAD = 5 * MINUTE;
/** Time before its expiry at which a certificate of the authority is reported, because clients must first receive another root. ms */
const NOTICE = 90 * DAY;

/** Like `NOTICE`, for a server certificate. One that the signer issued is replaced automatically, 30 days before its expiry. ms */
const SERVER_NOTICE = 45 * DAY;

/**
 * Keeps the authority of an open controller up to date. An idle controller does not read it.
 * @returns a function that applies due changes, and changes of other controllers, unless it did so within the last five minutes. It returns
 * a promise that resolves when this is done and never rejects, or undefined if there is nothing to do
 */
export const followAuthority = (
  { background, platform }: Pick<Core, 'background' | 'platform'>,
  authority: KeptAuthority | undefined,
): (() => Promise<void> | undefined) => {
  if (!authority) return () => undefined;
  let reloadedAt = monotonic(platform.clock);
  let reloading: Promise<void> | undefined;
  const log = createRepeatedLog(platform);
  const reload = async (): Promise<void> => {
    const at = monotonic(platform.clock);
    try {
      await background.run({ actor: 'system', requestId: 'authority' }, () => authority.reload());
      reloadedAt = at;
    } catch (error) {
      // The store is unavailable, which calls will report, or the controller is closing. The previously read authority remains in use.
      log('warn', 'the authority of the network could not be read again', { error: String(error) });
    }
    reloading = undefined;
  };
  return () => (monotonic(platform.clock) - reloadedAt < RELOAD ? undefined : (reloading ??= reload()));
};

/** Schedules a daily log of the certificates of the authority that expire soon. */
export const logEndingSoon = ({ background, platform }: Pick<Core, 'background' | 'platform'>, authority: KeptAuthority): void => {
  schedule(background, platform, { name: 'authority-ends', every: DAY, by: 'each' }, async () => {
    for (const sentence of await endingSoon(authority, platform.clock.now())) platform.logger.warn(sentence);
  });
};

/** A sentence for each certificate of the authority that has expired, or expires soon and is not renewed automatically. */
export const endingSoon = async (authority: KeptAuthority, now: number): Promise<readonly string[]> => {
  const ends = await certificateEnds(certificatesInUse(authority.stored()));
  return ends
    .filter(({ role, endsAt }) => endsAt.getTime() - now <= (role === 'server' ? SERVER_NOTICE : NOTICE))
    .map((end) => sentenceOf(end, now));
};

const sentenceOf = ({ role, subject, endsAt }: CertificateEnd, now: number): string => {
  const verb = endsAt.getTime() <= now ? 'ended' : 'ends';
  return `the ${NAMES[role]} ${subject} ${verb} at ${isoTime(endsAt.getTime())}: ${REMEDIES[role]}`;
};

const NAMES: Readonly<Record<CertificateEnd['role'], string>> = {
  signer: 'signer',
  intermediate: 'intermediate authority',
  root: 'root',
  server: 'adopted server certificate',
  alternative: 'further server certificate',
};

const ROTATE = 'rotate the authority well before, so that clients and routers learn of the new root with their next certificate';
const REMEDIES: Readonly<Record<CertificateEnd['role'], string>> = {
  signer: ROTATE,
  intermediate: ROTATE,
  root: ROTATE,
  server: 'the signer issues another one for the same names and key before',
  alternative: 'clients that ask for its names refuse the server from then on',
};
