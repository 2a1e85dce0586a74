/**
 * The time of the last change to the services that an identity may use. Clients poll it every few seconds, and list services again when it
 * advances. It advances if the list, including the config data of every type, has changed since the last request of the session, or if the
 * controller cannot determine this: at the first request, for a list that is too long to compare, and if it has evicted changes.
 */

import type { LRUCache } from 'lru-cache';
import { type ApiSessionActor, apiSessionOf } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import type { Core } from '../../call/core.ts';
import { presentRows } from '../../call/resources/present.ts';
import { apiSession, identity, service } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { sha256Hex } from '../../crypto/sha256.ts';
import { boundedCache } from '../../runtime/platform/bounded-cache.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Recent } from '../../store/entities/recent.ts';
import { loadPosture } from '../posture/load.ts';
import type { Posture } from '../posture/posture.ts';
import { createConfigLookup, type ListOwner, mayConcern } from './relevant-changes.ts';
import { servicePresenter, type Viewer, viewerOf, visibleTo } from './visibility.ts';

/** Maximum number of services in a list that is compared. */
const MAX_SERVICES = 500;

export interface ListState {
  /** Undefined for a list that is too long to compare. */
  readonly digest: string | undefined;
  /** When a posture check last expired. ms since 1970 */
  readonly failedAt: number | undefined;
  /** When the next posture check expires. ms since 1970 */
  readonly failsAt: number | undefined;
}

const listStateOf = async (entities: Entities, viewer: Viewer, call: Call): Promise<ListState> => {
  const { identity: who, session, policies } = viewer;
  const rows = await entities.list(service, { where: await visibleTo(viewer), limit: MAX_SERVICES + 1 });
  const posture = who && (await loadPosture(entities, policies, { identityId: who.id, session }, call.now()));
  return {
    digest: rows.length > MAX_SERVICES ? undefined : await digestOf(entities, viewer, posture, rows, call),
    ...failureTimesOf(policies, posture, call),
  };
};

/** A digest of the list without the remaining times of posture checks, which change continuously. */
const digestOf = async (
  entities: Entities,
  viewer: Viewer,
  posture: Posture | undefined,
  rows: readonly RowOf<typeof service>[],
  call: Call,
) => {
  const presented = await presentRows(entities, service, rows, call, servicePresenter(viewer, {}, posture));
  const text = JSON.stringify(presented, (key, value) => (key === 'timeoutRemaining' || key === 'timeoutAt' ? undefined : value));
  return sha256Hex(text);
};

const failureTimesOf = (policies: Viewer['policies'], posture: Posture | undefined, call: Call) => {
  const now = Date.parse(call.now());
  const ends = posture ? policies.flatMap(posture.resultsFor).flatMap(({ failsAt }) => failsAt ?? []) : [];
  return {
    failedAt: ends.filter((end) => end < now).sort((a, b) => b - a)[0],
    failsAt: ends.filter((end) => end >= now).sort((a, b) => a - b)[0],
  };
};

/** The last answer to a session, and the state of its list at that time. */
interface LastAnswer extends ListState {
  readonly revision: number;
  readonly lastChangeAt: string;
}

/** Maximum number of sessions whose last answer a controller caches. The next request of an evicted session is treated as its first. */
const MAX_SESSIONS = 100_000;
const lastAnswers = new WeakMap<Core, LRUCache<string, LastAnswer>>();

const answersOf = (core: Core): LRUCache<string, LastAnswer> => {
  let answers = lastAnswers.get(core);
  if (!answers) lastAnswers.set(core, (answers = boundedCache(MAX_SESSIONS)));
  return answers;
};

/** The time of the last change; at the earliest, the start of the API session. */
export const lastServiceChange = (call: Call): Promise<{ readonly lastChangeAt: string }> =>
  call.read(async (entities) => {
    const actor = apiSessionOf(call.actor);
    const { recentChanges } = call.core;
    const recent = call.isJoined ? recentChanges.known() : await recentChanges.catchUp(entities);
    const answers = answersOf(call.core);
    const before = answers.get(actor.session.id);
    // The changes may include some that this transaction does not see, or lack uncommitted writes of the host.
    if (!recent.isCurrent) return { lastChangeAt: before?.lastChangeAt ?? (await initialState(entities, actor, recent)).lastChangeAt };
    const now = before ? await nextAnswer(entities, call, before, recent) : await firstAnswer(entities, call, recent);
    answers.set(actor.session.id, now);
    return { lastChangeAt: now.lastChangeAt };
  });

/** The owner and the time of the last change for a session without a last answer. */
const initialState = async (entities: Entities, actor: ApiSessionActor, recent: Recent) => {
  const owner = await listOwnerOf(entities, actor);
  const lastChangeAt = latest(recent.since, actor.session.createdAt);
  return { owner, lastChangeAt: latest(lastChangeAt, await lastRelevantChange(recent, owner, ({ at }) => at > lastChangeAt)) };
};

const firstAnswer = async (entities: Entities, call: Call, recent: Recent): Promise<LastAnswer> => {
  const { owner, lastChangeAt } = await initialState(entities, apiSessionOf(call.actor), recent);
  const state = await listStateOf(entities, await owner.viewer(), call);
  return { ...state, revision: recent.revision, lastChangeAt: latest(lastChangeAt, after(state.failedAt)) };
};

const nextAnswer = async (entities: Entities, call: Call, before: LastAnswer, recent: Recent): Promise<LastAnswer> => {
  const { revision } = recent;
  const isDue = before.failsAt !== undefined && Date.parse(call.now()) > before.failsAt;
  const isUnknown = recent.sinceRevision > before.revision;
  const hasNews = isUnknown || (recent.changes.at(-1)?.revision ?? 0) > before.revision;
  if (!hasNews && !isDue) return { ...before, revision };
  const owner = await listOwnerOf(entities, apiSessionOf(call.actor));
  const changed = isUnknown ? recent.since : await lastRelevantChange(recent, owner, (change) => change.revision > before.revision);
  if (changed === undefined && !isDue) return { ...before, revision };
  const state = await listStateOf(entities, await owner.viewer(), call);
  if (state.digest !== undefined && state.digest === before.digest) return { ...before, ...state, revision };
  const changedAt = latest(changed ?? '', isDue ? after(state.failedAt) : undefined);
  return { ...state, revision, lastChangeAt: latest(changedAt, after(Date.parse(before.lastChangeAt))) };
};

/**
 * The time of the newest change that may affect the list.
 * @returns undefined if no new change may affect it
 */
const lastRelevantChange = async (
  recent: Recent,
  owner: ListOwner,
  isNew: (change: Recent['changes'][number]) => boolean,
): Promise<string | undefined> => {
  for (let i = recent.changes.length - 1; i >= 0; i--) {
    const change = recent.changes[i];
    if (change === undefined || !isNew(change)) return undefined;
    if (await mayConcern(change, owner)) return change.at;
  }
  return undefined;
};

const listOwnerOf = async (entities: Entities, actor: ApiSessionActor): Promise<ListOwner> => {
  // Read again in this transaction, because the caller may have been read before it began.
  const who = await entities.require(identity, actor.identity.id);
  const session = await entities.require(apiSession, actor.session.id);
  let loading: Promise<Viewer> | undefined;
  const viewer = () => (loading ??= viewerOf(entities, { identity: who, session }, ['all']));
  return { identity: who, apiSessionId: session.id, viewer, hasConfig: createConfigLookup(entities, who, viewer) };
};

const latest = (a: string, b: string | undefined): string => (b !== undefined && b > a ? b : a);

/** One millisecond after a time, as ISO text. */
const after = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms + 1).toISOString());
