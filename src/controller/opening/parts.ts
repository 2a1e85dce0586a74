import { endGrants } from '../../access/expiry/end-grants.ts';
import { concerningKinds } from '../../access/services/relevant-changes.ts';
import { createActivity } from '../../call/activity.ts';
import { routerAddress } from '../../call/advertised-address.ts';
import type { Core } from '../../call/core.ts';
import { createLogShares } from '../../call/log-shares.ts';
import { createPasswordChecks } from '../../call/password-checks.ts';
import type { CallServices } from '../../call/pipeline/call-services.ts';
import { createSecurityEvents } from '../../call/security-events.ts';
import { groups } from '../../contract/api/index.ts';
import { software } from '../../contract/version.ts';
import { createPki } from '../../crypto/pki/pki.ts';
import { createTokenVerifier } from '../../crypto/tokens/verifier.ts';
import { sharePresence } from '../../fabric/connections/share-presence.ts';
import { createDocuments } from '../../http/documents.ts';
import { assertLostWithin, assertTestsPass, gatherReport } from '../../identity/explain/what-if.ts';
import { createSessionHooks } from '../../identity/sessions/reviews.ts';
import { followAuthority } from '../../operations/authority/follow-authority.ts';
import { createNetworkJwt } from '../../operations/trust/handlers.ts';
import { createSemaphore, type Semaphore } from '../../runtime/concurrency/semaphore.ts';
import { createNetworkEvents } from '../../runtime/observability/network-events.ts';
import { addressRule } from '../../runtime/platform/addresses.ts';
import { isoTime, MINUTE } from '../../runtime/platform/clock.ts';
import { createRepeatedLog } from '../../runtime/platform/repeated-log.ts';
import { createConnections } from '../../runtime/presence/connections.ts';
import { createExpectedRouters } from '../../runtime/presence/expected-routers.ts';
import { createTraffic } from '../../runtime/presence/traffic.ts';
import { type ChangeListeners, createListeners } from '../../store/changelog/listeners.ts';
import { createPublisher, type Publisher } from '../../store/changelog/publisher.ts';
import { createLogWatch } from '../../store/changelog/watch.ts';
import type { Entities, EntitiesContext } from '../../store/entities/entities.ts';
import { createRecentChanges } from '../../store/entities/recent.ts';
import { type Settling, settledStore, type WriteOutcome } from '../../store/entities/settled-store.ts';
import { createRehearsal, createWriter } from '../../store/entities/writer.ts';
import type { InBackground } from '../../store/indexes/index-follower.ts';
import { createRoleIndexes, type RoleIndexes } from '../../store/indexes/role-indexes.ts';
import { type Background, createBackground } from '../../store/jobs/background.ts';
import { EarliestEnds } from '../../store/read-cache/earliest-ends.ts';
import { IncompleteRows } from '../../store/read-cache/incomplete-rows.ts';
import { createReadCache } from '../../store/read-cache/read-cache.ts';
import type { Store } from '../../store/storage/port.ts';
import { behaviours } from '../behaviours.ts';
import { createCompletion } from './completion.ts';
import { createFollowLog } from './follow-log.ts';
import { createGrantEnds, type GrantEnds } from './grant-ends.ts';
import { createHealth } from './health.ts';
import type { OpenedNetwork } from './network.ts';
import type { Opening } from './options.ts';
import { openProvider } from './signing-keys.ts';

/** The parts of a controller, assembled before it starts: those that calls use, and those for events, statistics and ended grants. */
export interface ControllerParts extends Omit<CallServices, 'permit' | 'hasHostCode' | 'hookedTransactions' | 'readTogether' | 'entries'> {
  readonly events: ChangeListeners;
  readonly publisher: Publisher;
  /** Limits concurrent writes. */
  readonly writes: Semaphore;
  readonly roleIndexes: RoleIndexes;
  readonly grantEnds: GrantEnds;
}

/** Maximum number of concurrent writes; others wait in a queue. */
const WRITE_CONCURRENCY = 8;
/** Maximum number of concurrent previews. Each may have to keep all identities, services and policies in memory. */
const REHEARSAL_CONCURRENCY = 4;
/** Maximum number of concurrent enrollments; others wait in a queue. */
const ENROLLMENT_CONCURRENCY = 2;
/** Maximum numbers of running and of waiting requests for the metadata of OpenID providers. */
const DISCOVERIES = { concurrency: 4, queued: 20 } as const;

