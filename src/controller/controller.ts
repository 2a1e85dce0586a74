import type { Entry } from '../call/entry.ts';
import { pastOf } from '../call/past.ts';
import { createInvoke } from '../call/pipeline/invoke.ts';
import { observeCalls } from '../call/pipeline/observe-calls.ts';
import { createPermit } from '../call/pipeline/permit.ts';
import { createSharedReads } from '../call/pipeline/shared-reads.ts';
import type { Settings } from '../call/settings.ts';
import { createStoreErrors } from '../call/store-errors.ts';
import { answersPast } from '../contract/api/kit/past.ts';
import { allSurfaces, isProviderSurface, type SurfaceName } from '../contract/api/surfaces/index.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import { checkedOptions } from '../contract/options.ts';
import type { Api, PastApi } from '../contract/types/api.ts';
import type { Health } from '../contract/types/controllers.ts';
import { createPresence } from '../fabric/connections/create-presence.ts';
import type { Presence } from '../fabric/connections/presence.ts';
import { createHandler, type Handle } from '../http/handler.ts';
import { type Resealed, type ResealOptions, reseal } from '../operations/restore/reseal.ts';
import type { NetworkEventListeners } from '../runtime/observability/network-events.ts';
import type { Logger } from '../runtime/platform/platform.ts';
import type { ChangeListeners } from '../store/changelog/listeners.ts';
import { HookedTransactions } from '../store/entities/hooked-transactions.ts';
import { createStamps } from '../store/entities/stamps.ts';
import { type Consume, createConsume } from '../store/jobs/consumers.ts';
import type { Store } from '../store/storage/port.ts';
import { storageSchema } from '../store/storage/schema.ts';
import { registerInternals } from './controller-inside.ts';
import { type CallerCredentials, createApi } from './create-api.ts';
import { entries } from './entries.ts';
import { hostDocument, type OpenApiOptions } from './host-document.ts';
import type { FirstAdministrator } from './opening/bootstrap.ts';
import { openNetwork } from './opening/network.ts';
import { type ControllerOptions, type Opening, openingOf } from './opening/options.ts';
import { createParts } from './opening/parts.ts';
import { createStatistics, type Statistics, type StatisticsOptions } from './opening/statistics.ts';
import { beginWork } from './opening/work.ts';

/** Credentials to send with every call of a session, in addition to its token. */
export interface AsOptions {
  /** A token of an external JWT signer, for sessions that require one in every call. */
  readonly externalToken?: string;
  /**
   * The certificates that the client presented in its TLS handshake, in DER, leaf first. Access tokens bound to a certificate are rejected
   * without it (RFC 8705, section 3), as are operations that extend a certificate. Default: none.
   */
  readonly peerCertificates?: readonly Uint8Array[];
  /** Address of the client, for API tokens that are limited to some addresses. Default: none, from which they are rejected. */
  readonly remoteAddress?: string;
}

