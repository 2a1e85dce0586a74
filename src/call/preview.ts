import type * as z from 'zod';
import type { accessReport } from '../api/access-report.ts';
import type { Change } from '../changelog/events.ts';

/** Who gains and who loses what. */
export type AccessReport = z.output<typeof accessReport>;

/** What a call would do, had it been made. Nothing of it has happened. */
export interface Preview<T> {
  /** The answer of the call. Ids and secrets in it are those of the preview: the call itself gives others. */
  readonly result: T;
  /** The entities that the call would change, in order, at most 500. A caller with limited rights sees those that its right is about. */
  readonly changes: readonly PreviewedChange[];
  /** The number of changes that the call would make, with those that are not shown, such as sessions that would end. */
  readonly changeCount: number;
  /** Who gains and loses what: the first page, which `access.preview` continues. Missing for a caller with limited rights. */
  readonly access?: AccessReport;
  /** The last revision of the state that the preview is about. */
  readonly revision: number;
}

/** A change that a call would make. */
export interface PreviewedChange {
  readonly action: Change['action'];
  /** Kind of the entity: `identity`. */
  readonly entity: Change['entity'];
  readonly entityId: string;
  /** The entity before and after, without secrets; null if it does not exist. Only for administrators. */
  readonly before?: unknown;
  readonly after?: unknown;
}
