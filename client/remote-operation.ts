import type { HttpMethod } from '../src/contract/api/kit/operation.ts';
import type { SurfaceName } from '../src/contract/api/surfaces/index.ts';

/**
 * The parts of an operation that a client needs to build the request and decode the answer. The controller validates the input, so the
 * client does not need the schemas, which are far larger. `operations.ts` is generated from the declarations in `src/contract/api/`.
 */
export interface RemoteOperation {
  readonly operationId: string;
  readonly method: HttpMethod;
  /** Path, relative to the prefix of a surface, with parameters in braces: `/identities/{id}`. */
  readonly path: string;
  /** Default: management. */
  readonly surfaces?: readonly SurfaceName[];
  /** True if the operation requires no session. */
  readonly isOpen?: true;
  /** Names of query parameters. */
  readonly query?: readonly string[];
  /** Request headers with input, by the name of the input in process. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Media types of the body; undefined if the operation has no body. */
  readonly media?: readonly string[];
  /** True if `{id}` in the path identifies an entity: a GET returns its version, and a change may be conditional on the version. */
  readonly hasEntity?: true;
  /** Default: data in the envelope. */
  readonly answer?: 'page' | 'events' | 'raw' | 'bare';
  /** Media types of a raw answer. */
  readonly contentTypes?: readonly string[];
}