/** The management plane of an overlay network, in process. */
export interface ManagementController {
  /** The operations with unrestricted rights, for the code of the host: `controller.api.<group>.<verb>(input)`. */
  readonly api: Api;
  /** The same object as `api`, for code that states explicitly whose rights it uses: `as`, `asIdentity` or `system`. */
  readonly system: Api;
  /** The operations with the rights of a session, given the token of an API session or an access token of the OpenID provider. */
  as(session: string | { readonly token: string | null }, options?: AsOptions): Api;
  /**
   * The operations with the rights of an identity, without a session, for hosts that authenticate users by other means. Each call has the
   * rights that the identity has at that time. Second factors are not required, since the host vouches for the user. Operations on a
   * session reject with `UNAUTHORIZED`, as do all calls while the identity is disabled.
   * @param id the id of the identity. If it is unknown, each call rejects with `NOT_FOUND`
   */
  asIdentity(id: string): Api;
  /**
   * The operations that read, as of an earlier state: at a revision, or at a time. The rights are those of the host. A call with the option
   * `actor` is subject to the host's rule `authorize`, which is also asked about `changes.list`: an earlier state shows what only the
   * change log still has. Connections of routers, reported posture facts and other hidden fields are not recorded, and missing in earlier
   * states.
   *
   * ```ts
   * const lastWeek = controller.at(new Date('2026-11-17'));
   * await lastWeek.access.explain({ identityId, serviceId, type: 'Dial' });
   * ```
   * Keep the result for several calls: it remembers the changes since then. Calls reject with ApiError `CURSOR_EXPIRED` if the change log
   * does not reach back so far (settings `changesKept`, `changeBytesKept`), and `COULD_NOT_VALIDATE` if the state is not in the past.
   * @throws TypeError if `when` is neither a revision nor a valid date
   */
  at(when: number | Date): PastApi;
  /** Answers an HTTP request. Called by HTTP adapters. */
  readonly handle: Handle;
  /**
   * The controller restricted to some API surfaces, to mount them separately: `nodeHandler(controller.only(surfaces.client))` serves
   * devices without exposing the management API. Paths without the prefix of a surface belong to the client API.
   * @param selection surfaces, or their names
   */
  only(...selection: readonly (Surface | SurfaceName)[]): Pick<ManagementController, 'handle' | 'logger'>;
  /**
   * The OpenAPI 3.1 document of the mounted operations, to serve it or to merge it into the document of the host.
   *
   * ```ts
   * app.get('/openapi.json', (_, response) => response.json(controller.openapi({ groups: ['identities'], surface: 'management' })));
   * ```
   * @returns a new JSON object
   * @throws TypeError for an unknown group, surface or option
   */
  openapi(options?: OpenApiOptions): object;
  /** The logger of the platform. */
  readonly logger: Logger;
  /**
   * For hosts that manage the connections of routers themselves: admits routers, and receives their reports. Other controllers on the store
   * see both.
   */
  readonly presence: Presence;
  /**
   * Consumers of the change log, which process all committed changes of the network, whoever made them. `api.changes` lists and follows
   * changes.
   */
  readonly changes: Changes;
  /** Emits committed changes in order: `change` for all of them, `identity`, `apiSession`, ... for those of one kind. */
  readonly events: Omit<ChangeListeners, 'emit'>;
  /**
   * Events of the network: circuits, links, usage, logins and more, of the kinds and with the fields of the reference controller. They are
   * those that this controller observes, and are not stored.
   */
  readonly networkEvents: NetworkEventListeners;
  /**
   * Emits events for changes not committed by this controller, but in a transaction of the host or by another controller on the same store.
   */
  publish(): Promise<void>;
  /** Credentials of the first administrator, if this call of `open` created it. They are not stored anywhere else. */
  readonly firstAdministrator: FirstAdministrator | undefined;
  readonly settings: Settings;
  /**
   * Builds the role indexes, which otherwise happens in the background after the first queries, while these take longer. The controller
   * answers calls meanwhile. Never rejects.
   * @param report called from time to time with the number of rows that are indexed
   */
  warmUp(report?: (rows: number) => void): Promise<void>;
  /** The health of the controller with the reasons for it, for supervisors and load balancers. Never rejects. */
  health(): Promise<Health>;
  /**
   * The numbers of entities and the state of queues, for gauges. Entities are counted at most once every five seconds.
   * @throws StoreUnavailable, StoreBusy if the database does not respond
   */
  statistics(options?: StatisticsOptions): Promise<Statistics>;
  /**
   * Replaces the secret key of the network permanently: reseals everything in the store under the given key. Default: the first key with
   * which the controller was opened. Before the call, open all controllers of the network with both keys, the new one first, because a
   * controller without the new key cannot read values sealed under it. Afterwards, open them with the new key only. The controller answers
   * calls during a reseal. After an interruption, open the controller with both keys and call `reseal` again.
   *
   * ```ts
   * const controller = await ManagementController.open({ storage, secretKey: [newKey, oldKey], settings });
   * await controller.reseal();
   * ```
   * @throws TypeError for an invalid key, or if something cannot be unsealed with the given keys; StoreUnavailable, StoreBusy if the
   * database does not respond, in which case the values resealed so far remain so
   */
  reseal(options?: ResealOptions): Promise<Resealed>;
  /** Stops background work, and closes the store. Close servers first, so that requests in progress are answered. */
  close(): Promise<void>;
}

/** The change log, for the code of the host. */
export interface Changes {
  readonly consume: Consume;
}

const open = async (options: ControllerOptions): Promise<ManagementController> => {
  const opening = await openingOf(options);
  const store = await opening.storage.open(storageSchema);
  try {
    return await start(store, opening);
  } catch (error) {
    await store.close();
    throw error;
  }
};

