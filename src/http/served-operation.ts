import type { Entry } from '../call/entry.ts';
import { destinationOf } from '../call/observed.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import type { Destination } from '../runtime/observability/observation.ts';
import { offersOf } from './media-types.ts';
import { type QueryParameters, queryParameters } from './query-string.ts';

/** An operation on a surface, with everything that its requests have in common. */
export interface ServedOperation {
  readonly entry: Entry;
  readonly surface: Surface;
  /** The media types of its answer; none if it never has a body. */
  readonly offers: readonly string[];
  /** The query parameters that it accepts; undefined if the query can be ignored. */
  readonly query: QueryParameters | undefined;
  readonly destination: Destination;
}

export const servedOperation = (entry: Entry, surface: Surface): ServedOperation => ({
  entry,
  surface,
  offers: offersOf(surface, entry.operation),
  query: queryParameters(entry.operation),
  destination: destinationOf(entry, surface),
});
