import type { RowOf } from '../../../api/kit/resource.ts';
import { terminator } from '../../../api/terminators.ts';
import { terminatorMessages } from '../../../control-channel/messages/terminators.ts';
import { isoTime } from '../../../platform/iso-time.ts';
import { pause } from '../../../platform/timers.ts';
import { tellRemoved } from '../knowledge/sessions.ts';
import { tunnelerRight } from '../rights/claim.ts';
import { isOfTunneler, type TrafficRight } from '../rights/right.ts';
import { rightFaults } from '../rights/standing.ts';
import type { ConnectedRouter } from '../routers/connected.ts';
import { forRouters } from '../routers/fabric.ts';
import { readPeerData } from './peer-data.ts';
import type { HostingPlace } from './place.ts';
import { hostedBy } from './suspended.ts';

const { validateTerminators, validateTerminatorsResponse } = terminatorMessages;

/** A router of the line 1.7 takes ten seconds. ms */
const TIME_TO_CREATE = 60_000;

/**
 * Has a router that has connected again host what it hosted before, as the store says: at once, not only when it has created its terminators anew. What has
 * lost its right meanwhile is removed. A router that was started anew hosts nothing yet.
 */
export const restore = async ({ fabric: { core }, rights, hosted, host, remove }: HostingPlace, router: ConnectedRouter): Promise<void> => {
  if (router.isAnew) return;
  const judgedAt = rights.time;
  const judged = await forRouters(core, (job) =>
    job.read(async (entities) => {
      const stored = await entities.list(terminator, { where: hostedBy(router.id) });
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
  const lost = judged.flatMap(({ one, stands }) => (stands ? [] : [one]));
  // What it has created anew meanwhile is as it says.
  for (const { one, stands } of judged) if (stands && !hosted.get(one.id)) host(router, one, judgedAt);
  if (lost.length === 0) return;
  const sessionIds = lost.flatMap(({ right }) => (isOfTunneler(right) ? [] : [right.sessionId]));
  if (sessionIds.length > 0) tellRemoved(router, sessionIds);
  const ids = lost.map(({ id }) => id).filter((id) => !hosted.get(id));
  await remove(router.id, ids);
};

/** What a stored terminator stands on; undefined where an earlier version has not kept it. */
const rightFor = ({ binding, hostedIn, hostId, serviceId, routerId }: RowOf<typeof terminator>): TrafficRight | undefined => {
  if (binding === 'tunnel') return tunnelerRight({ serviceId, type: 'Bind', routerId });
  return hostedIn ? { ...hostedIn, identityId: hostId ?? '', serviceId, type: 'Bind', routerId } : undefined;
};

/**
 * Asks a router that has connected which of its terminators it still has, and removes the others. Routers create their terminators anew after a new
 * connection, and stop doing so when they are asked about them: this waits until they had the time for it.
 */
export const validate = async ({ fabric: { core }, hosted, remove }: HostingPlace, { id, channel }: ConnectedRouter): Promise<void> => {
  await pause(core.platform.clock, TIME_TO_CREATE, channel.signal);
  if (channel.signal.aborted) return;
  const isUnconfirmed = (row: { readonly id: string }) => !hosted.get(row.id)?.isConfirmed;
  const stored = await forRouters(core, (job) => job.read((entities) => entities.list(terminator, { where: hostedBy(id) })));
  const rows = stored.filter(isUnconfirmed);
  if (rows.length === 0) return;
  const asked = rows.map((row) => ({ id: row.id, binding: row.binding, address: row.address }));
  const answer = await channel.request(validateTerminators, { terminators: asked, fixInvalid: true });
  const { states } = validateTerminatorsResponse.decode(answer.body);
  const gone = rows.filter((row) => states.get(row.id)?.valid === false && isUnconfirmed(row));
  if (gone.length > 0)
    await remove(
      id,
      gone.map((row) => row.id),
    );
};
