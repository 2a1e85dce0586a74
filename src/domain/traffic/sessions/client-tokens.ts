import { session } from '../../../api/sessions.ts';
import { unsealText } from '../../../changes/sealed.ts';
import type { Job } from '../../../jobs/background.ts';
import { createIndexedMap } from '../../../platform/groups.ts';
import { createRepeatedLog } from '../../../platform/repeated-log.ts';
import { SecretUnreadable } from '../../../platform/secrets.ts';
import { ALL, and, idAfter, oneOf, type Predicate, stringField } from '../../../query/index.ts';
import type { StoredSession } from '../../sessions/sessions/grants.ts';
import type { Fabric } from '../routers/fabric.ts';

/** The token of an API session, as its client presents it to routers. */
export interface ClientToken {
  /** Of the API session. */
  readonly id: string;
  readonly identityId: string;
  readonly token: string;
  /** Of no other that is known: those that are free are used again. */
  readonly number: number;
}

/** The tokens of API sessions that reach services, as sessions keep them sealed. In clear only here, as long as there are routers to be told. */
export interface ClientTokens {
  get(apiSessionId: string): ClientToken | undefined;
  all(): readonly ClientToken[];
  ofIdentity(identityId: string): readonly ClientToken[];
  /** Unseals those of sessions that are in the store. @returns those that were not known */
  read(job: Job, ids?: readonly string[]): Promise<readonly ClientToken[]>;
  /** @returns what was known of it */
  forget(apiSessionId: string): ClientToken | undefined;
  clear(): void;
}

/** Tokens in memory at most; the one longest known is forgotten first. */
const MOST = 100_000;

/** Sessions that are read at a time. */
const PAGE = 500;

/** @param forgotten told of each that is known no more, except for all at once */
export const createClientTokens = (
  { core: { secrets, platform } }: Pick<Fabric, 'core'>,
  forgotten: (token: ClientToken) => void,
): ClientTokens => {
  const byId = createIndexedMap<ClientToken>(({ identityId }) => [identityId]);
  /** The oldest first. */
  const order = new Set<string>();
  const free: number[] = [];
  const log = createRepeatedLog(platform);

  const unsealed = async (row: StoredSession): Promise<readonly Omit<ClientToken, 'number'>[]> => {
    const { apiSessionId, identityId } = row;
    try {
      return [{ id: apiSessionId, identityId, token: await unsealText(secrets, session, 'sealedApiSessionToken', row) }];
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error;
      log('warn', 'the token of an API session cannot be unsealed: its client is unknown to routers', { apiSessionId, error });
      return [];
    }
  };
  /** One session of each API session that is not known. */
  const unknownIn = (rows: readonly StoredSession[]): readonly StoredSession[] => [
    ...new Map(
      rows.filter((row) => row.sealedApiSessionToken && !order.has(row.apiSessionId)).map((row) => [row.apiSessionId, row]),
    ).values(),
  ];
  const forget = (id: string): ClientToken | undefined => {
    const known = byId.delete(id);
    order.delete(id);
    if (!known) return undefined;
    forgotten(known);
    free.push(known.number);
    return known;
  };
  const note = (one: Omit<ClientToken, 'number'>): ClientToken => {
    const [oldest] = order.size >= MOST ? order : [];
    if (oldest !== undefined) forget(oldest);
    const token = { ...one, number: free.pop() ?? order.size };
    byId.set(token);
    order.add(one.id);
    return token;
  };
  return {
    get: byId.get,
    all: byId.all,
    ofIdentity: byId.of,
    read: async (job, ids) => {
      const found: ClientToken[] = [];
      const among: Predicate = ids ? oneOf(stringField('id'), ids) : ALL;
      for (let after: string | undefined = ''; after !== undefined && (ids || order.size < MOST); ) {
        const where = and(among, idAfter(after));
        const rows = await job.read((entities) => entities.list(session, { where, limit: PAGE }));
        const news = (await Promise.all(unknownIn(rows).map(unsealed))).flat();
        // Another read may have found them, too.
        found.push(...news.flatMap((one) => (order.has(one.id) ? [] : [note(one)])));
        after = rows.length < PAGE ? undefined : rows.at(-1)?.id;
      }
      return found;
    },
    forget,
    clear: () => {
      for (const id of order) byId.delete(id);
      order.clear();
      free.length = 0;
    },
  };
};
