/** A digest of the list of services that an identity sees now, to compare two states of it. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { RowOf } from '../../../api/kit/index.ts';
import { service } from '../../../api/services.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { presentRows } from '../../../resources/present.ts';
import { loadPosture } from '../../policy/posture/load.ts';
import type { Posture } from '../../policy/posture/posture.ts';
import { seenBy, type Viewer, visibleTo } from './visibility.ts';

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
  const { identity: who, session, policies } = viewer;
  const rows = await entities.list(service, { where: await visibleTo(viewer), limit: MOST_SERVICES + 1 });
  const posture = who && (await loadPosture(entities, policies, { identityId: who.id, session }, call.now()));
  return {
    digest: rows.length > MOST_SERVICES ? undefined : await digestOf(entities, viewer, posture, rows, call),
    ...endsOf(policies, posture, call),
  };
};

/** A digest of everything the list can show, with the config data of every type, but without the time left until a check fails, which changes by itself. */
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

const endsOf = (policies: Viewer['policies'], posture: Posture | undefined, call: Call) => {
  const now = Date.parse(call.now());
  const ends = posture ? policies.flatMap(posture.resultsFor).flatMap(({ failsAt }) => failsAt ?? []) : [];
  return {
    failedAt: ends.filter((end) => end < now).sort((a, b) => b - a)[0],
    failsAt: ends.filter((end) => end >= now).sort((a, b) => a - b)[0],
  };
};
