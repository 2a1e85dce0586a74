import { checkTypeOf } from '../../../../../src/access/posture/check-types.ts';
import type { Facts, PostureCheckOf, StoredPostureCheck } from '../../../../../src/access/posture/facts.ts';

type TypeId = StoredPostureCheck['typeId'];
type Own<T extends TypeId> = Partial<PostureCheckOf<T>>;

const row = {
  id: 'the-check',
  name: 'the check',
  version: 1,
  createdAt: '2026-11-21T09:00:00.000Z',
  updatedAt: '2026-11-21T09:00:00.000Z',
};

/** A check of a type, as the store holds it. */
export const check = <T extends TypeId>(typeId: T, own: Own<T>): StoredPostureCheck =>
  ({ ...row, tags: {}, roleAttributes: [], typeId, ...own }) as unknown as StoredPostureCheck; // its own fields are given

export const NOW = Date.parse('2026-11-21T10:00:00.000Z');
/** ISO text of a time so many seconds before or after now. */
export const seconds = (from: number): string => new Date(NOW + from * 1000).toISOString();

export const evaluate = (of: StoredPostureCheck, facts: Facts, now = NOW) => checkTypeOf(of).evaluate(of, facts, now);
export const passes = (of: StoredPostureCheck, facts: Facts, now = NOW): boolean => evaluate(of, facts, now).isPassing;
export const query = (of: StoredPostureCheck, facts: Facts, now = NOW) => checkTypeOf(of).query?.(of, facts, now) ?? {};
