import type { RowOf } from '../../contract/api/kit/index.ts';
import { terminator } from '../../contract/api/terminators.ts';
import { and, oneOf, stringField } from '../../query/index.ts';
import { after, isoTime, pause } from '../../runtime/platform/clock.ts';
import type { PendingValidation } from '../../runtime/presence/traffic.ts';
import { type Authorization, denialsOf, isTunneler, tunnelerAuthorization } from '../authorization/authorization.ts';
import { terminatorMessages } from '../control-channel/messages/terminators.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { forRouters } from '../registry/fabric.ts';
import { sendSessionsRemoved } from '../sessions/sessions.ts';
import { type HostableTerminator, hostedBy, type TerminatorDependencies } from './hosted-terminators.ts';
import { readPeerData } from './peer-data.ts';

const { validateTerminators, validateTerminatorsResponse } = terminatorMessages;

/** Time that a router has to create its terminators again after connecting. Routers of the 1.7 line take ten seconds. ms */
const CREATION_TIME = 60_000;

/** Delay after which a new terminator that is still not hosted must have been created at another controller. ms */
const SETTLING_TIME = 250;

/**
 * Registers the stored terminators of a reconnected router as hosted, without waiting until the router creates them again, and removes
 * those that are no longer authorized. If the router is also connected to another controller, that controller removes them. A router that
 * has restarted, and is connected only here, is skipped, because it hosts nothing yet.
 */
export const restore = async (dependencies: TerminatorDependencies, router: ConnectedRouter): Promise<void> => {
  const { core } = dependencies.fabric;
  await core.catchUp();
  if (core.presence.remote.has(router.id)) return void (await hostStored(dependencies, router));
  if (router.isRestarted) return;
  const denied = await hostStored(dependencies, router);
  if (denied.length === 0) return;
  const sessionIds = denied.flatMap(({ authorization }) => (isTunneler(authorization) ? [] : [authorization.sessionId]));
  if (sessionIds.length > 0) sendSessionsRemoved(router, sessionIds);
  const ids = denied.map(({ id }) => id).filter((id) => !dependencies.hosted.get(id));
  await dependencies.hosted.remove(router.id, ids);
};

/**
 * Registers the stored terminators of a router as hosted, except for those that are not authorized.
 * @param ids default: all terminators of the router
 * @returns the terminators that are not authorized
 */
const hostStored = async (
  { fabric: { core }, authorizations, hosted }: TerminatorDependencies,
  router: ConnectedRouter,
  ids?: readonly string[],
): Promise<readonly HostableTerminator[]> => {
  const checkedAt = authorizations.generation;
  const ofRouter = hostedBy(router.id);
  const { stored, denials } = await forRouters(core, (job) =>
    job.read(async (entities) => {
      const rows = await entities.list(terminator, { where: ids ? and(ofRouter, oneOf(stringField('id'), ids)) : ofRouter });
      const stored = rows.flatMap((row) => {
        const authorization = authorizationOf(row);
        return authorization ? [{ id: row.id, authorization, peerData: readPeerData(row.peerData ?? {}), isConfirmed: false }] : [];
      });
      const all = stored.map(({ authorization }) => authorization);
      return { stored, denials: await denialsOf(entities, core, all, isoTime(core.platform.clock.now())) };
    }),
  );
  const isDenied = ({ authorization }: HostableTerminator) => denials.get(authorization) !== undefined;
  // Terminators that the router created during the read are newer, and are not replaced.
  for (const hostable of stored) if (!isDenied(hostable) && !hosted.get(hostable.id)) hosted.host(router, hostable, checkedAt);
  return stored.filter(isDenied);
};

/** The authorization that a stored terminator needs; undefined if an earlier release stored it without its session. */
const authorizationOf = ({ binding, hostedIn, hostId, serviceId, routerId }: RowOf<typeof terminator>): Authorization | undefined => {
  if (binding === 'tunnel') return tunnelerAuthorization({ serviceId, type: 'Bind', routerId });
  return hostedIn ? { ...hostedIn, identityId: hostId ?? '', serviceId, type: 'Bind', routerId } : undefined;
};

