import { ApiError } from '../../contract/errors/index.ts';
import { type Entities, type EntitiesContext, entitiesOf } from '../../store/entities/entities.ts';
import type { Actor } from '../actor.ts';
import { currentActor } from '../authentication/actors.ts';
import type { Core } from '../core.ts';
import { type Authorized, reauthorize, StalePermit } from './authorize.ts';

/** A read of a stream whose answer has begun. */
export interface SharedRead {
  readonly call: Authorized;
  readonly context: EntitiesContext;
  /** Reads with the same key read the same. */
  readonly key: string;
  work(entities: Entities): Promise<unknown>;
}

/**
 * Reads in one transaction with all who ask at the same time.
 * @throws as `reauthorize`; errors of `work` and the store
 */
export type ReadTogether = (read: SharedRead) => Promise<unknown>;

/** Turns of the microtask queue for which the first of some readers waits for the others. */
const TURNS = 10;

interface Waiting extends SharedRead {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Hundreds of streams may wait for one change. They share a transaction, each actor is read once in it, and so is what several ask for.
 * Each call is still authorized by itself.
 */
export const createSharedReads = ({ store, readCache }: Pick<Core, 'store' | 'readCache'>): ReadTogether => {
  let waiting: Waiting[] = [];
  const readAll = async (context: EntitiesContext): Promise<void> => {
    let reads: readonly Waiting[] | undefined;
    const take = () => {
      const taken = waiting;
      waiting = [];
      return taken;
    };
    // Readers that wake together ask within a few turns of the microtask queue, and the transaction begins after these. It may run again.
    for (let turn = 0; turn < TURNS; turn++) await undefined;
    try {
      const settle = await store.transaction('read', (tx) => answered(entitiesOf(tx, context, readCache.reading), (reads ??= take())));
      for (const each of settle) each();
    } catch (error) {
      for (const { reject } of reads ?? take()) reject(error);
    }
  };
  return (read) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ ...read, resolve, reject }) === 1) void readAll(read.context);
    });
};

/** @returns settles each of the reads, after the transaction */
const answered = async (entities: Entities, reads: readonly Waiting[]): Promise<readonly (() => void)[]> => {
  const actors = new Map<string | undefined, Promise<Actor>>();
  const answers = new Map<string, Promise<unknown>>();
  const settle: (() => void)[] = [];
  for (const { call, key, work, resolve, reject } of reads)
    try {
      const who = actorKey(call);
      const actor = (who === undefined ? undefined : actors.get(who)) ?? currentActor(entities, call);
      actors.set(who, actor);
      await reauthorize(call, entities, actor);
      const answer = answers.get(key) ?? work(entities);
      answers.set(key, answer);
      const value = await answer;
      settle.push(() => resolve(value));
    } catch (error) {
      // Any other error is about the transaction.
      if (!(error instanceof ApiError || error instanceof StalePermit)) throw error;
      settle.push(() => reject(error));
    }
  return settle;
};

/** Calls with the same key have the same actor; undefined if a call may be the only one. */
const actorKey = ({ actor, remoteAddress }: Authorized): string | undefined => {
  switch (actor.kind) {
    case 'session':
      return actor.presented || actor.proofs.length > 0 ? undefined : `session ${actor.session.id} ${actor.token}`;
    case 'token':
      return `token ${actor.apiToken.id} ${actor.presentedHash} ${remoteAddress}`;
    case 'identity':
      return `identity ${actor.identity.id}`;
    default:
      return actor.kind;
  }
};
