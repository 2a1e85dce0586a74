import type { KindName } from '../api/index.ts';

/** A committed write of one entity. Fields that nobody may read (hashes, secrets) are in neither state. */
export interface Change<K extends string = KindName> {
  /** Grows by one with every change of this controller. */
  readonly revision: number;
  readonly action: 'create' | 'update' | 'delete';
  /** Kind of the entity: `identity`, `apiSession`, ... */
  readonly entity: K;
  readonly entityId: string;
  /** Id of the identity that did it, `system` for the host's own code, `anonymous` for a login. */
  readonly actor: string;
  readonly requestId: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** Names of events: `change` for every change, or `identity`, `apiSession`, ... for those of one kind. They come after the commit, in order of revision. */
export type ChangeEvents = { readonly [K in KindName]: [change: Change<K>] } & { readonly change: [change: Change] };

/** The id of a change record: ids sort as revisions do, so that the log is read along its primary key. */
export const changeId = (revision: number): string => String(revision).padStart(16, '0');