export const createParts = async (
  ownStore: Store,
  {
    platform,
    settings,
    isAddressSet,
    secrets,
    snapshots,
    backups,
    member,
    pki: given,
    ctrlAddress: givenCtrlAddress,
    controllerId: givenId,
    provider,
    usageQuotas,
  }: Opening,
  { pki: sources, authority, completeUpTo }: Omit<OpenedNetwork, 'firstAdministrator'>,
  common: Omit<EntitiesContext, 'actor' | 'requestId'>,
): Promise<ControllerParts> => {
  const { stamp } = common;
  const lastWrite: WriteOutcome = { wasUnavailable: false };
  const settling: Settling = {
    settle: () => grantEnds.settle(),
    settledRows: (tx) => grantEnds.settledRows(tx),
    complete: () => completion.complete(),
    completedRows: (tx) => completion.completedRows(tx),
    completeWithin: (tx, work) => completion.completeWithin(tx, work),
  };
  const store = settledStore(ownStore, settling, lastWrite);
  const events = createListeners(platform.logger);
  const inBackground: InBackground = (work) => readInBackground(store, background, work);
  const roleIndexes = createRoleIndexes(inBackground, settings.roleIndexBytes, platform.logger);
  const earliest = new EarliestEnds();
  const incomplete = new IncompleteRows(completeUpTo);
  const readCache = createReadCache(settings.readCacheBytes, {
    indexes: roleIndexes,
    ends: { earliest, now: platform.clock.now },
    incomplete,
  });
  const publisher = await createPublisher(ownStore, events, platform.logger);
  const { aroundWrite, continueReviews } = createSessionHooks(platform);
  const reviewSessions = () => continueReviews(background);
  const writes = createSemaphore(WRITE_CONCURRENCY, settings.maxQueuedWrites);
  const rehearsals = createSemaphore(REHEARSAL_CONCURRENCY, settings.maxQueuedWrites);
  const hooks = { aroundWrite, afterCommit: reviewSessions };
  const write = createWriter({ store, cache: readCache, publisher, semaphore: writes, hooks });
  const background = createBackground({ store, clock: platform.clock, write, common, cache: readCache });
  const completion = createCompletion({ store: ownStore, platform, background: () => background, readCache, incomplete, earliest });
  const grantEnds = createGrantEnds({
    store: ownStore,
    platform,
    background: () => background,
    readCache,
    earliest,
    // Waits for no other writer, because these wait for it.
    writeEnds: createWriter({
      store: ownStore,
      cache: { ...readCache, writing: readCache.ending },
      publisher,
      semaphore: createSemaphore(1),
      hooks,
    }),
    common,
    noticeMinutes: settings.expiryNoticeMinutes,
  });
  const followed = followAuthority({ background, platform }, authority);
  const generation = () => {
    // Connected routers need what other controllers have changed in the authority, too. It is read without waiting.
    void followed();
    return sources.generation?.();
  };
  const pki = createPki({ ...sources, generation });
  const presence = createConnections(platform.clock, settings.unknownConnectionMinutes * MINUTE);
  const catchUp = sharePresence({ presence, background, platform }, followed);
  const startedAt = stamp();
  const ctrlAddress = routerAddress({ settings, isAddressSet }, member?.ctrlAddress ?? givenCtrlAddress);
  const controllerId = member?.name ?? givenId ?? adoptedId(authority, ctrlAddress) ?? ctrlAddress ?? software.name;
  const core: Core = {
    store,
    platform,
    settings,
    isAddressSet,
    ctrlAddress,
    controllerId,
    stamp,
    startedAt,
    secrets,
    pki,
    networkJwt: createNetworkJwt(pki, { settings, isAddressSet }, platform.random),
    provider: provider && (await openProvider(store, { secrets, clock: platform.clock }, provider, common)),
    tokens: createTokenVerifier({ ...platform, permits: addressRule(settings.outboundAllow) }),
    tokenLog: createRepeatedLog(platform),
    discoveries: createSemaphore(DISCOVERIES.concurrency, DISCOVERIES.queued),
    passwordChecks: createPasswordChecks(platform, settings),
    enrollments: createSemaphore(ENROLLMENT_CONCURRENCY, settings.maxQueuedEnrollments),
    behaviours,
    documents: createDocuments(groups, settings),
    background,
    reviewSessions,
    snapshots,
    usageQuotas,
    logShares: createLogShares(platform.clock, settings.changesKept),
    securityEvents: createSecurityEvents(background, write, common, platform),
    activity: createActivity(store, background, platform),
    presence,
    expectedRouters: createExpectedRouters(platform.clock, catchUp),
    catchUp,
    followLog: createFollowLog(platform.clock, background),
    health: () => health(),
    traffic: createTraffic(),
    networkEvents: createNetworkEvents(platform, controllerId),
    logWatch: createLogWatch(store, platform.clock, events),
    readCache,
    recentChanges: createRecentChanges(concerningKinds, startedAt),
  };
  const health = createHealth(core, { member, pki: given, backups, lastWrite }, authority);
  const endDue = async (entities: Entities) => {
    while (await endGrants(entities, isoTime(platform.clock.now())));
  };
  return {
    core,
    write,
    rehearse: createRehearsal(store, readCache, { rehearsals, writes }, hooks),
    aroundWrite,
    endGrants: endDue,
    inTransaction: common.inTransaction,
    whatIf: { gather: gatherReport, assertLostWithin, assertTestsPass },
    events,
    publisher,
    writes,
    roleIndexes,
    grantEnds,
  };
};

/** The id of the controller that the network was adopted from, if this controller has its address. */
const adoptedId = (authority: OpenedNetwork['authority'], address: string | undefined): string | undefined => {
  const former = authority?.stored().controller;
  return former?.address === address ? former?.id : undefined;
};

/** Reads for the controller itself, limited so that connections remain for its callers. */
const readInBackground = (store: Store, background: Background, work: Parameters<InBackground>[0]): ReturnType<InBackground> =>
  background.run(ORIGIN, ({ signal }) => store.transaction('read', (tx) => work(tx, signal), { signal, priority: () => 'ordinary' }));

const ORIGIN = { actor: 'system', requestId: 'role-index' };
