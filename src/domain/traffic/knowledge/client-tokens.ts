import { session } from '../../../api/sessions.ts';
import { unsealText } from '../../../changes/sealed.ts';
import type { Job } from '../../../jobs/background.ts';
import { createRepeatedLog } from '../../../platform/repeated-log.ts';
import { SecretUnreadable } from '../../../platform/secrets.ts';
import { ALL, and, idAfter, oneOf, type Predicate, stringField } from '../../../query/index.ts';
import type { StoredSession } from '../../sessions/sessions/grants.ts';
import type { Fabric } from '../routers/fabric.ts';

/** The token of an API session, as its client presents it to routers. */
export interface ClientToken {
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly token: string;
}

/** The tokens of API sessions that reach services, as sessions keep them sealed. In clear only here, as long as there are routers to be told. */
export interface ClientTokens {
  has(apiSessionId: string): boolean;
  all(): readonly ClientToken[];
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

export const createClientTokens = ({ core: { secrets, platform } }: Pick<Fabric, 'core'>): ClientTokens => {
  const byId = new Map<string, ClientToken>();
  const log = createRepeatedLog(platform);

  const unsealed = async (row: StoredSession): Promise<readonly ClientToken[]> => {
    const { apiSessionId, identityId } = row;
    try {
      return [{ apiSessionId, identityId, token: await unsealText(secrets, session, 'sealedApiSessionToken', row) }];
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error;
      log('warn', 'the token of an API session cannot be unsealed: its client is unknown to routers', { apiSessionId, error });
      return [];
    }
  };
  /** One session of each API session that is not known. */
  const unknownIn = (rows: readonly StoredSession[]): readonly StoredSession[] => [
    ...new Map(
      rows.filter((row) => row.sealedApiSessionToken && !byId.has(row.apiSessionId)).map((row) => [row.apiSessionId, row]),
    ).values(),
  ];
  const note = (one: ClientToken): void => {
    byId.set(one.apiSessionId, one);
    const [oldest] = byId.size > MOST ? byId.keys() : [];
    if (oldest !== undefined) byId.delete(oldest);
  };
  return {
    has: (id) => byId.has(id),
    all: () => [...byId.values()],
    read: async (job, ids) => {
      const found: ClientToken[] = [];
      const among: Predicate = ids ? oneOf(stringField('id'), ids) : ALL;
      for (let after: string | undefined = ''; after !== undefined && (ids || byId.size < MOST); ) {
        const where = and(among, idAfter(after));
        const rows = await job.read((entities) => entities.list(session, { where, limit: PAGE }));
        const news = (await Promise.all(unknownIn(rows).map(unsealed))).flat();
        news.forEach(note);
        found.push(...news);
        after = rows.length < PAGE ? undefined : rows.at(-1)?.id;
      }
      return found;
    },
    forget: (id) => {
      const known = byId.get(id);
      byId.delete(id);
      return known;
    },
    clear: () => byId.clear(),
  };
};
