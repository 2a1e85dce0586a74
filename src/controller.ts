import { EventEmitter } from 'eventemitter3';
import { groups } from './api/index.ts';
import type { InputOf, OutputOf } from './api/kit/operation.ts';
import type { Credentials } from './call/call.ts';
import type { Core } from './call/core.ts';
import { createGate } from './call/gate.ts';
import { createPasswordChecks } from './call/password-checks.ts';
import { defaultSettings, type Settings } from './call/settings.ts';
import { entitiesOf } from './changes/entities.ts';
import type { ChangeEvents } from './changes/events.ts';
import { createPublisher } from './changes/publisher.ts';
import { createStamps } from './changes/stamps.ts';
import { type AdministratorOptions, type FirstAdministrator, prepareBootstrap } from './domain/bootstrap.ts';
import { entries } from './domain/entries.ts';
import { createDocuments } from './http/documents.ts';
import { createHandler, type Handle } from './http/handler.ts';
import { createInvoke } from './pipeline/invoke.ts';
import type { Platform } from './platform/platform.ts';
import { webPlatform } from './platform/web.ts';
import { newId } from './storage/ids.ts';
import type { StorageAdapter } from './storage/port.ts';
import { storageSchema } from './storage/schema.ts';
import { software } from './version.ts';

type Groups = typeof groups;
type Verbs<G> = G extends { readonly operations: infer O } ? O : never;
type Call<I, O> = Partial<I> extends I ? (input?: I, options?: CallOptions) => Promise<O> : (input: I, options?: CallOptions) => Promise<O>;

/** Every operation as a function: `facade.<group>.<verb>(input)`. */
export type Facade = {
  readonly [G in keyof Groups]: {
    readonly [V in keyof Verbs<Groups[G]>]: Call<InputOf<Verbs<Groups[G]>[V]>, OutputOf<Verbs<Groups[G]>[V]>>;
  };
};

export interface CallOptions {
  /** The host's own open transaction on the same database, in the form that the storage adapter takes. The host commits it, and then calls `publish()`. */
  readonly transaction?: unknown;
  /** Once aborted, nothing is committed any more. */
  readonly signal?: AbortSignal;
}

export interface ControllerOptions {
  readonly storage: StorageAdapter;
  /** The first administrator of a new network; without effect where there is one. */
  readonly administrator?: AdministratorOptions;
  /** Clock, randomness, password hashing, logging. Default: those of the web standards. */
  readonly platform?: Platform;
  readonly settings?: Partial<Settings>;
}

/** The management plane of an overlay network, in process. Its own operations run as the host's own code, with every right. */
export interface ManagementController extends Facade {
  readonly system: Facade;
  /** The operations as the owner of a session may call them. */
  as(session: string | { readonly token: string | null }): Facade;
  /** Answers an HTTP request; what HTTP adapters call. */
  readonly handle: Handle;
  /** Committed changes, in order: `change` for all, `identity`, `apiSession`, ... for those of a kind. */
  readonly events: Pick<EventEmitter<ChangeEvents>, 'on' | 'once' | 'off'>;
  /** Publishes changes that were committed otherwise than by this controller: in a host's transaction, or by another controller on the same store. */
  publish(): Promise<void>;
  /** Credentials of the first administrator, if this call of `open` made it. They are kept nowhere else. */
  readonly firstAdministrator: FirstAdministrator | undefined;
  readonly settings: Settings;
  close(): Promise<void>;
}

/**
 * Opens a controller on a store.
 *
 * ```ts
 * const controller = await ManagementController.open({ storage: memoryStorage() });
 * const { id } = await controller.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
 * ```
 * @throws StoreSchemaMismatch, StoreUnavailable from the storage adapter; TypeError for settings or credentials out of bounds
 */
const open = async ({
  storage,
  administrator = {},
  platform = webPlatform(),
  settings: given = {},
}: ControllerOptions): Promise<ManagementController> => {
  const settings = checked({ ...defaultSettings, ...given });
  const store = await storage.open(storageSchema);
  const stamp = createStamps(platform.clock);
  const bootstrap = await prepareBootstrap(platform, administrator);
  const context = { actor: 'system', requestId: 'open', random: platform.random, stamp };
  const made = await store.transaction('write', (tx) => bootstrap.seed(entitiesOf(tx, context)));

  const events = new EventEmitter<ChangeEvents>();
  const core: Core = {
    store,
    platform,
    settings,
    events,
    passwordChecks: createPasswordChecks(platform.passwords, settings),
    documents: createDocuments(groups, settings),
    stamp,
    startedAt: stamp(),
  };
  const publisher = await createPublisher(store, events, platform.logger);
  const invoke = createInvoke({ core, publisher, writes: createGate(4, settings.maxQueuedWrites) });

  const facade = (credentials: Credentials): Facade => {
    const built: Record<string, Record<string, unknown>> = {};
    for (const entry of entries) {
      const call = async (input: unknown = {}, { transaction, signal }: CallOptions = {}) => {
        const source = {
          requestId: newId(platform.random),
          api: 'management',
          credentials,
          input: () => input,
          ...(signal ? { signal } : {}),
          ...(transaction === undefined ? {} : { hostTransaction: transaction }),
        } as const;
        return (await invoke(entry, source)).output;
      };
      (built[entry.group] ??= {})[entry.verb] = call;
    }
    return built as Facade; // one function for each entry of the table, under its names
  };
  const system = facade({ kind: 'system' });
  return {
    ...system,
    system,
    as: (session) => facade({ kind: 'token', token: (typeof session === 'string' ? session : session.token) ?? '' }),
    handle: createHandler({ entries, invoke, settings, platform, version: software.version }),
    events,
    publish: () => publisher.catchUp(),
    firstAdministrator: made ? bootstrap.administrator : undefined,
    settings,
    close: () => store.close(),
  };
};

export const ManagementController = { open } as const;

/** @throws TypeError that names the setting, its value and its bounds */
const checked = (settings: Settings): Settings => {
  for (const [name, value] of Object.entries(settings)) {
    if (typeof value === 'number' && !(value >= 1)) throw new TypeError(`setting ${name} must be 1 or more, got ${value}`);
  }
  if (!/^https?:\/\/[^/]+$/.test(settings.address))
    throw new TypeError(`setting address must be like https://host:port without a path, got '${settings.address}'`);
  return settings;
};
