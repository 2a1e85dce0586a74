import type { HttpMethod } from '../api/kit/operation.ts';
import type { SurfaceName } from '../api/surfaces/index.ts';

/**
 * An operation as far as a client must know it: how to ask, and how to read the answer. The rules of its input are left to the controller, and with them
 * the schemas, which are far larger. `operations.ts` is generated from the declarations in `src/api/`.
 */
export interface RemoteOperation {
  readonly operationId: string;
  readonly method: HttpMethod;
  /** Below the prefix of a surface, with parameters in braces: `/identities/{id}`. */
  readonly path: string;
  /** Default: management. */
  readonly surfaces?: readonly SurfaceName[];
  /** True if it needs no session. */
  readonly isOpen?: true;
  /** Names of query parameters. */
  readonly query?: readonly string[];
  /** Request headers that carry input, by the name that they have in process. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Media types of the body; none: it has no body. */
  readonly media?: readonly string[];
  /** True if `{id}` of its path names an entity: a GET returns its version, and a change may be conditional on it. */
  readonly hasEntity?: true;
  /** Default: data in the envelope. */
  readonly answer?: 'page' | 'events' | 'raw' | 'bare';
  /** Media types of a raw answer. */
  readonly contentTypes?: readonly string[];
}
