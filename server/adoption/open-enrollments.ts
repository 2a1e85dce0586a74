type Values = Readonly<Record<string, unknown>>;

/**
 * An entity without enrollments that have expired, which `adopt` leaves out if it may.
 * @param now in milliseconds
 * @returns undefined if the entity is such an enrollment
 */
export const withoutExpired = <T extends Values>(collection: string, entity: T, now: number): T | undefined => {
  if (collection === 'enrollments') return hasExpired(entity.expiresAt, now) ? undefined : entity;
  if (collection === 'identities' && isObject(entity.enrollment)) {
    const open = Object.entries(entity.enrollment).filter(([, one]) => !isObject(one) || !hasExpired(one.expiresAt, now));
    return { ...entity, enrollment: Object.fromEntries(open) };
  }
  return hasExpired(entity.enrollmentExpiresAt, now) ? { ...entity, ...NOTHING_OPEN } : entity;
};

/** What a router shows whose enrollment has been left out. */
const NOTHING_OPEN = { enrollmentToken: null, enrollmentJwt: null, enrollmentCreatedAt: null, enrollmentExpiresAt: null };

const hasExpired = (end: unknown, now: number): boolean => typeof end === 'string' && Date.parse(end) <= now;

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;