/**
 * Asks a router which of its unconfirmed terminators it still has, because it may have created them at another controller, and removes the
 * others. Waits until the router has had time to create its terminators again, because the question makes it stop creating them.
 */
export const validate = async (dependencies: TerminatorDependencies, router: ConnectedRouter): Promise<void> => {
  const { validations } = dependencies;
  const { id } = router;
  let pending: PendingValidation | undefined;
  const setPending = (terminators: readonly string[], askedAt?: number): void => {
    pending = { routerId: id, terminators, askedAt };
    validations.set(id, pending);
  };
  setPending([]);
  try {
    await validateUnconfirmed(dependencies, router, setPending);
  } finally {
    // It may have connected again.
    if (validations.get(id) === pending) validations.delete(id);
  }
};

/** @param onAsk called with the ids of the terminators that the router is asked about, and the time */
const validateUnconfirmed = async (
  dependencies: TerminatorDependencies,
  router: ConnectedRouter,
  onAsk: (terminators: readonly string[], askedAt: number) => void,
): Promise<void> => {
  const { fabric, hosted } = dependencies;
  const { core } = fabric;
  const { id, channel } = router;
  await pause(core.platform.clock, CREATION_TIME, channel.signal);
  if (channel.signal.aborted) return;
  const isUnconfirmed = (row: { readonly id: string }) => !hosted.get(row.id)?.isConfirmed;
  const stored = await forRouters(core, (job) => job.read((entities) => entities.list(terminator, { where: hostedBy(id) })));
  const rows = stored.filter(isUnconfirmed);
  if (rows.length === 0) return;
  const unconfirmed = rows.map((row) => ({ id: row.id, binding: row.binding, address: row.address }));
  onAsk(
    unconfirmed.map((each) => each.id),
    core.platform.clock.now(),
  );
  const answer = await channel.request(validateTerminators, { terminators: unconfirmed, fixInvalid: true });
  const { states } = validateTerminatorsResponse.decode(answer.body);
  const valid = rows.flatMap((row) => (states.get(row.id)?.valid && !hosted.get(row.id) ? [row.id] : []));
  if (valid.length > 0) await hostStored(dependencies, router, valid);
  const invalid = rows.flatMap((row) => (states.get(row.id)?.valid === false && isUnconfirmed(row) ? [row.id] : []));
  if (invalid.length > 0) await hosted.remove(id, invalid);
};

/** Watches the change log for terminators that connected routers create at other controllers, and registers them as hosted here. */
export const hostFromOtherControllers = (dependencies: TerminatorDependencies): void => {
  const { fabric, hosted } = dependencies;
  const { core, events, connected } = fabric;
  const { clock, logger } = core.platform;
  const idsByRouter = new Map<string, string[]>();
  const hostPending = async (routerId: string) => {
    const ids = (idsByRouter.get(routerId) ?? []).filter((id) => !hosted.get(id));
    idsByRouter.delete(routerId);
    const router = connected.get(routerId);
    if (router && ids.length > 0) await hostStored(dependencies, router, ids);
  };
  events.on('terminator', ({ action, entityId, after: row }) => {
    if (action !== 'create' || !row || hosted.get(entityId) || !connected.get(row.routerId)) return;
    const { routerId } = row;
    const pending = idsByRouter.get(routerId);
    if (pending) return void pending.push(entityId);
    idsByRouter.set(routerId, [entityId]);
    after(clock, SETTLING_TIME, () => {
      hostPending(routerId).catch((error: unknown) =>
        logger.warn('could not read terminators that a router hosts through another controller; they cannot be dialed from here', {
          routerId,
          error,
        }),
      );
    });
  });
};
