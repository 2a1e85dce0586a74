import type { Core } from '../../../call/core.ts';
import type { Change } from '../../../changes/events.ts';
import { dataModelMessages } from '../../../control-channel/messages/data-model.ts';
import { isoTime } from '../../../platform/iso-time.ts';
import { newId } from '../../../storage/ids.ts';
import { forRouters } from '../routers/fabric.ts';
import { type ChangeSets, createChangeSets, type SentSet } from './change-sets.ts';
import type { DataEvent } from './documents.ts';
import { currentKeys, keyChanges, type ModelKeys } from './keys.ts';
import { loadDataModel } from './load.ts';
import type { DataModel } from './model.ts';

const { dataState } = dataModelMessages;

/** The change log went on without a change that the model needs: it has to be read anew. */
export class MissedChange extends Error {
  override readonly name = 'MissedChange';
}

/** The model with its place in the change log, and what was sent of it. A class, because it is state. Not for several callers at once. */
export class DataFeed {
  /** Tells this history of indexes from others. */
  readonly timelineId: string;
  readonly #core: Core;
  readonly #model: DataModel;
  readonly #sets: ChangeSets;
  #index: number;
  #keys: ModelKeys;
  /** The time as of which the model is told. ISO text */
  #at: string;
  #state: Uint8Array | undefined;

  private constructor(core: Core, model: DataModel, index: number, keys: ModelKeys) {
    this.#core = core;
    this.#model = model;
    this.#index = index;
    this.#keys = keys;
    this.#sets = createChangeSets(index);
    this.#at = isoTime(core.platform.clock.now());
    this.timelineId = newId(core.platform.random);
  }

  /** Reads the model. Changes that are committed from now on are to be taken over. */
  static async open(core: Core): Promise<DataFeed> {
    const { model, index } = await forRouters(core, ({ read, signal }) => read((entities) => loadDataModel(entities, signal)));
    return new DataFeed(core, model, index, await currentKeys(core));
  }

  /** Takes over a change. @returns what routers must be told. @throws MissedChange */
  apply(change: Change): SentSet | undefined {
    if (change.revision <= this.#index) return undefined;
    if (change.revision > this.#index + 1) throw new MissedChange(`revision ${this.#index + 1} is missing`);
    const events = this.#model.apply(change, this.#at);
    this.#index = change.revision;
    return this.#sent(events, false);
  }

  /** What has changed with time: keys, and identities that were disabled for a while. */
  async refresh(): Promise<SentSet | undefined> {
    const [keys, now] = [await currentKeys(this.#core), isoTime(this.#core.platform.clock.now())];
    const events = [...keyChanges(this.#keys, keys), ...this.#model.enabledSince(this.#at, now)];
    this.#keys = keys;
    this.#at = now;
    return this.#sent(events, true);
  }

  /** What a router has missed; undefined if it needs all. */
  since(timelineId: string, index: bigint): readonly SentSet[] | undefined {
    return timelineId === this.timelineId ? this.#sets.since(Number(index)) : undefined;
  }

  /** The body of the message that says all. */
  async state(): Promise<Uint8Array> {
    if (this.#state) return this.#state;
    // A message that is cut between two fields is one again when its parts are put together.
    const parts: Uint8Array[] = [];
    for await (const events of this.#model.all(this.#at)) parts.push(dataState.encode({ events }));
    parts.push(dataState.encode({ events: keyChanges(new Map(), this.#keys) }));
    parts.push(dataState.encode({ endIndex: BigInt(this.#index), timelineId: this.timelineId }));
    return (this.#state = joined(parts));
  }

  #sent(events: readonly DataEvent[], isSynthetic: boolean): SentSet | undefined {
    if (events.length === 0) return undefined;
    this.#state = undefined;
    return this.#sets.add(this.#index, events, isSynthetic);
  }
}

const joined = (parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};
