/** The periods of the page about usage. Sums are kept by UTC hours and days, so periods begin at midnight UTC. */

export const PERIODS = ['hours', 'days'] as const;
export type Period = (typeof PERIODS)[number];

export const GROUPINGS = ['service', 'identity', 'router'] as const;
export type Grouping = (typeof GROUPINGS)[number];

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The span of a bar, and the number of days of a period, the current one included. */
export const SPANS = { hours: { by: 'hour', ms: HOUR, days: 2 }, days: { by: 'day', ms: DAY, days: 30 } } as const satisfies Readonly<
  Record<Period, { readonly by: 'hour' | 'day'; readonly ms: number; readonly days: number }>
>;

/** The beginning of a period that ends now, in RFC 3339. */
export const startOf = (period: Period, now = Date.now()): string =>
  new Date(Math.floor(now / DAY) * DAY - (SPANS[period].days - 1) * DAY).toISOString();

/** The beginnings of the spans of a period, up to the current one. */
export const spansFrom = (period: Period, from: string, now = Date.now()): readonly string[] => {
  const { ms } = SPANS[period];
  const first = Date.parse(from);
  return Array.from({ length: Math.floor((now - first) / ms) + 1 }, (_, index) => new Date(first + index * ms).toISOString());
};
