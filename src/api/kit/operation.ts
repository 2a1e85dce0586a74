import type * as z from 'zod';
import type { CodeWith, ErrorCode } from '../../errors/catalog.ts';
import type { Answer, Page, Pagination } from '../surfaces/answer.ts';
import type { HttpOutput, ServerSentEvent } from '../surfaces/http-output.ts';
import { surfaces as known } from '../surfaces/index.ts';
import type { Surface } from '../surfaces/surface.ts';
import { created, empty } from './entity.ts';
import { type PathParameters, parametersOf } from './path-template.ts';
import type { Resource } from './resource.ts';
import { unboundedIn } from './unbounded.ts';

export type { Answer, Page, Pagination };

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The required session: `open`: none; `partial`: an API session, even while it owes a second factor; `session`: an API session that owes none;
 * `<kind>.<verb>`: holders of that right, today administrators.
 */
export type Permission = 'open' | 'partial' | 'session' | `${string}.${'read' | 'create' | 'update' | 'delete'}`;

export interface Body {
  readonly schema: z.ZodType;
  /** Named in the error for a missing body. */
  readonly name: string;
  /** Default true. */
  readonly required?: boolean;
  /**
   * Accepted media types; default: JSON only. `application/x-www-form-urlencoded` reaches the schema as an object of strings, with a list for a
   * repeated name; any other type reaches it as a string.
   */
  readonly media?: readonly string[];
  /** The code of the refusal of another type; default `COULD_NOT_VALIDATE`, with 415. */
  readonly unsupported?: CodeWith<'field'>;
}

/** An operation, declared once: routing, decoding, permissions, the types of the API, OpenAPI and the reference docs all follow from it. */
export interface Operation<I = unknown, O = unknown, D = I> {
  readonly operationId: string;
  readonly method: HttpMethod;
  /** Below the surface's prefix, with parameters in braces: `/identities/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly permission: Permission;
  /** For operations on entities of the caller's own identity: the right to call them for those of every identity. */
  readonly ofAll?: `ops.${'read' | 'delete'}`;
  /** An actor without the rights gets 401, or 403 if the specification says so. */
  readonly denied?: 403;
  /** The request must present a client certificate in TLS: without one it is 401, before its body is looked at. */
  readonly needsCertificate?: true;
  readonly surfaces: readonly Surface[];
  /** Query parameters; in process they stand beside the path parameters. A parameter that is an array may be repeated. */
  readonly query?: z.ZodObject;
  /** Request headers that carry input, by the name that they have in process: `{ code: 'mfa-validation-code' }`. Each may be left out. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly answer: Answer;
  /** The status of its answers, unless the handler says another. */
  readonly status: number;
  /**
   * The kind of the entity that `{id}` of its path names. A GET returns its version as the header `etag`; a change may be conditional on it
   * (`ifVersion`, header `if-match`).
   */
  readonly entity?: Pick<Resource, 'kind' | 'view'>;
  /** True for a change of such an entity, which may be conditional on its version. */
  readonly isConditional: boolean;
  /** It may answer 202 while its work continues, with the address of the state in the header `location`. */
  readonly accepted?: true;
  /** Beyond those that follow from the rest: 400 for bodies and queries, 401, 404 for path parameters, 429. */
  readonly errors?: readonly ErrorCode[];
  /** Carries the types of input, output, and input as decoded; never set. */
  readonly types?: { readonly input: I; readonly output: O; readonly decoded: D };
}

export type Operations = Readonly<Record<string, Operation>>;

/** The names of its input, as callers in process give it. */
export const inputNames = ({
  path,
  query,
  headers = {},
  body,
}: Pick<Operation, 'path' | 'query' | 'headers' | 'body'>): readonly string[] => [
  ...parametersOf(path),
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
/** Arguments are never mutated, so an entity that was read can be passed in as it is. */
type Untouched<T> = T extends Uint8Array ? T : T extends object ? { readonly [K in keyof T]: Untouched<T[K]> } : T;
/** The input of an in-process caller. */
export type InputOf<O> = Types<O> extends { readonly input: infer I } ? Untouched<I> : never;
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
  'method' | 'path' | 'query' | 'headers' | 'body' | 'answer' | 'status' | 'isConditional' | 'surfaces' | 'types'
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
 * Declares an operation; input and output types follow from path, query, headers, body and answer.
 * @throws TypeError if its input holds a text, a list or a map without a bound
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
  { surfaces = [known.management], ...rest }: Declared<Q, H, B, A>,
): Operation<
  Expand<PathParameters<P> & QueryInput<Q> & HeadersInput<H> & BodyInput<B>>,
  AnswerOutput<A>,
  Expand<PathParameters<P> & QueryDecoded<Q> & HeadersInput<H> & BodyDecoded<B>>
> => {
  for (const schema of [rest.query, rest.body?.schema]) {
    const place = schema && unboundedIn(schema);
    if (place !== undefined)
      throw new TypeError(`the input of ${method} ${path} has no bound at ${place || 'its root'}: use textUpTo, list and mapOf of the kit`);
  }
  // `types` is a phantom: the object holds only the declaration.
  const isConditional = method !== 'GET' && rest.entity !== undefined;
  return { method, path, surfaces, isConditional, status: rest.answer.is === 'created' ? 201 : 200, ...rest } as never;
};

export const data = <S extends z.ZodType>(schema: S, more: { readonly counts?: string; readonly isBare?: true } = {}) =>
  ({ is: 'data', schema, ...more }) as const;
export const page = <S extends z.ZodType>(item: S, more: { readonly of?: string } = {}) => ({ is: 'page', item, ...more }) as const;
export const CREATED = { is: 'created', schema: created } as const;
export const EMPTY = { is: 'empty', schema: empty } as const;
