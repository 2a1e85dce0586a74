/** Conversion between times in UTC and the local times of a `datetime-local` field. */

/** The local time of a UTC time, without an offset; empty if the text is not a time. */
export const toLocalTime = (utc: string): string => {
  const at = new Date(utc);
  return Number.isNaN(at.getTime()) ? '' : new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
};

/** The UTC time of a local time; empty if the text is not a time. */
export const toUtc = (local: string): string => {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
};
