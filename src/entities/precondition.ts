import type { Kind } from '../api/kit/resource.ts';
import { tableOf } from '../changelog/views.ts';
import { explained } from '../errors/index.ts';
import type { Row } from '../storage/port.ts';

type Stored = Pick<Kind, 'kind' | 'view'>;

/** Restricts a call to certain versions of the entity that it changes (`If-Match`). */
export interface Precondition {
  readonly kind: Stored;
  readonly id: string;
  readonly versions: readonly number[];
}

/**
 * Creates the check of a precondition for one transaction. It checks the entity when it is first read or written, and not again, because the transaction's own
 * writes change the version.
 * @throws ApiError `PRECONDITION_FAILED`
 */
export const createGuard = (precondition: Precondition): ((kind: Stored, row: Row) => void) => {
  let pending: Precondition | undefined = precondition;
  return (kind, row) => {
    if (pending === undefined || row.id !== pending.id || tableOf(kind) !== tableOf(pending.kind)) return;
    const { versions } = pending;
    if (!versions.includes(row.version)) {
      const expected = versions.length === 0 ? 'none that it can have' : versions.join(' or ');
      throw explained(
        'PRECONDITION_FAILED',
        `${pending.kind.kind} ${row.id} has version ${row.version}, and the request expects ${expected}`,
      );
    }
    pending = undefined;
  };
};
