/** The errors of a client's query. The messages contain the problem, its position, and what would be valid. */

/** A filter that is not valid in the language of docs/filters.md, or not for the kind. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
  /** Position of the error in the filter, counted from 1. */
  readonly position: number;
  constructor(message: string, position: number, options?: ErrorOptions) {
    super(`${message}, at position ${position}`, options);
    this.position = position;
  }
}

/** An invalid `sort` parameter, which has a separate error code. An invalid `sort by` inside a filter is a `FilterError`. */
export class SortError extends Error {
  override readonly name = 'SortError';
}

/** Quotes and shortens a part of the client's text for a message. */
export const shownText = (text: string): string => `'${text.length > 40 ? `${text.slice(0, 40)}...` : text}'`;
