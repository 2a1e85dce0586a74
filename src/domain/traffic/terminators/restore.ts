import type { RowOf } from '../../../api/kit/resource.ts';
import { terminator } from '../../../api/terminators.ts';
import { terminatorMessages } from '../../../control-channel/messages/terminators.ts';
import { isoTime } from '../../../platform/iso-time.ts';
import { pause } from '../../../platform/timers.ts';
import { and, oneOf, stringField } from '../../../query/index.ts';
import { rightFaults } from '../authorization/authorization.ts';
import { tunnelerRight } from '../authorization/authorize.ts';
import { isOfTunneler, type TrafficRight } from '../authorization/right.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { forRouters } from '../routers/fabric.ts';
import { tellRemoved } from '../sessions/sessions.ts';
import type { HostingPlace } from './hosted-terminators.ts';
import { readPeerData } from './peer-data.ts';
import { hostedBy } from './suspended.ts';

const { validateTerminators, validateTerminatorsResponse } = terminatorMessages;

/** A router of the line 1.7 takes ten seconds. ms */
const TIME_TO_CREATE = 60_000;

/**
 * Has a router that has connected again host what it hosted before, as the store says: at once, not only when it has created its terminators anew. What has
 * lost its right meanwhile is removed. A router that was started anew hosts nothing yet, unless another controller knows it already: that one removes what is
 * lost, and has it back when the right comes back.
 */
export const restore = async (place: HostingPlace, router: ConnectedRouter): Promise<void> => {
  const { core } = place.fabric;
  await core.catchUpPresence();
  if (core.presence.elsewhere.has(router.id)) return void (await hostStanding(place, router));
  if (router.isAnew) return;
  const lost = await hostStanding(place, router);
  if (lost.length === 0) return;
  const sessionIds = lost.flatMap(({ right }) => (isOfTunneler(right) ? [] : [right.sessionId]));
  if (sessionIds.length > 0) tellRemoved(router, sessionIds);
  const ids = lost.map(({ id }) => id).filter((id) => !place.hosted.get(id));
  await place.remove(router.id, ids);
};

/**
 * Has a router host what the store says that it hosts, as far as it may.
 * @param ids of terminators; default: all that it hosts
 * @returns those without a right
 */
export const hostStanding = async (
  { fabric: { core }, rights, hosted, host }: HostingPlace,
  router: ConnectedRouter,
  ids?: readonly string[],
) => {
  const judgedAt = rights.time;
  const of = hostedBy(router.id);
  const judged = await forRouters(core, (job) =>
    job.read(async (entities) => {
      const stored = await entities.list(terminator, { where: ids ? and(of, oneOf(stringField('id'), ids)) : of });
      const all = stored.flatMap((row) => {
        const right = rightFor(row);
        return right ? [{ id: row.id, right, peerData: readPeerData(row.peerData ?? {}), isConfirmed: false }] : [];
      });
      const now = isoTime(core.platform.clock.now());
      const faults = await rightFaults(
        entities,
        core,
        all.map(({ right }) => right),
        now,
      );
      return all.map((one) => ({ one, stands: faults.get(one.right) === undefined }));
    }),
  );
  // What it has created anew meanwhile is as it says.
  for (const { one, stands } of judged) if (stands && !hosted.get(one.id)) host(router, one, judgedAt);
  return judged.flatMap(({ one, stands }) => (stands ? [] : [one]));
};

/** What a stored terminator stands on; undefined where an earlier version has not kept it. */
const rightFor = ({ binding, hostedIn, hostId, serviceId, routerId }: RowOf<typeof terminator>): TrafficRight | undefined => {
  if (binding === 'tunnel') return tunnelerRight({ serviceId, type: 'Bind', routerId });
  return hostedIn ? { ...hostedIn, identityId: hostId ?? '', serviceId, type: 'Bind', routerId } : undefined;
};

/**
 * Asks a router that has connected which of its terminators it still has, of which it may have told another controller, and removes the others. Routers
 * create their terminators anew after a new connection, and stop doing so when they are asked about them: this waits until they had the time for it.
 */
export const validate = async (place: HostingPlace, router: ConnectedRouter): Promise<void> => {
  const { core } = place.fabric;
  const { hosted, remove } = place;
  const { id, channel } = router;
  await pause(core.platform.clock, TIME_TO_CREATE, channel.signal);
  if (channel.signal.aborted) return;
  const isUnconfirmed = (row: { readonly id: string }) => !hosted.get(row.id)?.isConfirmed;
  const stored = await forRouters(core, (job) => job.read((entities) => entities.list(terminator, { where: hostedBy(id) })));
  const rows = stored.filter(isUnconfirmed);
  if (rows.length === 0) return;
  const asked = rows.map((row) => ({ id: row.id, binding: row.binding, address: row.address }));
  const answer = await channel.request(validateTerminators, { terminators: asked, fixInvalid: true });
  const { states } = validateTerminatorsResponse.decode(answer.body);
  const there = rows.flatMap((row) => (states.get(row.id)?.valid && !hosted.get(row.id) ? [row.id] : []));
  if (there.length > 0) await hostStanding(place, router, there);
  const gone = rows.filter((row) => states.get(row.id)?.valid === false && isUnconfirmed(row));
  if (gone.length > 0)
    await remove(
      id,
      gone.map((row) => row.id),
    );
};
