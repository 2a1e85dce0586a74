import { type CoreIdentity, networkOf, performanceNow } from '../../src/adapter-kit.ts';
import { type AuthenticatedRequest, allAuthorizations } from './authorizations.ts';

/** Who sends a request, as far as is known before it is handled. */
export type Standing = 'administrator' | 'identity' | 'newcomer';

/** The client of a request. */
export interface Client {
  readonly standing: Standing;
  /** The identity or, before it is known, the network of its subscriber. */
  readonly origin: string;
}

/** A client, and when its token was accepted last. ms */
interface Accepted {
  readonly client: Client;
  at: number;
}

/** Number of tokens in each of two generations. */
const GENERATION = 25_000;
/**
 * Time after which a token that was not accepted again counts no more, as long as an unused session lasts by default: operations that are
 * open to everyone check no token, so that one that has been revoked would otherwise count for as long as it is sent. ms
 */
const VALID_MS = 30 * 60_000;
/** The last characters of a token, which nobody can guess: they are random, or belong to a signature. */
const KEY_LENGTH = 40;

/**
 * The clients of the tokens that were accepted lately, so that a request is assigned to a client without looking into the store. A token
 * that has expired since is refused where it is checked; here it only decides how long the request waits.
 */
export class Standings {
  readonly #now: () => number;
  #recent = new Map<string, Accepted>();
  #earlier = new Map<string, Accepted>();

  /** @param now returns the time in milliseconds */
  constructor(now: () => number = performanceNow) {
    this.#now = now;
  }

  /** @param address returns the address of the client */
  of(req: AuthenticatedRequest, address: () => string): Client {
    const key = keyOf(req);
    const known = key === undefined ? undefined : this.#find(key);
    if (known && this.#now() - known.at < VALID_MS) return known.client;
    return { standing: 'newcomer', origin: networkOf(address()) };
  }

  /** Notes to whom the token of a request belongs. */
  note(req: AuthenticatedRequest, { id, isAdmin }: CoreIdentity): void {
    const key = keyOf(req);
    if (key === undefined) return;
    const standing = isAdmin ? 'administrator' : 'identity';
    const known = this.#find(key);
    const at = this.#now();
    if (known?.client.origin === id && known.client.standing === standing) known.at = at;
    else this.#set(key, { client: { standing, origin: id }, at });
  }

  /** Forgets the token of a request, which is not valid any more. */
  forget(req: AuthenticatedRequest): void {
    const key = keyOf(req);
    if (key === undefined) return;
    this.#recent.delete(key);
    this.#earlier.delete(key);
  }

  #find(key: string): Accepted | undefined {
    const recent = this.#recent.get(key);
    if (recent) return recent;
    const earlier = this.#earlier.get(key);
    if (earlier) this.#set(key, earlier);
    return earlier;
  }

  #set(key: string, accepted: Accepted): void {
    if (this.#recent.size >= GENERATION) [this.#earlier, this.#recent] = [this.#recent, new Map()];
    // A copy: a part of a string keeps the whole string in memory.
    this.#recent.set(Buffer.from(key, 'latin1').toString('latin1'), accepted);
  }
}

/**
 * The key of a token. Undefined for several tokens, since it is not known here which of them counts: the others may be made up, any number
 * of them.
 */
const keyOf = (req: AuthenticatedRequest): string | undefined => {
  const session = req.headers['zt-session'];
  const authorization = allAuthorizations(req);
  if (session !== undefined && authorization !== undefined) return undefined;
  const token = session ?? authorization;
  return typeof token === 'string' && !token.includes(',') ? token.slice(-KEY_LENGTH) : undefined;
};
