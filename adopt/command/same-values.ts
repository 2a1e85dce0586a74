/** Fields about sessions, connections and the software, or that each controller computes for itself. */
const OWN: ReadonlySet<string> = new Set([
  '_links',
  'authPolicy',
  'config',
  'connected',
  'dynamicCost',
  'edgeRouterConnectionStatus',
  'hasApiSession',
  'hasEdgeRouterConnection',
  'hostname',
  'interfaces',
  'isOnline',
  'jwksEndpoint',
  'lastAuthResolvedToRoot',
  'postureQueries',
  'supportedProtocols',
  'syncStatus',
  'versionInfo',
]);

/** Fields of single collections in which the controllers differ by design. */
const OWN_OF: Readonly<Record<string, ReadonlySet<string>>> = {
  // The chain above a certificate is not kept, and no password is shown.
  authenticators: new Set(['certPem', 'updbPassword', 'updbSalt', 'publicKeyPrint']),
  // The former controller has no dates of enrollments, and shows the year 1; the adopted ones are of their issue.
  enrollments: new Set(['createdAt', 'updatedAt']),
  edgeRouters: new Set(['enrollmentCreatedAt']),
  transitRouters: new Set(['enrollmentCreatedAt']),
  services: new Set(['permissions']),
};

type Values = Readonly<Record<string, unknown>>;

/** The fields of the former entity whose value is not the same in the adopted one. */
export const differingFieldsOf = (collection: string, former: Values, adopted: Values): readonly string[] =>
  Object.keys(former).filter(
    (field) =>
      !OWN.has(field) &&
      !field.endsWith('Display') &&
      !OWN_OF[collection]?.has(field) &&
      !isMissing(collection, field, former[field]) &&
      textOf(former[field]) !== textOf(adopted[field]),
  );

/** True if it is a date of an authenticator that a list of release 1.6.0 lacks: it shows the year 1. */
const isMissing = (collection: string, field: string, value: unknown): boolean =>
  collection === 'authenticators' && (field === 'createdAt' || field === 'updatedAt') && String(value).startsWith('0001-01-01T');

/**
 * A text that is the same for values that mean the same: sets in any order, dates to the millisecond, nothing in whatever form. Of a
 * process, this controller shows the operating system under two names, and the former one under `osType`.
 */
export const textOf = (value: unknown): string => JSON.stringify(meaning(value)) ?? '';

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

const meaning = (value: unknown): unknown => {
  if (value === '' || value === false || value === 0 || value === null) return undefined;
  if (typeof value === 'string') return DATE.test(value) && !Number.isNaN(Date.parse(value)) ? Date.parse(value) : value;
  if (Array.isArray(value)) {
    const members = value.map(meaning);
    return members.length === 0 ? undefined : members.map((one) => JSON.stringify(one) ?? '').sort();
  }
  if (typeof value !== 'object' || value === undefined) return value;
  const entries = Object.entries(value)
    .filter(([field]) => field !== '_links' && field !== 'urlName' && !(field === 'os' && 'osType' in value))
    .map(([field, one]) => [field, meaning(one)] as const)
    .filter(([, one]) => one !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? undefined : entries;
};
