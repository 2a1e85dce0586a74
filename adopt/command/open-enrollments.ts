type Values = Readonly<Record<string, unknown>>;

/**
 * An entity without what has ended: enrollments, which `adopt` leaves out if it may, and the time for which an identity was disabled, which
 * only the former controller still shows.
 * @param now in milliseconds
 * @returns undefined if the entity is such an enrollment
 */
export const withoutExpired = <T extends Values>(collection: string, entity: T, now: number): T | undefined => {
  if (collection === 'enrollments') return hasExpired(entity.expiresAt, now) ? undefined : entity;
  if (collection === 'identities') {
    const { enrollment } = entity;
    const open = isObject(enrollment)
      ? Object.entries(enrollment).filter(([, one]) => !isObject(one) || !hasExpired(one.expiresAt, now))
      : undefined;
    return {
      ...entity,
      ...(open && { enrollment: Object.fromEntries(open) }),
      ...(hasExpired(entity.disabledUntil, now) ? ENABLED : {}),
    };
  }
  return hasExpired(entity.enrollmentExpiresAt, now) ? { ...entity, ...NOTHING_OPEN } : entity;
};

/** The fields of a router whose enrollment has been left out. */
const NOTHING_OPEN = { enrollmentToken: null, enrollmentJwt: null, enrollmentCreatedAt: null, enrollmentExpiresAt: null };

/** The fields of an identity that is not disabled. */
const ENABLED = { disabled: false, disabledAt: null, disabledUntil: null };

const hasExpired = (end: unknown, now: number): boolean => typeof end === 'string' && Date.parse(end) <= now;

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;
