import type { Core } from '../call/core.ts';
import { schedule } from '../jobs/schedule.ts';
import { type CertificateEnd, certificateEnds } from '../pki/certificate-ends.ts';
import { DAY, isoTime, MINUTE, monotonic } from '../platform/clock.ts';
import { createRepeatedLog } from '../platform/repeated-log.ts';
import { certificatesInUse, type KeptAuthority } from './kept-authority.ts';

/** For how long a controller relies on what it has read. ms */
const RELOAD = 5 * MINUTE;
/** How long before its end a certificate of the authority is reported: clients need time to learn of another root. ms */
const NOTICE = 90 * DAY;

/** The server certificate is replaced automatically, 30 days before its end. ms */
const SERVER_NOTICE = 45 * DAY;

/**
 * Keeps the authority of an open controller up to date. A controller that nobody uses reads nothing.
 * @returns a function that carries out what is due, and takes up what others have changed, unless it did so within the last five minutes. It returns a promise
 * that resolves once this is done and never rejects; undefined if nothing is to be done
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
      // The store is unavailable, which calls will report, or the controller is closing. What was read before stays in use.
      log('warn', 'the authority of the network could not be read again', { error: String(error) });
    }
    reloading = undefined;
  };
  return () => (monotonic(platform.clock) - reloadedAt < RELOAD ? undefined : (reloading ??= reload()));
};

/** Logs each day which certificates of the authority end soon. */
export const logEndingSoon = ({ background, platform }: Pick<Core, 'background' | 'platform'>, authority: KeptAuthority): void => {
  schedule(background, platform, { name: 'authority-ends', every: DAY, by: 'each' }, async () => {
    for (const sentence of await endingSoon(authority, platform.clock.now())) platform.logger.warn(sentence);
  });
};

/** A sentence for each certificate of the authority that ends soon and does not renew itself, or has ended. */
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
