import type { Core } from '../../call/core.ts';
import type { Change } from '../../contract/changes/events.ts';
import { isoTime } from '../../runtime/platform/clock.ts';
import type { ModelPosition } from '../../runtime/presence/traffic.ts';
import { newId } from '../../store/storage/ids.ts';
import { type DataEvent, dataModelMessages } from '../control-channel/messages/data-model.ts';
import { joined } from '../control-channel/primitives.ts';
import { forRouters } from '../registry/fabric.ts';
import { DataModel } from './model.ts';

const { dataState, changeSet } = dataModelMessages;

/** A change that the model needs is missing. The model has to be read again. */
export class MissedChange extends Error {
  override readonly name = 'MissedChange';
}

/** An encoded change set. */
export interface ModelChangeSet {
  /** Revision of the state after it. */
  readonly index: number;
  /** True for changes outside the change log: such a set shares the index of the one before, and routers keep that index. */
  readonly isSynthetic: boolean;
  readonly body: Uint8Array;
}

/** Maximum number of change sets that are kept for routers that disconnect briefly. */
const MAX_KEPT = 1000;
/** Maximum total size of the kept change sets, in bytes. */
const MAX_BYTES = 4_194_304;

/** The messages for a router that knows nothing: a full state, and the change sets since. */
export interface ModelSnapshot {
  /** The body of the message with the full state. */
  readonly state: Uint8Array;
  readonly since: readonly ModelChangeSet[];
}

/** Maximum number of change sets that follow a full state, and their size as a share of it. With more, it is encoded again. */
const MAX_SINCE = 200;
const MAX_SHARE_SINCE = 1 / 4;

/** A data model that follows the change log, and its recent change sets. Not safe for concurrent use. */
export class ModelTimeline {
  /** Distinguishes this sequence of indexes from others. */
  readonly timelineId: string;
  readonly #core: Core;
  readonly #model: DataModel;
  readonly #sets: ModelChangeSet[] = [];
  #bytes = 0;
  /** Number of change sets that are not kept any more. */
  #dropped = 0;
  /** The lowest index from which all change sets are kept. */
  #oldest: number;
  /** The revision up to which changes are applied. */
  #index: number;
  /**
   * The index that routers have: of the last change set that is not synthetic, or of the first state. Revisions that do not concern routers
   * do not count.
   */
  #published: number;
  #keys: ModelKeys;
  /** Time of the state. ISO text */
  #at: string;
  /** The latest full state, with the number of change sets before it. It serves many routers, because to encode it takes long. */
  #encoded: { readonly state: Uint8Array; readonly sets: number } | undefined;

