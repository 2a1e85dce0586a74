/**
 * Dates of the filter language: RFC 3339 date-times, with `T` and `Z` in either case. They are normalised to the format of stored dates
 * (ISO 8601, UTC, three decimals), whose order as text is chronological.
 */

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Converts a date to the format of stored dates. Digits after the third decimal are dropped.
 * @returns undefined unless `text` is an RFC 3339 date-time with an existing day and time, in the years 0000 to 9999 in UTC
 */
export const normaliseDate = (text: string): string | undefined => {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [number, number, number, number, number, number]; // six groups of digits, none optional
  const [fraction = '', sign = '+', offsetHour = '00', offsetMinute = '00'] = match.slice(7);
  const offset = { hour: Number(offsetHour), minute: Number(offsetMinute) };
  if (hour > 23 || minute > 59 || second > 59 || offset.hour > 23 || offset.minute > 59) return undefined;

  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // not Date.UTC, which maps the years 0 to 99 to 1900 to 1999
  const overflows = date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day;
  if (overflows) return undefined;
  const toUtc = (sign === '+' ? -1 : 1) * (offset.hour * 60 + offset.minute);
  date.setUTCHours(hour, minute + toUtc, second, Number(fraction.slice(1, 4).padEnd(3, '0')));
  const iso = date.toISOString();
  return /^\d{4}-/.test(iso) ? iso : undefined; // other years are written with a sign and would not sort as text
};

/** The latest time that this format can represent, in milliseconds since 1970. */
export const FOREVER = Date.parse('9999-12-31T23:59:59.999Z');
