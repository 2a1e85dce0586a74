import type { Envelope, ErrorForm } from './envelope.ts';
import type { SessionRule } from './session-rule.ts';

/** A path without a trailing slash, e.g. `/edge/client/v1`; `/` is the root. */
export type Prefix = `/${string}`;

/**
 * An API surface: operations that share a path prefix and the form of their answers. All differences between surfaces are declared here.
 */
export interface Surface<N extends string = string> {
  /** Name in documents and messages, e.g. `management`. */
  readonly name: N;
  /** The path under which the surface is reachable. */
  readonly prefix: Prefix;
  /** Aliases of the prefix. The longest matching prefix wins, so `/` matches only paths that belong to no other surface. */
  readonly aliases: readonly Prefix[];
  /** The form of response bodies with data. */
  readonly envelope: Envelope;
  /** The form of answers to refused requests, including those for unknown paths and methods under the prefix. */
  readonly errorForm: ErrorForm;
  readonly session: SessionRule;
  /** Response headers of this surface that other origins may read, in lower case. */
  readonly exposedHeaders: readonly string[];
  /** Rejects repeated query parameters that accept a single value; otherwise the first value is used. */
  readonly refusesRepeated: boolean;
  /** Rejects query parameters that the operation does not declare; otherwise they are ignored. */
  readonly refusesUnknown: boolean;
}

type Optional = 'aliases' | 'exposedHeaders' | 'refusesRepeated' | 'refusesUnknown';
type Declaration<N extends string> = Omit<Surface<N>, Optional> & Partial<Pick<Surface, Optional>>;

/** @throws TypeError if the prefix or an alias is not a normalized path */
export const surface = <const N extends string>({
  aliases = [],
  exposedHeaders = [],
  refusesRepeated = false,
  refusesUnknown = false,
  ...declaration
}: Declaration<N>): Surface<N> => {
  const invalid = [declaration.prefix, ...aliases].find((path) => !/^(\/|(\/[\w.~-]+)+)$/.test(path));
  if (invalid !== undefined) throw new TypeError(`the surface ${declaration.name} needs prefixes like /edge/client/v1, got '${invalid}'`);
  return { aliases, exposedHeaders, refusesRepeated, refusesUnknown, ...declaration };
};
