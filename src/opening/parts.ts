import { groups } from '../api/index.ts';
import { createActivity } from '../call/activity.ts';
import { routerAddress } from '../call/advertised-address.ts';
import type { Core } from '../call/core.ts';
import { createLogShares } from '../call/log-shares.ts';
import { createPasswordChecks } from '../call/password-checks.ts';
import { createSecurityEvents } from '../call/security-events.ts';
import { type ChangeListeners, createListeners } from '../changelog/listeners.ts';
import { createPublisher, type Publisher } from '../changelog/publisher.ts';
import { createLogWatch } from '../changelog/watch.ts';
import { createSemaphore, type Semaphore } from '../concurrency/semaphore.ts';
import { behaviours } from '../domain/behaviours.ts';
import { concerningKinds } from '../domain/catalogue/services/concerns.ts';
import { sharePresence } from '../domain/fabric/connections/share-presence.ts';
import { createNetworkJwt } from '../domain/maintenance/trust/handlers.ts';
import { endGrants } from '../domain/policy/expiry/end-grants.ts';
import { assertLost, assertTests, gatherReport } from '../domain/sessions/explain/what-if.ts';
import { createSessionHooks } from '../domain/sessions/sessions/reviews.ts';
import type { Entities, EntitiesContext } from '../entities/entities.ts';
import { createRecentChanges } from '../entities/recent.ts';
import { settledStore } from '../entities/settled-store.ts';
import { createRehearsal, createWriter } from '../entities/writer.ts';
import { createDocuments } from '../http/documents.ts';
import type { InBackground } from '../indexes/index-follower.ts';
import { createRoleIndexes, type RoleIndexes } from '../indexes/role-indexes.ts';
import { type Background, createBackground } from '../jobs/background.ts';
import type { Parts } from '../pipeline/parts.ts';
import { createPki } from '../pki/pki.ts';
import { addressRule } from '../platform/addresses.ts';
import { isoTime, MINUTE } from '../platform/clock.ts';
import { createRepeatedLog } from '../platform/repeated-log.ts';
import { createConnections } from '../presence/connections.ts';
import { createExpectedRouters } from '../presence/expected-routers.ts';
import { createTraffic } from '../presence/traffic.ts';
import { EarliestEnds } from '../read-cache/earliest-ends.ts';
import { IncompleteRows } from '../read-cache/incomplete-rows.ts';
import { createReadCache } from '../read-cache/read-cache.ts';
import type { Store } from '../storage/port.ts';
import { createTokenVerifier } from '../tokens/verifier.ts';
import { software } from '../version.ts';
import { createCompletion } from './completion.ts';
import { followAuthority } from './follow-authority.ts';
import { createGrantEnds, type GrantEnds } from './grant-ends.ts';
import { createHealth } from './health.ts';
import type { OpenedNetwork } from './network.ts';
import type { Opening } from './options.ts';
import { openProvider } from './signing-keys.ts';

/** The parts of a controller, assembled before it starts: those that calls use, and the publisher of changes. */
export interface ControllerParts extends Omit<Parts, 'permit' | 'hasHostCode' | 'hookedTransactions' | 'readTogether' | 'entries'> {
  readonly events: ChangeListeners;
  readonly publisher: Publisher;
  /** Limits concurrent writes. */
  readonly writes: Semaphore;
  readonly roleIndexes: RoleIndexes;
  readonly grantEnds: GrantEnds;
}

/** Maximum number of concurrent writes and enrollments; others wait in a queue. */
const WRITE_CONCURRENCY = 8;
/** Number of previews at a time. Each may have to keep all identities, services and policies in memory. */
const REHEARSAL_CONCURRENCY = 4;
const ENROLLMENT_CONCURRENCY = 2;

