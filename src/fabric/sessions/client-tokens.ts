import { session } from '../../contract/api/sessions.ts';
import type { StoredSession } from '../../identity/sessions/grants.ts';
import { ALL, and, idAfter, oneOf, type Predicate, stringField } from '../../query/index.ts';
import { createIndexedMap } from '../../runtime/platform/groups.ts';
import { createRepeatedLog } from '../../runtime/platform/repeated-log.ts';
import { SecretUnreadable } from '../../runtime/platform/secrets.ts';
import { unsealText } from '../../store/entities/sealed.ts';
import type { Job } from '../../store/jobs/background.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import type { Fabric } from '../registry/fabric.ts';

/** The token of an API session, as its client presents it to routers. */
export interface ClientToken {
  /** Id of the API session. */
  readonly id: string;
  readonly identityId: string;
  readonly token: string;
  /** Unique among the tokens in memory, and as small as possible. */
  readonly number: number;
}

/**
 * The tokens of API sessions that have sessions. Sessions store them sealed; they are in plain text only here, and only while edge routers
 * are connected.
 */
export interface ClientTokens {
  get(apiSessionId: string): ClientToken | undefined;
  all(): readonly ClientToken[];
  ofIdentity(identityId: string): readonly ClientToken[];
  /**
   * Reads and unseals the tokens of stored sessions.
   * @returns the new ones
   */
  read(job: Job, sessionIds?: readonly string[]): Promise<readonly ClientToken[]>;
  remove(apiSessionId: string): void;
  clear(): void;
}

/** Maximum number of tokens in memory. Beyond that, the oldest are removed. */
const MAX_TOKENS = 100_000;

/** Number of sessions per read. */
const BATCH = 500;

/** @param onRemove called for each token that is removed, but not by `clear` */
export const createClientTokens = (
  { core: { secrets, platform } }: Pick<Fabric, 'core'>,
  onRemove: (token: ClientToken) => void,
): ClientTokens => {
  const byId = createIndexedMap<ClientToken>(({ identityId }) => [identityId]);
  /** Ids, oldest first. */
  const order = new Set<string>();
  const freeNumbers: number[] = [];
  const log = createRepeatedLog(platform);

  const unseal = async (row: StoredSession): Promise<readonly Omit<ClientToken, 'number'>[]> => {
    const { apiSessionId, identityId } = row;
    try {
      return [{ id: apiSessionId, identityId, token: await unsealText(secrets, session, 'sealedApiSessionToken', row) }];
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error;
      log('warn', 'the token of an API session cannot be unsealed; routers refuse its client until it logs in again', {
        apiSessionId,
        error,
      });
      return [];
    }
  };
  /** One session for each API session whose token is not in memory. */
  const withUnknownToken = (rows: readonly StoredSession[]): readonly StoredSession[] => [
    ...new Map(
      rows.filter((row) => row.sealedApiSessionToken && !order.has(row.apiSessionId)).map((row) => [row.apiSessionId, row]),
    ).values(),
  ];
  const remove = (id: string): void => {
    const token = byId.delete(id);
    order.delete(id);
    if (!token) return;
    onRemove(token);
    freeNumbers.push(token.number);
  };
  const add = (unnumbered: Omit<ClientToken, 'number'>): ClientToken => {
    const [oldest] = order.size >= MAX_TOKENS ? order : [];
    if (oldest !== undefined) remove(oldest);
    const token = { ...unnumbered, number: freeNumbers.pop() ?? order.size };
    byId.set(token);
    order.add(token.id);
    return token;
  };
  return {
    get: byId.get,
    all: byId.all,
    ofIdentity: byId.of,
    read: async (job, sessionIds) => {
      const added: ClientToken[] = [];
      const sessionFilter: Predicate = sessionIds ? oneOf(stringField('id'), sessionIds) : ALL;
      for (let after: string | undefined = ''; after !== undefined && (sessionIds || order.size < MAX_TOKENS); ) {
        const where = and(sessionFilter, idAfter(after));
        const rows = await job.read((entities) => entities.list(session, { where, limit: BATCH }));
        const unsealed = (await Promise.all(withUnknownToken(rows).map(unseal))).flat();
        // A concurrent read may have added some of these already.
        added.push(...unsealed.flatMap((token) => (order.has(token.id) ? [] : [add(token)])));
        after = rows.length < BATCH ? undefined : rows.at(-1)?.id;
      }
      return added;
    },
    remove,
    clear: () => {
      for (const id of order) byId.delete(id);
      order.clear();
      freeNumbers.length = 0;
    },
  };
};

/** The API sessions that each router knows. Uses one bit per router and token number, because there may be many of both. */
export interface SentSessions {
  has(router: ConnectedRouter, number: number): boolean;
  set(router: ConnectedRouter, number: number, isSent: boolean): void;
  /** Starts tracking a router, which knows no API sessions yet. */
  reset(router: ConnectedRouter): void;
  /** Frees the number for another token. */
  free(number: number): void;
}

export const createSentSessions = (): SentSessions => {
  const bits = new Map<ConnectedRouter, Uint8Array>();
  const has: SentSessions['has'] = (router, number) => (((bits.get(router)?.[number >>> 3] ?? 0) >>> (number & 7)) & 1) === 1;
  const set: SentSessions['set'] = (router, number, isSent) => {
    const current = bits.get(router);
    if (!current || has(router, number) === isSent) return;
    const wide = number >>> 3 < current.length ? current : widened(current, number);
    wide[number >>> 3] = (wide[number >>> 3] ?? 0) ^ (1 << (number & 7));
    bits.set(router, wide);
  };
  return {
    has,
    set,
    reset: (router) => {
      if (router.channel.signal.aborted) return;
      if (!bits.has(router)) router.channel.signal.addEventListener('abort', () => bits.delete(router));
      bits.set(router, new Uint8Array());
    },
    free: (number) => {
      for (const router of bits.keys()) set(router, number, false);
    },
  };
};

/** A larger copy, with room for the bit of a number. */
const widened = (bits: Uint8Array, number: number): Uint8Array => {
  const wide = new Uint8Array(Math.max((number >>> 3) + 1, 2 * bits.length));
  wide.set(bits);
  return wide;
};
