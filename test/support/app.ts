import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { KindName } from '../../src/contract/api/index.ts';
import { isChangedKind } from '../../src/contract/changes/events.ts';
import { ManagementController } from '../../src/controller/controller.ts';
import type { ControllerOptions } from '../../src/controller/opening/options.ts';
import type { CoreAnswer, CoreRequest } from '../../src/http/message.ts';
import type { UnreadAnswers } from '../../src/http/unread-answers.ts';
import type { Platform } from '../../src/runtime/platform/platform.ts';
import { fastPasswordHasher } from '../../src/runtime/platform/testing.ts';
import { webPlatform } from '../../src/runtime/platform/web.ts';
import { type Entities, entitiesOf } from '../../src/store/entities/entities.ts';
import type { Row, StorageAdapter, Store, Transaction, TransactionMode } from '../../src/store/storage/port.ts';
import { beginning } from './beginnings.ts';
import { frozenClock, type TestClock } from './clock.ts';
import { assertDeclaredRefusal } from './declared-refusals.ts';
import { SHARED_PKI } from './pki.ts';
import { newStorage, stores } from './stores.ts';

export const PASSWORD = 'Passw0rd!Passw0rd!';
export const SECRET_KEY = 'dGhlIHNlY3JldCBrZXkgb2YgZXZlcnkgdGVzdC4gLi4';
export const ADMIN = { username: 'admin', password: 'the-admin-password' } as const;
const M = '/edge/management/v1';

/** An answer with its JSON read. `any` would hide nothing here: tests look into answers of every shape. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export interface RequestOptions {
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Session token; `null` for none. Default: the administrator's. */
  readonly as?: string | null;
  /** DER of what the client presents in the TLS handshake, leaf first. */
  readonly certificates?: readonly Uint8Array[];
  /** Aborted when the client goes away. */
  readonly signal?: AbortSignal;
  /** Of the client. Default `127.0.0.1`. */
  readonly address?: string;
  /** The answers of the host that its clients have not read yet. Default: those that the controller counts. */
  readonly unread?: UnreadAnswers;
}

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly options: RequestOptions;
  readonly answer: Answer;
}

export type OpenOptions = Partial<Omit<ControllerOptions, 'platform'>> & {
  /** Instead of the clock that stands still, the quick hasher and the log that is kept. */
  readonly platform?: Partial<Platform>;
};