export const createParts = async (
  ownStore: Store,
  {
    platform,
    settings,
    isAddressSet,
    secrets,
    snapshots,
    member,
    pki: given,
    ctrlAddress: givenCtrlAddress,
    controllerId,
    provider,
  }: Opening,
  { pki: sources, authority, completeUpTo }: Omit<OpenedNetwork, 'firstAdministrator'>,
  common: Omit<EntitiesContext, 'actor' | 'requestId'>,
): Promise<ControllerParts> => {
  const { stamp } = common;
  const store = settledStore(ownStore, {
    settle: () => grantEnds.settle(),
    settledRows: (tx) => grantEnds.settledRows(tx),
    complete: () => completion.complete(),
    completedRows: (tx) => completion.completedRows(tx),
    completeWithin: (tx, work) => completion.completeWithin(tx, work),
  });
  const events = createListeners(platform.logger);
  const inBackground: InBackground = (work) => readInBackground(store, background, work);
  const roleIndexes = createRoleIndexes(inBackground, settings.roleIndexBytes, platform.logger);
  const earliest = new EarliestEnds();
  const incomplete = new IncompleteRows(completeUpTo);
  const readCache = createReadCache(settings.readCacheBytes, roleIndexes, { earliest, now: platform.clock.now }, incomplete);
  const publisher = await createPublisher(ownStore, events, platform.logger);
  const { aroundWrite, continueReviews } = createSessionHooks(platform);
  const reviewSessions = () => continueReviews(background);
  const writes = createSemaphore(WRITE_CONCURRENCY, settings.maxQueuedWrites);
  const rehearsals = createSemaphore(REHEARSAL_CONCURRENCY, settings.maxQueuedWrites);
  const hooks = { aroundWrite, afterCommit: reviewSessions };
  const write = createWriter(store, readCache, publisher, writes, hooks);
  const background = createBackground(store, platform.clock, write, common, readCache);
  const completion = createCompletion({ store: ownStore, platform, background: () => background, readCache, incomplete, earliest });
  const grantEnds = createGrantEnds({
    store: ownStore,
    platform,
    background: () => background,
    readCache,
    earliest,
    // Waits for no other writer, because these wait for it.
    writeEnds: createWriter(ownStore, { ...readCache, writing: readCache.ending }, publisher, createSemaphore(1), hooks),
    common,
    noticeMinutes: settings.expiryNoticeMinutes,
  });
  const followed = followAuthority({ background, platform }, authority);
  const generation = () => {
    // Routers that are connected need what others have changed, too. Does not wait.
    void followed();
    return sources.generation?.();
  };
  const pki = createPki({ ...sources, generation });
  const presence = createConnections(platform.clock, settings.unknownConnectionMinutes * MINUTE);
  const shared = sharePresence({ presence, background, platform });
  const startedAt = stamp();
  const ctrlAddress = routerAddress({ settings, isAddressSet }, member?.ctrlAddress ?? givenCtrlAddress);
  const core: Core = {
    store,
    platform,
    settings,
    isAddressSet,
    ctrlAddress,
    controllerId: member?.name ?? controllerId ?? adoptedId(authority, ctrlAddress) ?? ctrlAddress ?? software.name,
    stamp,
    startedAt,
    secrets,
    pki,
    networkJwt: createNetworkJwt(pki, { settings, isAddressSet }, platform.random),
    provider: provider && (await openProvider(store, { secrets, clock: platform.clock }, provider, common)),
    tokens: createTokenVerifier({ ...platform, permits: addressRule(settings.outboundAllow) }),
    tokenLog: createRepeatedLog(platform),
    passwordChecks: createPasswordChecks(platform, settings),
    enrollments: createSemaphore(ENROLLMENT_CONCURRENCY, settings.maxQueuedEnrollments),
    behaviours,
    documents: createDocuments(groups, settings),
    background,
    reviewSessions,
    snapshots,
    logShares: createLogShares(platform.clock, settings.changesKept),
    securityEvents: createSecurityEvents(background, write, common, platform),
    activity: createActivity(store, background, platform),
    presence,
    expectedRouters: createExpectedRouters(platform.clock, shared),
    catchUp: () => both(shared(), followed()),
    followLog: completion.follow,
    health: () => health(),
    traffic: createTraffic(),
    logWatch: createLogWatch(store, platform.clock, events),
    readCache,
    recentChanges: createRecentChanges(concerningKinds, startedAt),
  };
  const health = createHealth(core, { member, pki: given }, authority);
  const endDue = async (entities: Entities) => {
    while (await endGrants(entities, isoTime(platform.clock.now())));
  };
  const parts = {
    core,
    write,
    rehearse: createRehearsal(store, readCache, { rehearsals, writes }, hooks),
    aroundWrite,
    endGrants: endDue,
    inTransaction: common.inTransaction,
    whatIf: { gather: gatherReport, assertLost, assertTests },
    events,
    publisher,
    writes,
    roleIndexes,
  };
  return { ...parts, grantEnds };
};

/** Waits for both, if there is anything to wait for. */
const both = (a: Promise<void> | undefined, b: Promise<void> | undefined): Promise<void> | undefined =>
  a && b ? Promise.all([a, b]).then(() => undefined) : (a ?? b);

/** The id of the controller that the network was adopted from, for the one that has its address. */
const adoptedId = (authority: OpenedNetwork['authority'], address: string | undefined): string | undefined => {
  const former = authority?.stored().controller;
  return former?.address === address ? former?.id : undefined;
};

/** Reads for the controller itself, limited so that connections remain for its callers. */
const readInBackground = (store: Store, background: Background, work: Parameters<InBackground>[0]): ReturnType<InBackground> =>
  background.run(ORIGIN, ({ signal }) => store.transaction('read', (tx) => work(tx, signal), { signal, priority: () => 'ordinary' }));

const ORIGIN = { actor: 'system', requestId: 'role-index' };
