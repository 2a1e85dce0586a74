import type * as z from 'zod';

/** The form of an operation's answer. The status is 201 for `created` and 200 otherwise, unless the operation declares another. */
export type Answer =
  /**
   * One entity, or any other object or list that is not a page. `counts`: a list in it whose length `meta.pagination` reports. `isBare`:
   * sent without an envelope on every surface.
   */
  | { readonly is: 'data'; readonly schema: z.ZodType; readonly counts?: string; readonly isBare?: true }
  /** A page of a list. `of` names the kind of the listed entities if they are not shown as their kind's details. */
  | { readonly is: 'page'; readonly item: z.ZodType; readonly of?: string }
  | { readonly is: 'created'; readonly schema: z.ZodType }
  | { readonly is: 'empty'; readonly schema: z.ZodType }
  /** No envelope: the handler returns `{ contentType, body }`. */
  | { readonly is: 'raw'; readonly contentTypes: readonly string[] }
  /**
   * No envelope: the handler returns an `HttpOutput`, with status, headers and body. Without media types, there is never a body.
   * `hasEnd`: a body in parts has an end, and the answer is cut off if that cannot be reached.
   */
  | { readonly is: 'response'; readonly contentTypes: readonly string[]; readonly hasEnd?: true }
  /**
   * Server-Sent Events: the handler returns an `AsyncIterable` of events, which must end once `call.signal` is aborted. With `item`, the
   * data of each event is an item of this schema, sent as JSON; in process and in the typed client, the operation then returns an
   * `AsyncIterable` of items.
   */
  | { readonly is: 'events'; readonly item?: z.ZodType };

/** The answer of a list: one page. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: Pagination;
  readonly filterableFields: readonly string[];
}

/** The position of a page in its list. */
export interface Pagination {
  /** The limit that was applied, after clamping; `Infinity` if there is none. */
  readonly limit: number;
  readonly offset: number;
  /** Number of matches on all pages. */
  readonly totalCount: number;
}
