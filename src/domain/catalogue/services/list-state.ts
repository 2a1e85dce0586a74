/** What the list of services shows an identity now, so short that two states of it can be compared. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Resource } from '../../../api/kit/resource.ts';
import { service } from '../../../api/services.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../changes/entities.ts';
import { presentRows } from '../../../resources/present.ts';
import type { Row } from '../../../storage/port.ts';
import { loadPosture } from '../../policy/posture/load.ts';
import { seenBy, type Viewer, visibleTo } from './seen.ts';

/** Longer lists are not compared. */
const MOST_SERVICES = 500;

export interface ListState {
  /** Differs when the list does; undefined for a list of more than 500 services. */
  readonly digest: string | undefined;
  /** When time alone has made a posture check fail last, and when it will next. ms */
  readonly failedAt: number | undefined;
  readonly failsAt: number | undefined;
}

export const listStateOf = async (entities: Entities, viewer: Viewer, call: Call): Promise<ListState> => {
  const rows = await entities.list(service, { where: visibleTo(viewer), limit: MOST_SERVICES + 1 });
  return {
    digest: rows.length > MOST_SERVICES ? undefined : await digestOf(entities, viewer, rows, call),
    ...(await endsOf(entities, viewer, call)),
  };
};

/** Of all that the list can show, with the config data of every type; the time that is left until a check fails aside, which goes down by itself. */
const digestOf = async (entities: Entities, viewer: Viewer, rows: readonly unknown[], call: Call): Promise<string> => {
  // A kind and its rows, like any other.
  const shown = await presentRows(entities, service as unknown as Resource, rows as readonly Row[], call, seenBy(viewer, {}));
  const text = JSON.stringify(shown, (key, value) => (key === 'timeoutRemaining' || key === 'timeoutAt' ? undefined : value));
  return bytesToHex(sha256(utf8ToBytes(text)));
};

const endsOf = async (entities: Entities, { identity: who, session, policies }: Viewer, call: Call) => {
  if (!who) return { failedAt: undefined, failsAt: undefined };
  const now = Date.parse(call.now());
  const posture = await loadPosture(entities, policies, { identityId: who.id, session }, call.now());
  const ends = policies.flatMap(posture.resultsFor).flatMap(({ failsAt }) => failsAt ?? []);
  return {
    failedAt: ends.filter((end) => end < now).sort((a, b) => b - a)[0],
    failsAt: ends.filter((end) => end >= now).sort((a, b) => a - b)[0],
  };
};
