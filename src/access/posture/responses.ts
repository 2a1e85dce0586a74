/** The effect of posture responses on the facts of an endpoint. Pure functions. */
import type { ProcessFact } from '../../contract/api/posture-data.ts';
import type { PostureResponse } from '../../contract/api/posture-responses.ts';
import type { EndpointEvent } from './check-type.ts';
import type { IdentityFacts, SessionFacts } from './facts.ts';

/**
 * Maximum number of processes stored for an identity. If more are reported, the oldest one is evicted, and checks that need it query the
 * endpoint again.
 */
const MAX_PROCESSES = 256;
/** Maximum number of characters of these processes as JSON. If it is exceeded, the oldest ones are evicted, too. */
const MAX_PROCESS_CHARACTERS = 262_144;

export type ReportedFacts = IdentityFacts & Pick<SessionFacts, 'wokenAt' | 'unlockedAt'>;

export const NOTHING_REPORTED: IdentityFacts = { mac: null, domain: null, os: null, processes: [], paths: [], toldAt: {} };

type Apply<T extends PostureResponse['typeId']> = (
  reported: ReportedFacts,
  response: Extract<PostureResponse, { readonly typeId: T }>,
  now: string,
) => ReportedFacts;

const PROCESS_PREFIX = 'process ';
/**
 * The key of a process in `toldAt`.
 * @param checkId the check for which it was reported
 */
export const processKey = (checkId: string): string => `${PROCESS_PREFIX}${checkId}`;

const appliers: { readonly [T in PostureResponse['typeId']]: Apply<T> } = {
  MAC: (reported, { id, macAddresses }, now) => ({
    ...withReportTime(reported, 'mac', now),
    mac: { postureCheckId: id, addresses: macAddresses.filter((address) => address !== '') },
  }),
  DOMAIN: (reported, { id, domain }, now) => ({ ...withReportTime(reported, 'domain', now), domain: { postureCheckId: id, domain } }),
  OS: (reported, { id, type, version, build }, now) => ({
    ...withReportTime(reported, 'os', now),
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
    const { toldAt } = withReportTime(reported, processKey(id), now);
    return {
      ...reported,
      processes,
      paths: fact.path === null ? reported.paths : putBy('path', reported.paths ?? [], fact),
      toldAt: Object.fromEntries(Object.entries(toldAt ?? {}).filter(([key]) => !key.startsWith(PROCESS_PREFIX) || keptKeys.has(key))),
    };
  },
  ENDPOINT_STATE: (reported, { woken, unlocked }, now) => ({
    ...reported,
    ...(woken ? { wokenAt: now } : {}),
    ...(unlocked ? { unlockedAt: now } : {}),
  }),
};

const withReportTime = (reported: ReportedFacts, key: string, now: string): ReportedFacts => ({
  ...reported,
  toldAt: { ...reported.toldAt, [key]: now },
});

/** Replaces the fact with the same key, or appends the new one, and evicts the oldest. */
const putBy = (key: 'postureCheckId' | 'path', facts: readonly ProcessFact[], fact: ProcessFact): readonly ProcessFact[] => {
  const isReplaced = facts.some((each) => each[key] === fact[key]);
  return newestWithinLimits(isReplaced ? facts.map((each) => (each[key] === fact[key] ? fact : each)) : [...facts, fact]);
};

const newestWithinLimits = (facts: readonly ProcessFact[]): readonly ProcessFact[] => {
  const newest: ProcessFact[] = [];
  let characters = 0;
  for (const fact of facts.slice(-MAX_PROCESSES).reverse()) {
    characters += JSON.stringify(fact).length;
    if (characters > MAX_PROCESS_CHARACTERS) break;
    newest.push(fact);
  }
  return newest.reverse();
};

/**
 * Applies responses in order, so that a later response replaces an earlier one about the same fact.
 * @param now ISO text
 */
export const applyResponses = (before: ReportedFacts, responses: readonly PostureResponse[], now: string): ReportedFacts => {
  let reported = before;
  for (const response of responses) {
    const apply = appliers[response.typeId] as Apply<PostureResponse['typeId']>; // the function for the type of the response
    reported = apply(reported, response, now);
  }
  return reported;
};

/** The combined event that the responses report. */
export const eventOf = (responses: readonly PostureResponse[]): EndpointEvent => {
  const states = responses.filter((response) => response.typeId === 'ENDPOINT_STATE');
  return { woken: states.some(({ woken }) => woken === true), unlocked: states.some(({ unlocked }) => unlocked === true) };
};
