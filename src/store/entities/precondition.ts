import type { Kind } from '../../contract/api/kit/resource.ts';
import { explained } from '../../contract/errors/index.ts';
import { tableOf } from '../changelog/views.ts';
import type { Row } from '../storage/port.ts';

type Stored = Pick<Kind, 'kind' | 'view'>;

/** The versions that the entity of a call may have (`If-Match`). */
export interface Precondition {
  readonly kind: Stored;
  readonly id: string;
  readonly versions: readonly number[];
}

/**
 * Checks an entity that is read or written.
 * @throws ApiError `PRECONDITION_FAILED`
 */
export type Guard = (kind: Stored, row: Row) => void;

/**
 * Creates the check of a precondition for one transaction. It checks the entity only when it is first read or written, because the
 * transaction's own writes change the version.
 */
export const createGuard = (precondition: Precondition): Guard => {
  let pending: Precondition | undefined = precondition;
  return (kind, row) => {
    if (pending === undefined || row.id !== pending.id || tableOf(kind) !== tableOf(pending.kind)) return;
    const { versions } = pending;
    if (!versions.includes(row.version)) {
      const expected = versions.length === 0 ? 'another one' : versions.join(' or ');
      throw explained(
        'PRECONDITION_FAILED',
        `${pending.kind.kind} ${row.id} has version ${row.version}, but the request expects ${expected}`,
      );
    }
    pending = undefined;
  };
};
