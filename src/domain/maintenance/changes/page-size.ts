/** Numbers of records in a page. For backpressure, the next page is read only after the client has consumed the current one. */
const PAGE = { first: 10, min: 2, max: 100 } as const;
/** Approximate size of a page in bytes: a change may take two megabytes, and a page stays in memory while its reader stalls. */
const PAGE_BYTES = 262_144;

/** The number of records in a page, by the average size of the previous ones. */
export const recordsPerPage = (averageBytes: number | undefined): number =>
  averageBytes === undefined ? PAGE.first : Math.max(PAGE.min, Math.min(PAGE.max, Math.floor(PAGE_BYTES / averageBytes)));
