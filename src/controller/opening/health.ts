import { addressFault } from '../../call/advertised-address.ts';
import type { Core } from '../../call/core.ts';
import type { Health, HealthReason } from '../../contract/api/controllers.ts';
import { change, controller } from '../../contract/api/kinds.ts';
import type { Certificate } from '../../crypto/pki/certificate.ts';
import { endingSoon } from '../../operations/authority/follow-authority.ts';
import type { KeptAuthority } from '../../operations/authority/kept-authority.ts';
import { type BackupPlan, backupFault, lastBackup } from '../../operations/database/backups.ts';
import { equals, stringField } from '../../query/index.ts';
import { createSingleFlight } from '../../runtime/concurrency/single-flight.ts';
import { extentOf } from '../../store/changelog/log.ts';
import { endOfLog } from '../../store/changelog/queries.ts';
import type { WriteOutcome } from '../../store/entities/settled-store.ts';
import { StoreSchemaMismatch } from '../../store/storage/errors.ts';
import type { Row, SchemaDifference } from '../../store/storage/port.ts';
import type { Opening } from './options.ts';

/** Tolerated difference between the clocks of controllers. ms */
const MAX_CLOCK_SKEW_MS = 10_000;
/** The time before the expiry of a certificate at which a warning begins. ms */
const EXPIRY_WARNING_MS = 14 * 86_400_000;

/** @returns a function that checks the health; concurrent calls share one check. Never rejects. */
export const createHealth = (
  core: Core,
  { member, pki, backups, lastWrite }: Pick<Opening, 'member' | 'pki' | 'backups'> & { readonly lastWrite: Readonly<WriteOutcome> },
  authority?: KeptAuthority,
): (() => Promise<Health>) => {
  const check = async (): Promise<Health> => {
    const now = core.platform.clock.now();
    const [{ store, reasons }, certificates] = await Promise.all([
      checkStore(core, { member: member?.name, backups }, now),
      checkCertificates(core, pki.serverCertificate !== undefined, now),
    ]);
    const address = addressFault(core);
    const ending = authority ? await endingSoon(authority, now) : [];
    const all = [
      ...reasons,
      // A warning, because supervisors that withdraw the controller would withdraw the reads, too.
      ...(store === 'ready' && lastWrite.wasUnavailable ? [warning('database', NO_WRITES)] : []),
      ...certificates,
      ...ending.map((sentence) => warning('certificate', sentence)),
      ...(core.logShares.isUsedUp ? [warning('changeLog', SHARE)] : []),
      ...(address === undefined ? [] : [warning('address', address)]),
    ];
    return { isHealthy: all.every(({ severity }) => severity !== 'error'), store, reasons: all };
  };
  return createSingleFlight(check).run;
};

type Concern = HealthReason['concerns'];
const error = (concerns: Concern, message: string): HealthReason => ({ concerns, severity: 'error', message });
const warning = (concerns: Concern, message: string): HealthReason => ({ concerns, severity: 'warning', message });

const NO_WRITES =
  'the database answers, but the last write failed: until one succeeds, calls that write are answered with 503; the log says why';

const SHARE =
  'within the last hour, an identity without rights was refused, because it would have written more than a tenth of the change log: the audit shows which one';

/**
 * The health of a process that does not open its controller until the database has been migrated, for its `probes`.
 * @param pending the migrations that it waits for, e.g. `['6-router-zones']`
 */
export const awaitingMigrations = (pending: readonly string[]): Health => ({
  isHealthy: false,
  store: 'outdated',
  reasons: [
    error('migrations', `the database lacks ${listed(pending)}, which this release needs: the controller opens once they have run`),
  ],
});

const listed = (pending: readonly string[]): string => `the ${pending.length > 1 ? 'migrations' : 'migration'} ${pending.join(', ')}`;

const schemaOf = ({ pending, isAhead }: SchemaDifference): readonly HealthReason[] => [
  ...(pending.length > 0
    ? [warning('migrations', `the database lacks ${listed(pending)}: run what is pending once no process of an older release runs`)]
    : []),
  ...(isAhead
    ? [warning('migrations', 'a newer release has migrated the database: this process keeps working on it, and should be upgraded')]
    : []),
];

const checkStore = async (
  core: Core,
  { member, backups }: { readonly member: string | undefined; readonly backups: BackupPlan | undefined },
  now: number,
): Promise<Pick<Health, 'store' | 'reasons'>> => {
  const { store } = core;
  try {
    const difference = await store.check?.();
    const [last, membership, backup] = await store.transaction('read', async (tx) => [
      (await tx.list(change.kind, endOfLog('newest')))[0],
      member === undefined ? undefined : (await tx.list(controller.kind, { where: equals(stringField('name'), member), limit: 1 }))[0],
      backups && (await lastBackup(tx)),
    ]);
    const schema = difference ? schemaOf(difference) : [];
    const fault = backups && backupFault(backup, backups, core);
    return {
      store: 'ready',
      reasons: [
        ...schema,
        ...clockOf(last, now),
        ...logOf(last),
        ...(fault === undefined ? [] : [warning('backups', fault)]),
        ...(member === undefined ? [] : leaseOf(membership, now)),
      ],
    };
  } catch (failure) {
    if (failure instanceof StoreSchemaMismatch)
      return {
        store: 'superseded',
        reasons: [error('migrations', 'a newer release has migrated the database: this process cannot write until it is upgraded')],
      };
    return { store: 'away', reasons: [error('database', 'the database does not answer: the log says why')] };
  }
};

const clockOf = (last: Row | undefined, now: number): readonly HealthReason[] => {
  const behind = last ? Date.parse(last.createdAt) - now : 0;
  return behind <= MAX_CLOCK_SKEW_MS
    ? []
    : [
        warning(
          'clock',
          `the clock is ${Math.round(behind / 1000)} seconds behind the latest change in the database: this clock, or that of another controller, is wrong`,
        ),
      ];
};

/**
 * Warns while records of callers without rights, or of the controllers, would push younger ones of administrators out of the change log.
 */
const logOf = (last: Row | undefined): readonly HealthReason[] => {
  const { reserve } = extentOf(last) ?? {};
  if (!reserve) return [];
  const about = `the change log is full: ${reserve.count} records of administrators and refused attempts since ${reserve.since} are kept, and younger ones of others are dropped`;
  return [warning('changeLog', `${about}; raise changesKept and changeBytesKept, or look in the audit for who writes so much`)];
};

const leaseOf = (membership: Row | undefined, now: number): readonly HealthReason[] =>
  membership && Date.parse(String(membership.onlineUntil)) > now
    ? []
    : [warning('lease', 'the membership was not renewed in time: other controllers consider this one offline')];

/** The server certificate is checked only if the host supplies one: clients never connect to the controller's own certificate. */
const checkCertificates = async ({ pki }: Core, hasServer: boolean, now: number): Promise<readonly HealthReason[]> => {
  try {
    const { certificate } = await pki.signer();
    const signer = expiryOf('that signs certificates', certificate, now);
    return hasServer ? [...signer, ...expiryOf('of the server', (await pki.networkKey()).certificate, now)] : signer;
  } catch {
    return [error('certificate', 'the signing key or the server certificate cannot be loaded, or key and certificate do not match')];
  }
};

const expiryOf = (description: string, { notAfter }: Certificate, now: number): readonly HealthReason[] => {
  const at = new Date(notAfter).toISOString();
  if (notAfter <= now) return [error('certificate', `the certificate ${description} expired at ${at}`)];
  return notAfter - now > EXPIRY_WARNING_MS ? [] : [warning('certificate', `the certificate ${description} expires at ${at}`)];
};
