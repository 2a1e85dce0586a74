import type * as z from 'zod';
import type { CodeWith, ErrorCode } from '../../errors/catalog.ts';
import type { Answer, Page, Pagination } from '../surfaces/answer.ts';
import type { HttpOutput, ServerSentEvent } from '../surfaces/http-output.ts';
import { surfaces as SURFACES } from '../surfaces/index.ts';
import type { Surface } from '../surfaces/surface.ts';
import { created, empty } from './entity.ts';
import { type PathParameters, parametersOf } from './path-template.ts';
import type { Resource } from './resource.ts';
import { unboundedIn } from './unbounded.ts';

export type { Answer, Page, Pagination };

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The requirement for the caller. `open`: nothing; `partial`: an API session, even one that still lacks a second factor; `session`: a fully
 * authenticated API session; `<kind>.<verb>`: that right, which administrators have, and delegates through permissions.
 */
export type Permission = 'open' | 'partial' | 'session' | `${string}.${'read' | 'create' | 'update' | 'delete'}`;

export interface Body {
  readonly schema: z.ZodType;
  /** The name of the body in the error for a missing body. */
  readonly name: string;
  /** Default true. */
  readonly required?: boolean;
  /**
   * Accepted media types; default: JSON only. `application/x-www-form-urlencoded` reaches the schema as an object of strings, with a list
   * for a repeated name; any other type reaches it as a string.
   */
  readonly media?: readonly string[];
  /** True if callers with the right may send larger bodies than others: documents of many entities. */
  readonly isLarge?: true;
  /** The error code for any other media type; default `COULD_NOT_VALIDATE`, with 415. */
  readonly unsupported?: CodeWith<'field'>;
}

/** An operation, declared once: routing, decoding, permissions, the types of the API, OpenAPI and the reference docs all follow from it. */
export interface Operation<I = unknown, O = unknown, D = I> {
  readonly operationId: string;
  readonly method: HttpMethod;
  /** Relative to the surface's prefix, with parameters in braces: `/identities/{id}`. */
  readonly path: string;
  /** Names of the path's parameters, from left to right. */
  readonly parameters: readonly string[];
  readonly summary: string;
  readonly permission: Permission;
  /**
   * The unscoped permissions that allow the operation; empty: only administrators may call it. Default: the permissions that `permission`
   * names, scoped or unscoped, and `admin_readonly` if it is a right to read.
   */
  readonly acceptedPermissions?: readonly string[];
  /**
   * Where every session may call the operation, without its right: everywhere, or on the client API and, with the setting `compat` 1.7, on
   * the management API. Default: nowhere.
   */
  readonly everySession?: 'everywhere' | 'onClientApi';
  /** For operations on entities of the caller's identity: the right that extends the operation to entities of all identities. */
  readonly ofAll?: `ops.${'read' | 'delete'}`;
  /**
   * The access of API tokens to the operation: `true` if it requires no right, `false` if it requires a session whose token is not known to
   * routers. Default: true for operations that require a right, which the token must have.
   */
  readonly byToken?: boolean;
  /** The field of the answer with a secret that is returned only once: answers repeated for an idempotency key omit it. */
  readonly givenOnce?: string;
  /**
   * Kinds of entities in the answer, besides those in the path. Entities that the caller may not see are omitted; extensions also omit all
   * entities of a kind that the caller may not read at all, even of one in the path.
   */
  readonly shows?: readonly string[];
  /**
   * Kinds to which the entities of the operation belong, although no field of a kind says so. What belongs to an entity beyond a limit of
   * the caller is not found. A caller that may not read such a kind at all is not limited.
   */
  readonly belongsTo?: readonly string[];
  /** The status for callers without the right, if the specification requires 403. Default: 401. */
  readonly denied?: 403;
  /** The request must present a TLS client certificate. Without one, the answer is 401, before the body is validated. */
  readonly needsCertificate?: true;
  readonly surfaces: readonly Surface[];
  /** Query parameters; in-process callers pass them beside the path parameters. A parameter that is an array may be repeated. */
  readonly query?: z.ZodObject;
  /** Request headers with input, by the name of the input for in-process callers: `{ code: 'mfa-validation-code' }`. All are optional. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly answer: Answer;
  /** The status of answers, unless the handler sets another. */
  readonly status: number;
  /**
   * The kind of the entity that `{id}` in the path identifies. GET returns the entity's version in the header `etag`; changes may be
   * conditional on the version (`ifVersion`, header `if-match`).
   */
  readonly entity?: Pick<Resource, 'kind' | 'view'>;
  /** True for a change of such an entity, which may be conditional on its version. */
  readonly isConditional: boolean;
  /**
   * True for a read whose answer depends on data that change records do not contain, such as connections: it is not available for past
   * states.
   */
  readonly presentOnly?: true;
  /** True for a read that waits for routers after a restart of the controller, and must not keep a transaction open while it waits. */
  readonly awaitsRouters?: true;
  /** True if the operation may answer 202 while its work continues. The header `location` then contains the address of the state. */
  readonly accepted?: true;
  /**
   * The reason why the operation can neither be part of a batch nor be previewed, e.g. because it has effects that cannot be rolled back.
   * Default: it can, if it writes and requires a right.
   */
  readonly standalone?: string;
  /** True if the operation runs other operations in one transaction. It can be previewed like these. */
  readonly isBatch?: true;
  /** Error codes beyond those that follow from the declaration: 400 for bodies and queries, 401, 404 for path parameters, 429. */
  readonly errors?: readonly ErrorCode[];
  /** Phantom: carries the types of the input, the output and the decoded input; never set. */
  readonly types?: { readonly input: I; readonly output: O; readonly decoded: D };
}

