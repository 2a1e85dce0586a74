import type { HttpMethod } from '../api/kit/operation.ts';
import type { SurfaceName } from '../api/surfaces/index.ts';

/**
 * What a client must know about an operation: how to make the request, and how to read the answer. The controller validates the input, so the client does
 * not need the schemas, which are far larger. `operations.ts` is generated from the declarations in `src/api/`.
 */
export interface RemoteOperation {
  readonly operationId: string;
  readonly method: HttpMethod;
  /** Path below the prefix of a surface, with parameters in braces: `/identities/{id}`. */
  readonly path: string;
  /** Default: management. */
  readonly surfaces?: readonly SurfaceName[];
  /** True if it needs no session. */
  readonly isOpen?: true;
  /** Names of query parameters. */
  readonly query?: readonly string[];
  /** Request headers that carry input, by the name of the input in process. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Media types of the body; undefined if it has no body. */
  readonly media?: readonly string[];
  /** True if `{id}` in its path identifies an entity: a GET returns its version, and a change may be conditional on it. */
  readonly hasEntity?: true;
  /** Default: data in the envelope. */
  readonly answer?: 'page' | 'events' | 'raw' | 'bare';
  /** Media types of a raw answer. */
  readonly contentTypes?: readonly string[];
}