/** A controller with a clock that stands still, and requests as they come over HTTP, without a socket. */
export interface App extends AsyncDisposable {
  readonly controller: ManagementController;
  readonly clock: TestClock;
  /** Session token of the default administrator. */
  readonly admin: string;
  /** A path below the management API, or from the root when it begins with `/edge/`, `/fabric/` or `/oidc/`. */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** Creates over HTTP and returns the id. */
  create(collection: string, body: unknown): Promise<string>;
  /** An identity with a password; `login()` gives a session token. */
  user(
    fields?: Readonly<Record<string, unknown>>,
  ): Promise<{ id: string; username: string; authenticatorId: string; login(password?: string): Promise<string> }>;
  login(username: string, password: string): Promise<Answer>;
  /** The rows of a kind as the store holds them, by id. */
  rows(kind: KindName): Promise<readonly Row[]>;
  /** How many rows of a kind the store holds. */
  count(kind: KindName): Promise<number>;
  /** Entities beneath the operations: for what no operation does. */
  inStore<T>(mode: TransactionMode, work: (entities: Entities) => Promise<T>): Promise<T>;
  /** Writes over fields of a stored row, past every check: for states that no operation leads to. */
  alter(kind: KindName, id: string, fields: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * Writes to the store without the controller, so that nothing checks it. A revision without a change record makes controllers read all
   * anew.
   */
  tamper<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Empties what the controller remembers of the store, and waits until it has looked at all rows again. */
  forget(): Promise<void>;
  /** The change records that some work leaves, in order: `create identity`, `delete apiSession`, ... */
  trail(work: () => Promise<unknown>): Promise<readonly string[]>;
  /** The snapshots that were taken, by name. */
  readonly snapshots: ReadonlyMap<string, string>;
  /** Every line that the controller logged. */
  readonly log: readonly string[];
  /** Every request that was answered so far. */
  readonly transcript: readonly Exchange[];
  /** Resolves when no transaction runs any more: what follows an answer is over then. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export const openApp = async (store: string, options: OpenOptions = {}): Promise<App> => {
  const clock = frozenClock();
  const log: string[] = [];
  const note = (...line: unknown[]) =>
    void log.push(JSON.stringify(line, (_, value) => (value instanceof Error ? `${value.stack}` : value)));
  const error = (...line: unknown[]) => {
    note(...line);
    console.error(...line);
  };
  const platform = webPlatform({ clock, passwords: fastPasswordHasher(), logger: { error, warn: note, info: note }, ...options.platform });
  const { storage, storeOf, settled } = watched(options.storage ?? newStorage(store));
  const snapshots = new Map<string, string>();
  const controller = await beginning(() =>
    ManagementController.open({
      administrator: ADMIN,
      secretKey: SECRET_KEY,
      snapshots: { save: async (name, parts) => void snapshots.set(name, await wholeOf(parts)) },
      ...SHARED_PKI,
      oidc: true,
      ...options,
      // Calls wait for as long as they must where the machine is busy: their time limit is by the system's clock.
      settings: { address: 'https://127.0.0.1:1280', requestTimeoutMs: 120_000, ...options.settings },
      platform,
      storage,
    }),
  );
  const transcript: Exchange[] = [];

  const request: App['request'] = async (method, path, options = {}) => {
    const { body, raw, headers = {}, as, certificates, signal, address = '127.0.0.1', unread } = options;
    const token = as === undefined ? app.admin : as;
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const all: Record<string, string> = {
      ...(token ? { 'zt-session': token } : {}),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const message: CoreRequest = {
      method,
      target: /^\/(edge|fabric|oidc)(\/|$)/.test(path) ? path : `${M}${path}`,
      header: (name) => all[name],
      body: async () => (typeof payload === 'string' ? new TextEncoder().encode(payload) : (payload ?? new Uint8Array())),
      remoteAddress: address,
      ...(signal ? { signal } : {}),
      ...(unread ? { unread } : {}),
      ...(certificates ? { peerCertificates: certificates } : {}),
    };
    const answer = await answerOf(await beginning(() => controller.handle(message)));
    transcript.push({ method, path, options, answer });
    assertDeclaredRefusal(method, message.target, answer);
    return answer;
  };
  let serial = 0;
  const app: { -readonly [K in keyof App]: App[K] } = {
    controller,
    clock,
    admin: '',
    request,
    create: async (collection, body) => {
      const { status, body: answer, text } = await request('POST', collection, { body });
      assert.equal(status, 201, `POST ${collection}: ${text}`);
      return answer.data.id;
    },
    user: async (fields = {}) => {
      const username = `user-${++serial}`;
      const id = await app.create('/identities', { name: username, type: 'User', isAdmin: false, ...fields });
      const authenticatorId = await app.create('/authenticators', { identityId: id, method: 'updb', username, password: PASSWORD });
      return { id, username, authenticatorId, login: async (password = PASSWORD) => (await app.login(username, password)).body.data.token };
    },
    login: (username, password) => request('POST', '/authenticate?method=password', { as: null, body: { username, password } }),
    rows: (kind) => storeOf().transaction('read', (tx) => tx.list(kind, { where: { op: 'all' } })),
    count: (kind) => storeOf().transaction('read', (tx) => tx.count(kind, { op: 'all' })),
    inStore: (mode, work) => {
      const stamp = () => new Date(clock.now()).toISOString();
      const context = {
        actor: 'test',
        requestId: 'test',
        random: platform.random,
        stamp,
        changesKept: 100_000,
        changeBytesKept: Number.MAX_SAFE_INTEGER,
      };
      return storeOf().transaction(mode, (tx) => work(entitiesOf(tx, context)));
    },
    alter: (kind, id, fields) =>
      storeOf().transaction('write', async (tx) => {
        const row = await tx.get(kind, id);
        assert.ok(row, `no ${kind} ${id}`);
        await tx.update(kind, { ...row, ...fields }, row.version);
        if (isChangedKind(kind)) await tx.nextRevision();
      }),
    tamper: (work) =>
      storeOf().transaction('write', async (tx) => {
        const result = await work(tx);
        await tx.nextRevision();
        return result;
      }),
    forget: async () => {
      await app.tamper(async () => undefined);
      // The next call without a session, but for one a second, finds the gap in the log.
      clock.advance('2s');
      await app.request('GET', '/version');
      await settled();
    },
    trail: async (work) => {
      const before = await app.count('change');
      await work();
      const records = (await app.rows('change')).slice(before);
      // That an attempt was refused is recorded, too, but changes nothing.
      return records.filter(({ entity }) => entity !== 'securityEvent').map(({ action, entity }) => `${action} ${entity}`);
    },
    snapshots,
    log,
    transcript,
    settled,
    close: () => controller.close(),
    [Symbol.asyncDispose]: () => controller.close(),
  };
  // So that the first runs of its jobs write nothing at a random moment of the test. One that hangs is not waited for.
  const patience = new AbortController();
  await Promise.race([settled(), setTimeout(2000, undefined, { signal: patience.signal }).catch(() => undefined)]);
  patience.abort();
  const { username, password } = controller.firstAdministrator ?? ADMIN;
  // None in a network whose administrator was tampered with.
  app.admin = (await app.login(username, password)).body.data?.token ?? '';
  return app;
};

const wholeOf = async (parts: AsyncIterable<string>): Promise<string> => {
  let whole = '';
  for await (const part of parts) whole += part;
  return whole;
};

/** Turns of the event loop without a transaction after which none follows: a job takes one or two between its transactions. */
const QUIET_TURNS = 3;

/** The adapter, the store that it gave to the controller, for looking at what is stored, and the end of what runs in it. */
const watched = (adapter: StorageAdapter): { storage: StorageAdapter; storeOf(): Store; settled(): Promise<void> } => {
  let store: Store | undefined;
  const running = new Set<Promise<unknown>>();
  const watch = (opened: Store): Store => {
    const transaction = opened.transaction.bind(opened);
    opened.transaction = (...args) => {
      const result = transaction(...args);
      const over: Promise<unknown> = result.catch(() => undefined).finally(() => running.delete(over));
      running.add(over);
      return result;
    };
    return opened;
  };
  const storage: StorageAdapter = { ...adapter, open: async (schema) => (store = watch(await adapter.open(schema))) };
  return {
    storage,
    storeOf: () => {
      if (!store) throw new TypeError('the store is not open yet');
      return store;
    },
    settled: async () => {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
        if (running.size > 0) quiet = 0;
        await Promise.all(running);
        await new Promise(setImmediate);
      }
    },
  };
};

/** Of a stream of events the first part, after which the client goes away. */
const beginningOf = async (parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  for await (const part of parts) return part;
  return new Uint8Array();
};

const allOf = async (parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
};

const answerOf = async ({ status, headers, body }: CoreAnswer): Promise<Answer> => {
  const read = String(headers['content-type']).includes('json') ? allOf : beginningOf;
  const whole = typeof body === 'string' || body instanceof Uint8Array ? body : await read(body);
  const text = typeof whole === 'string' ? whole : new TextDecoder().decode(whole);
  const joined = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
  return { status, headers: joined, text, body: /[/+]json/.test(joined['content-type'] ?? '') ? JSON.parse(text) : undefined };
};

/** Runs a suite once on every store, with a new app for each test that asks for one. */
export const onEveryStore = (name: string, suite: (open: (options?: OpenOptions) => Promise<App>, store: string) => void): void => {
  for (const store of stores) describe(`${name} (${store})`, () => suite((options) => openApp(store, options), store));
};