/**
 * True if every session may call an operation on a surface without its right.
 * @param compat the setting. Default: current releases
 */
export const isForEverySession = ({ everySession }: Pick<Operation, 'everySession'>, surface: Surface, compat?: string): boolean =>
  everySession === 'everywhere' || (everySession !== undefined && (surface === SURFACES.client || compat === '1.7'));

export type Operations = Readonly<Record<string, Operation>>;

/** The names of an operation's inputs, as in-process callers pass them. */
export const inputNames = ({
  parameters,
  query,
  headers = {},
  body,
}: Pick<Operation, 'parameters' | 'query' | 'headers' | 'body'>): readonly string[] => [
  ...parameters,
  ...Object.keys(query?.shape ?? {}),
  ...Object.keys(headers),
  ...(body ? ['body'] : []),
];

/** Operations that share a name in the API and a tag in the documentation: `controller.api.<group>.<verb>(input)`. */
export interface Group<N extends string = string, O extends Operations = Operations> {
  readonly name: N;
  readonly about: string;
  readonly operations: O;
}

export const group = <const N extends string, O extends Operations>(name: N, about: string, operations: O): Group<N, O> => ({
  name,
  about,
  operations,
});

type QueryInput<Q> = Q extends z.ZodObject ? { readonly [K in keyof z.input<Q>]: z.input<Q>[K] } : unknown;
type QueryDecoded<Q> = Q extends z.ZodObject ? z.output<Q> : unknown;
type HeadersInput<H> = H extends Readonly<Record<string, string>> ? { readonly [K in keyof H]?: string } : unknown;
type BodyInput<B> = B extends { readonly schema: z.ZodType; readonly required: false }
  ? { readonly body?: z.input<B['schema']> }
  : B extends { readonly schema: z.ZodType }
    ? { readonly body: z.input<B['schema']> }
    : unknown;
type BodyDecoded<B> = B extends { readonly schema: z.ZodType; readonly required: false }
  ? { readonly body?: z.output<B['schema']> }
  : B extends { readonly schema: z.ZodType }
    ? { readonly body: z.output<B['schema']> }
    : unknown;
type Expand<T> = { [K in keyof T]: T[K] };
type Types<O> = O extends { readonly types?: infer T } ? NonNullable<T> : never;
/** Arguments are never mutated, so read-only entities can be passed as they are. */
type DeepReadonly<T> = T extends Uint8Array ? T : T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
/** The input of an in-process caller. */
export type InputOf<O> = Types<O> extends { readonly input: infer I } ? DeepReadonly<I> : never;
/** The result of a call. */
export type OutputOf<O> = Types<O> extends { readonly output: infer R } ? R : never;
/** The input of a handler. */
export type DecodedOf<O> = Types<O> extends { readonly decoded: infer D } ? D : never;

type AnswerOutput<A extends Answer> = A extends { is: 'data'; schema: z.ZodType<infer T> }
  ? T
  : A extends { is: 'page'; item: z.ZodType<infer T> }
    ? Page<T>
    : A extends { is: 'created'; schema: z.ZodType<infer T> }
      ? T
      : A extends { is: 'empty' }
        ? Record<string, never>
        : A extends { is: 'response' }
          ? HttpOutput
          : A extends { is: 'events' }
            ? AsyncIterable<ServerSentEvent<A extends { item: z.ZodType<infer T> } ? T : string>>
            : { readonly contentType: string; readonly body: string | Uint8Array };

type Declared<Q, H, B, A extends Answer> = Omit<
  Operation,
  'method' | 'path' | 'parameters' | 'query' | 'headers' | 'body' | 'answer' | 'status' | 'isConditional' | 'surfaces' | 'types'
> & {
  readonly query?: Q;
  readonly headers?: H;
  readonly body?: B;
  readonly answer: A;
  /** Default: 201 for a creation, else 200. */
  readonly status?: number;
  /** Default: management. */
  readonly surfaces?: readonly Surface[];
};

/**
 * Declares an operation; its input and output types follow from path, query, headers, body and answer.
 * @throws TypeError if its input contains an unbounded string, list or map
 */
export const operation = <
  const P extends string,
  const Q extends z.ZodObject | undefined,
  const H extends Readonly<Record<string, string>> | undefined,
  const B extends Body | undefined,
  const A extends Answer,
>(
  method: HttpMethod,
  path: P,
  { surfaces = [SURFACES.management], ...declaration }: Declared<Q, H, B, A>,
): Operation<
  Expand<PathParameters<P> & QueryInput<Q> & HeadersInput<H> & BodyInput<B>>,
  AnswerOutput<A>,
  Expand<PathParameters<P> & QueryDecoded<Q> & HeadersInput<H> & BodyDecoded<B>>
> => {
  for (const schema of [declaration.query, declaration.body?.schema]) {
    const unbounded = schema && unboundedIn(schema);
    if (unbounded !== undefined)
      throw new TypeError(`the input of ${method} ${path} is unbounded at ${unbounded || 'its root'}: use textUpTo, list and mapOf`);
  }
  const isConditional = method !== 'GET' && declaration.entity !== undefined;
  const status = declaration.answer.is === 'created' ? 201 : 200;
  // The types of the input and output are phantoms.
  return { method, path, parameters: parametersOf(path), surfaces, isConditional, status, ...declaration } as never;
};

export const data = <S extends z.ZodType>(schema: S, options: { readonly counts?: string; readonly isBare?: true } = {}) =>
  ({ is: 'data', schema, ...options }) as const;
export const page = <S extends z.ZodType>(item: S, options: { readonly of?: string } = {}) => ({ is: 'page', item, ...options }) as const;
export const CREATED = { is: 'created', schema: created } as const;
export const EMPTY = { is: 'empty', schema: empty } as const;