  /** Where routers are that have all changes. */
  get position(): ModelPosition {
    return { timeline: this.timelineId, index: this.#published };
  }

  private constructor(core: Core, model: DataModel, index: number, keys: ModelKeys) {
    this.#core = core;
    this.#model = model;
    this.#index = index;
    this.#published = index;
    this.#oldest = index;
    this.#keys = keys;
    this.#at = isoTime(core.platform.clock.now());
    this.timelineId = newId(core.platform.random);
  }

  /** Reads the model. All changes that are committed after the call must be passed to `apply`. */
  static async open(core: Core): Promise<ModelTimeline> {
    const { model, index } = await forRouters(core, ({ read, signal }) => read((entities) => DataModel.load(entities, signal)));
    return new ModelTimeline(core, model, index, await currentKeys(core));
  }

  /**
   * Applies a change.
   * @returns the change set for routers, if it concerns them
   * @throws MissedChange
   */
  async apply(change: Change): Promise<ModelChangeSet | undefined> {
    if (change.revision <= this.#index) return undefined;
    if (change.revision > this.#index + 1) throw new MissedChange(`revision ${this.#index + 1} is missing`);
    const changes: Uint8Array[] = [];
    for await (const events of this.#model.apply(change, this.#at))
      if (events.length > 0) changes.push(changeSet.encode({ changes: events }));
    this.#index = change.revision;
    return this.#add(changes, false);
  }

  /** Applies changes that are not in the change log: to keys, and to identities that were disabled until some time. */
  async refresh(): Promise<ModelChangeSet | undefined> {
    const [keys, now] = [await currentKeys(this.#core), isoTime(this.#core.platform.clock.now())];
    const events = [...keyChanges(this.#keys, keys), ...this.#model.enabledSince(this.#at, now)];
    this.#keys = keys;
    this.#at = now;
    return this.#add(events.length === 0 ? [] : [changeSet.encode({ changes: events })], true);
  }

  /** The change sets that a router lacks after the index that it has; undefined if it needs the full state. */
  since(timelineId: string, from: bigint): readonly ModelChangeSet[] | undefined {
    const index = Number(from);
    if (timelineId !== this.timelineId || index < this.#oldest) return undefined;
    return this.#sets.filter((set) => set.index > index || (set.isSynthetic && set.index === index));
  }

  /** The messages for a router that knows nothing: the same bytes for all routers, until too much has changed. */
  async snapshot(): Promise<ModelSnapshot> {
    const encoded = this.#encoded;
    const since = encoded ? this.#after(encoded) : [];
    const bytes = since.reduce((sum, { body }) => sum + body.length, 0);
    if (!encoded || since.length > MAX_SINCE || bytes > encoded.state.length * MAX_SHARE_SINCE)
      return { state: await this.state(), since: [] };
    return { state: encoded.state, since };
  }

  /** The events that create the present state, in batches. */
  async *events(): AsyncGenerator<readonly DataEvent[], void> {
    yield* this.#model.all(this.#at);
    yield keyChanges(new Map(), this.#keys);
  }

  /** The body of the message with the full state. */
  async state(): Promise<Uint8Array> {
    if (this.#encoded && this.#after(this.#encoded).length === 0) return this.#encoded.state;
    // Concatenated encodings of parts of a message are an encoding of the message.
    const parts: Uint8Array[] = [];
    for await (const events of this.events()) if (events.length > 0) parts.push(dataState.encode({ events }));
    parts.push(dataState.encode({ endIndex: BigInt(this.#published), timelineId: this.timelineId }));
    const state = joined(parts);
    this.#encoded = { state, sets: this.#dropped + this.#sets.length };
    return state;
  }

  /** The change sets after this full state. */
  #after({ sets }: { readonly sets: number }): readonly ModelChangeSet[] {
    return this.#sets.slice(sets - this.#dropped);
  }

  /** @param changes encoded parts of the body */
  #add(changes: readonly Uint8Array[], isSynthetic: boolean): ModelChangeSet | undefined {
    if (changes.length === 0) return undefined;
    const previousIndex = this.#published;
    const index = isSynthetic ? previousIndex : this.#index;
    this.#published = index;
    const indexes = { index: BigInt(index), ...(isSynthetic ? {} : { previousIndex: BigInt(previousIndex) }) };
    const set = { index, isSynthetic, body: joined([changeSet.encode({ ...indexes, isSynthetic }), ...changes]) };
    this.#sets.push(set);
    this.#bytes += set.body.length;
    while (this.#sets.length > MAX_KEPT || this.#bytes > MAX_BYTES) {
      const dropped = this.#sets.shift();
      if (!dropped) break;
      this.#dropped++;
      this.#bytes -= dropped.body.length;
      // A router with the index of a synthetic set may still lack that set.
      this.#oldest = dropped.isSynthetic ? dropped.index + 1 : dropped.index;
    }
    if (this.#encoded && this.#encoded.sets < this.#dropped) this.#encoded = undefined;
    return set;
  }
}

/** A key as sent to routers. */
interface ModelKey {
  readonly kid: string;
  readonly data: Uint8Array;
  readonly usages: readonly ('jwtValidation' | 'clientCertificateValidation')[];
  /** Format of `data`: DER of a certificate, or of a public key (SPKI). */
  readonly format: 'certificate' | 'spki';
}

/** Keys by their `kid`. */
type ModelKeys = ReadonlyMap<string, ModelKey>;

/** The current keys of the network: its own, those of its authorities, and those of the OpenID provider. */
const currentKeys = async ({ pki, provider }: Pick<Core, 'pki' | 'provider'>): Promise<ModelKeys> => {
  const { certificate, kid } = await pki.networkKey();
  const { anchors, chain, others } = await pki.signer();
  const authorities = [...anchors, ...chain, ...others].map(
    ({ der, fingerprint }): ModelKey => ({ data: der, kid: fingerprint, usages: ['clientCertificateValidation'], format: 'certificate' }),
  );
  const networkKey: ModelKey = {
    data: certificate.der,
    kid,
    usages: ['jwtValidation', 'clientCertificateValidation'],
    format: 'certificate',
  };
  const providerKeys = await Promise.all(
    (provider?.keys.published ?? []).map(
      async (key): Promise<ModelKey> => ({ data: await spkiOf(key), kid: key.kid, usages: ['jwtValidation'], format: 'spki' }),
    ),
  );
  return new Map([...authorities, networkKey, ...providerKeys].map((key) => [key.kid, key]));
};

/** The differences between two sets of keys, as events. */
const keyChanges = (before: ModelKeys, now: ModelKeys): readonly DataEvent[] => [
  ...[...before.values()].filter(({ kid }) => !now.has(kid)).map((key) => keyEvent('delete', key)),
  ...[...now.values()].filter(({ kid }) => !before.has(kid)).map((key) => keyEvent('create', key)),
];

const keyEvent = (action: 'create' | 'delete', publicKey: ModelKey): DataEvent => ({ action, isSynthetic: true, publicKey });

type Published = NonNullable<Core['provider']>['keys']['published'][number];

/** DER of a public key (RFC 5280, 4.1). */
const spkiOf = async ({ kty, crv, x, y }: Published): Promise<Uint8Array> => {
  const key = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, { name: 'ECDSA', namedCurve: crv }, true, ['verify']);
  return new Uint8Array(await crypto.subtle.exportKey('spki', key));
};
