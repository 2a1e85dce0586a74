/**
 * The time of the last change to the services that an identity may use. Clients poll it every few seconds, and list services again when it
 * advances. It advances if and only if the list (with the config data of every type) has changed since the session's last request. It also advances if
 * that is unknown: at the first request of a session, if the list is too long to be compared, and if this controller has not kept the changes
 * in between.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { LRUCache } from 'lru-cache';
import { apiSession, identity, service } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { type ApiSessionActor, apiSessionOf } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import type { Core } from '../../../call/core.ts';
import type { Entities } from '../../../entities/entities.ts';
import type { Recent } from '../../../entities/recent.ts';
import { boundedCache } from '../../../platform/bounded-cache.ts';
import { presentRows } from '../../../resources/present.ts';
import { loadPosture } from '../../policy/posture/load.ts';
import type { Posture } from '../../policy/posture/posture.ts';
import { configFinder, type ListOwner, mayConcern } from './concerns.ts';
import { seenBy, type Viewer, viewerOf, visibleTo } from './visibility.ts';

/** Longer lists are not compared. */
const MAX_SERVICES = 500;

export interface ListState {
  /** Differs if the list differs; undefined for a list of more than 500 services. */
  readonly digest: string | undefined;
  /** When the passage of time last made a posture check fail, and when it next will. ms */
  readonly failedAt: number | undefined;
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

/** A digest of everything the list can show, including the config data of every type, but not the time until a check fails, which changes by itself. */
const digestOf = async (
  entities: Entities,
  viewer: Viewer,
  posture: Posture | undefined,
  rows: readonly RowOf<typeof service>[],
  call: Call,
) => {
  const shown = await presentRows(entities, service, rows, call, seenBy(viewer, {}, posture));
  const text = JSON.stringify(shown, (key, value) => (key === 'timeoutRemaining' || key === 'timeoutAt' ? undefined : value));
  return bytesToHex(sha256(utf8ToBytes(text)));
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

/** Maximum number of remembered sessions for each controller. The next request of an evicted session counts as its first. */
const MAX_SESSIONS = 100_000;
const lastAnswers = new WeakMap<Core, LRUCache<string, LastAnswer>>();

const answersOf = (core: Core): LRUCache<string, LastAnswer> => {
  let answers = lastAnswers.get(core);
  if (!answers) lastAnswers.set(core, (answers = boundedCache(MAX_SESSIONS)));
  return answers;
};

/** The time of the last change, or the start of the API session if no change since then is known. */
export const lastServiceChange = (call: Call): Promise<{ readonly lastChangeAt: string }> =>
  call.read(async (entities) => {
    const actor = apiSessionOf(call.actor);
    const { recentChanges } = call.core;
    const recent = call.isJoined ? recentChanges.known() : await recentChanges.catchUp(entities);
    const answers = answersOf(call.core);
    const before = answers.get(actor.session.id);
    // State that this call does not see, and uncommitted writes of a host, cannot be compared.
    if (!recent.isSeen) return { lastChangeAt: before?.lastChangeAt ?? (await initialState(entities, actor, recent)).lastChangeAt };
    const now = before ? await nextAnswer(entities, call, before, recent) : await firstAnswer(entities, call, recent);
    answers.set(actor.session.id, now);
    return { lastChangeAt: now.lastChangeAt };
  });

/** The initial state of a session, at its first request. */
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

/** The time of the newest change that may affect a list of services. */
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
  // Read in this transaction, because the caller may have been looked up before it began.
  const who = await entities.require(identity, actor.identity.id);
  const session = await entities.require(apiSession, actor.session.id);
  let found: Promise<Viewer> | undefined;
  const viewer = () => (found ??= viewerOf(entities, { identity: who, session }, ['all']));
  return { identity: who, apiSessionId: session.id, viewer, hasConfig: configFinder(entities, who, viewer) };
};

const latest = (a: string, b: string | undefined): string => (b !== undefined && b > a ? b : a);

/** The first moment after a time. */
const after = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms + 1).toISOString());
