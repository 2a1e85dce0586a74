import type { Core } from '../../call/core.ts';
import { newRow } from '../../call/resources/merge.ts';
import { controller } from '../../contract/api/controllers.ts';
import { surfaces } from '../../contract/api/surfaces/index.ts';
import { COMPATIBLE_RELEASES } from '../../contract/version.ts';
import { certificatesPem } from '../../crypto/pki/certificate.ts';
import { dateField, equals, stringField } from '../../query/index.ts';
import { DAY } from '../../runtime/platform/clock.ts';
import type { Job } from '../../store/jobs/background.ts';
import { APIS } from '../informational/api-paths.ts';

/** The name and addresses by which other controllers of the network, and clients, identify and reach this controller. */
export interface MemberOptions {
  /** Unique among the controllers of the network, and stable across restarts. */
  readonly name: string;
  /**
   * The address for routers, e.g. `tls:ctrl.example:6262`. Default: host and port of `settings.address`; `/controllers` then contains no
   * address.
   */
  readonly ctrlAddress?: string;
}

/** Time without a renewal after which a controller is considered offline. ms */
const ONLINE_MS = 60_000;
/** Interval at which a controller renews its membership. ms */
const RENEWAL_MS = 20_000;
/** Time after which an offline controller is removed when another one joins. ms */
const REMOVAL_MS = DAY;

/**
 * Adds the controller to those that `/controllers` lists, until it closes.
 * @returns a promise that resolves once it is listed
 * @throws TypeError for an empty name; errors of the store
 */
export const joinNetwork = async (core: Core, options: MemberOptions): Promise<void> => {
  if (options.name === '') throw new TypeError('the name of a controller may not be empty: member.name');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const membership = core.background.run({ actor: 'system', requestId: 'membership' }, async (job) => {
    await join(job, core, options);
    const renew = () => setOnlineUntil(job, options.name, timeFromNow(core, ONLINE_MS));
    job.every(RENEWAL_MS, () =>
      renew().catch((error) =>
        core.platform.logger.warn(
          'could not renew the membership of this controller; without a renewal, the others consider it offline after 60 seconds',
          { error: String(error) },
        ),
      ),
    );
    resolve();
    await new Promise<void>((close) => job.signal.addEventListener('abort', () => close()));
    await setOnlineUntil(job, options.name, timeFromNow(core, 0)).catch((error) =>
      core.platform.logger.warn('could not end the membership of this controller; the others consider it offline within 60 seconds', {
        error: String(error),
      }),
    );
  });
  membership.catch(reject);
  await promise;
};

/** The fields of this controller in `/controllers`. It is considered online for the next minute. */
export const describeController = async ({ pki, settings, platform, provider }: Core, ctrlAddress?: string) => {
  const { certificate } = await pki.networkKey();
  const now = platform.clock.now();
  return {
    ctrlAddress: ctrlAddress ?? null,
    apiLevel: COMPATIBLE_RELEASES[settings.compat],
    certPem: certificatesPem([certificate]),
    fingerprint: certificate.fingerprint,
    apiAddresses: Object.fromEntries(
      Object.entries(APIS)
        .filter(([, surface]) => provider !== undefined || surface !== surfaces.oidc)
        .map(([api, { prefix }]) => [api, [{ url: `${settings.address}${prefix}`, version: 'v1' }]]),
    ),
    lastJoinedAt: new Date(now).toISOString(),
    onlineUntil: new Date(now + ONLINE_MS).toISOString(),
  };
};

const join = async (job: Job, core: Core, { name, ctrlAddress }: MemberOptions): Promise<void> => {
  const described = await describeController(core, ctrlAddress);
  await job.write(async (entities) => {
    const removeBefore = new Date(Date.parse(described.lastJoinedAt) - REMOVAL_MS).toISOString();
    const where = { op: 'compare', field: dateField('onlineUntil'), is: '<', value: removeBefore } as const;
    for (const row of await entities.list(controller, { where })) if (row.name !== name) await entities.remove(controller, row);
    const existing = await entities.find(controller, equals(stringField('name'), name));
    if (existing) await entities.update(controller, existing, described);
    else await entities.insert(controller, newRow(controller, {}, { name, ...described }));
  });
};

/** Also works while the controller closes. Leaves no change record, because the field is volatile. */
const setOnlineUntil = (job: Job, name: string, onlineUntil: string): Promise<void> =>
  job.conclude(async (entities) => {
    const row = await entities.find(controller, equals(stringField('name'), name));
    if (row) await entities.update(controller, row, { onlineUntil });
  });

/** @param ms milliseconds to add */
const timeFromNow = ({ platform }: Core, ms: number): string => new Date(platform.clock.now() + ms).toISOString();
