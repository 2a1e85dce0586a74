/** The effect of posture responses on the facts of an endpoint. Pure functions. */
import type { ProcessFact } from '../../../api/posture-data.ts';
import type { PostureResponse } from '../../../api/posture-responses.ts';
import type { EndpointEvent } from './check-type.ts';
import type { IdentityFacts, SessionFacts } from './facts.ts';

/** Maximum number of processes kept for an identity. If more are reported, the oldest one is evicted, and its checks query the endpoint again. */
const MAX_PROCESSES = 256;
/** Maximum number of characters of these processes as JSON. Beyond it, the oldest ones are evicted, too. */
const MAX_PROCESS_CHARACTERS = 262_144;

export type ReportedFacts = IdentityFacts & Pick<SessionFacts, 'wokenAt' | 'unlockedAt'>;

export const NOTHING_REPORTED: IdentityFacts = { mac: null, domain: null, os: null, processes: [], paths: [], toldAt: {} };

type Apply<T extends PostureResponse['typeId']> = (
  reported: ReportedFacts,
  response: Extract<PostureResponse, { readonly typeId: T }>,
  now: string,
) => ReportedFacts;

/** The key of a process in `toldAt`. */
export const processKey = (id: string): string => `process ${id}`;

const apply: { readonly [T in PostureResponse['typeId']]: Apply<T> } = {
  MAC: (reported, { id, macAddresses }, now) => ({
    ...at(reported, 'mac', now),
    mac: { postureCheckId: id, addresses: macAddresses.filter((address) => address !== '') },
  }),
  DOMAIN: (reported, { id, domain }, now) => ({ ...at(reported, 'domain', now), domain: { postureCheckId: id, domain } }),
  OS: (reported, { id, type, version, build }, now) => ({
    ...at(reported, 'os', now),
    os: { postureCheckId: id, type, version, build: build ?? null },
  }),
  PROCESS: (reported, { id, path, isRunning, hash, signerFingerprints }, now) => {
    const fact: ProcessFact = {
      postureCheckId: id,
      path: path || null,
      isRunning: isRunning ?? false,
      hash: hash || null,
      signerFingerprints: signerFingerprints ?? null,
    };
    const processes = putBy('postureCheckId', reported.processes ?? [], fact);
    const keptKeys = new Set(processes.map(({ postureCheckId }) => processKey(postureCheckId)));
    const { toldAt } = at(reported, processKey(id), now);
    return {
      ...reported,
      processes,
      paths: fact.path === null ? reported.paths : putBy('path', reported.paths ?? [], fact),
      toldAt: Object.fromEntries(Object.entries(toldAt ?? {}).filter(([key]) => !key.startsWith('process ') || keptKeys.has(key))),
    };
  },
  ENDPOINT_STATE: (reported, { woken, unlocked }, now) => ({
    ...reported,
    ...(woken ? { wokenAt: now } : {}),
    ...(unlocked ? { unlockedAt: now } : {}),
  }),
};

const at = (reported: ReportedFacts, key: string, now: string): ReportedFacts => ({
  ...reported,
  toldAt: { ...reported.toldAt, [key]: now },
});

/** Replaces the fact with the same key, or appends the new one. */
const putBy = (key: 'postureCheckId' | 'path', facts: readonly ProcessFact[], fact: ProcessFact): readonly ProcessFact[] => {
  const isReplaced = facts.some((each) => each[key] === fact[key]);
  return newest(isReplaced ? facts.map((each) => (each[key] === fact[key] ? fact : each)) : [...facts, fact]);
};

/** The last facts, as many as the limits allow. */
const newest = (facts: readonly ProcessFact[]): readonly ProcessFact[] => {
  let left = MAX_PROCESS_CHARACTERS;
  const tooLong = facts.findLastIndex((fact) => (left -= JSON.stringify(fact).length) < 0);
  return facts.slice(Math.max(tooLong + 1, facts.length - MAX_PROCESSES));
};

/** Applies responses in order, so that the last response on a fact counts. */
export const afterResponses = (before: ReportedFacts, responses: readonly PostureResponse[], now: string): ReportedFacts =>
  // Each response is passed to the function for its type.
  responses.reduce((reported, response) => (apply[response.typeId] as Apply<PostureResponse['typeId']>)(reported, response, now), before);

/** The event in a posture response. */
export const eventIn = (responses: readonly PostureResponse[]): EndpointEvent => {
  const states = responses.filter((response) => response.typeId === 'ENDPOINT_STATE');
  return { woken: states.some(({ woken }) => woken === true), unlocked: states.some(({ unlocked }) => unlocked === true) };
};