const start = async (store: Store, opening: Opening): Promise<ManagementController> => {
  const { platform, settings, observer, authorize, hooks } = opening;
  const { changesKept, changeBytesKept, changesKeptForDays } = settings;
  const keys = opening.secrets;
  const common = { random: platform.random, stamp: createStamps(platform.clock), changesKept, changeBytesKept, changesKeptForDays, keys };
  const found = await openNetwork(store, opening, common);
  const { authority, firstAdministrator } = found;
  const hookedTransactions = new HookedTransactions();
  const inTransaction = hooks.inTransaction && hookedTransactions.wrap(hooks.inTransaction.bind(hooks));
  const parts = await createParts(store, opening, found, { ...common, inTransaction });
  const { core, events, publisher } = parts;
  await beginWork(parts, opening, authority);
  const storeErrors = createStoreErrors(platform);
  if (hooks.quotaExceeded) core.networkEvents.on('quota', hooks.quotaExceeded.bind(hooks));
  if (hooks.afterCommit) events.on('change', hooks.afterCommit.bind(hooks));
  const permit = createPermit(authorize, platform.logger);
  const before = hooks.before?.bind(hooks);
  // Such code may be slow and use the store itself, so that no transaction of a call is open while it runs.
  const hasHostCode = authorize !== undefined || before !== undefined;
  const invoke = createInvoke(
    { ...parts, permit, hasHostCode, hookedTransactions, readTogether: createSharedReads(core), entries: byName(entries) },
    storeErrors,
    before,
  );
  const apiOf = (caller: CallerCredentials) => createApi(entries, observeCalls(invoke, observer), platform.random, caller);
  const api = apiOf({ credentials: { kind: 'system' } });
  const offered = core.provider ? entries : entries.filter(({ operation }) => !operation.surfaces.some(isProviderSurface));
  const pastEntries = entries.filter(({ operation }) => answersPast(operation));
  const serving = { entries: offered, invoke, settings, platform, observer };
  const controller: ManagementController = {
    api,
    system: api,
    changes: { consume: createConsume(core) },
    as: (session, options = {}) => {
      const known = { externalToken: true, peerCertificates: true, remoteAddress: true } as const;
      const { externalToken, peerCertificates, remoteAddress } = checkedOptions('as', options, known);
      if (peerCertificates && !(Array.isArray(peerCertificates) && peerCertificates.every((each) => each instanceof Uint8Array)))
        throw new TypeError('as takes as peerCertificates a list of certificates in DER, each a Uint8Array');
      const token = (typeof session === 'string' ? session : session.token) ?? '';
      const external = externalToken === undefined ? [] : [`Bearer ${externalToken}`];
      // Passes the token as a client would send it: an access token of the provider as a bearer token, the token of an API session on its
      // own.
      const isBearer = core.provider !== undefined && token.split('.').length === 3;
      const authorization = [...(isBearer ? [`Bearer ${token}`] : []), ...external].join(', ');
      const credentials = { kind: 'token', ...(isBearer ? {} : { token }), ...(authorization === '' ? {} : { authorization }) } as const;
      return apiOf({ credentials, ...(peerCertificates && { peerCertificates }), ...(remoteAddress !== undefined && { remoteAddress }) });
    },
    asIdentity: (id) => apiOf({ credentials: { kind: 'identity', id: String(id) } }),
    at: (when) =>
      createApi(pastEntries, observeCalls(invoke, observer), platform.random, {
        credentials: { kind: 'system' },
        past: pastOf(core, when),
      }),
    handle: createHandler(serving),
    only: (...selection) => ({
      handle: createHandler({ ...serving, surfaces: selection.map((surface) => surfaceOf('controller.only', surface)) }),
      logger: platform.logger,
    }),
    openapi: ({ surface, ...options } = {}) =>
      hostDocument(offered, settings, { ...options, surface: surface && surfaceOf('openapi', surface) }),
    logger: platform.logger,
    presence: createPresence(core, storeErrors),
    events,
    networkEvents: { on: core.networkEvents.on, off: core.networkEvents.off },
    publish: async () => {
      core.reviewSessions();
      await publisher.catchUp();
    },
    firstAdministrator,
    settings,
    warmUp: (report = () => undefined) => parts.roleIndexes.warmUp(report),
    health: core.health,
    statistics: createStatistics(core, parts),
    reseal: async (options = {}) => {
      const checked = checkedOptions('reseal', options, { secretKey: true });
      const attribution = { actor: 'system', requestId: 'reseal' };
      return core.background.run(attribution, ({ signal }) => reseal(store, keys, { ...common, ...attribution }, signal, checked));
    },
    close: async () => {
      core.presence.close();
      core.expectedRouters.close();
      core.tokens.close();
      core.logWatch.close();
      await core.background.close();
      await store.close();
    },
  };
  registerInternals(controller, parts);
  return controller;
};

const byName = (all: readonly Entry[]): ReadonlyMap<string, Entry> => new Map(all.map((entry) => [`${entry.group}.${entry.verb}`, entry]));

/** @throws TypeError for an unknown name of a surface */
const surfaceOf = (caller: string, given: Surface | SurfaceName): Surface => {
  if (typeof given !== 'string') return given;
  const found = allSurfaces.find((surface) => surface.name === given);
  if (!found) throw new TypeError(`${caller} takes the surfaces ${allSurfaces.map((surface) => surface.name).join(', ')}, got '${given}'`);
  return found;
};

/** Opens controllers. */
export const ManagementController = {
  /**
   * Opens a controller on a store.
   *
   * ```ts
   * const controller = await ManagementController.open({ storage: memoryStorage(), settings: { address: 'https://overlay.example.com' } });
   * const { id } = await controller.api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
   * ```
   * @throws StoreSchemaMismatch if the schema of the database is that of an incompatible release; StoreBusy if another process blocked the
   * database for too long, e.g. during a migration; StoreUnavailable if it cannot be reached; TypeError for an unknown option, and for
   * invalid settings, credentials or secret keys
   */
  open,
} as const;
