/** Pages of lists, from the offsets in addresses. */

/** A page of a list of the API. */
export interface ListPage<T> {
  readonly data: readonly T[];
  readonly pagination: { readonly limit: number; readonly offset: number; readonly totalCount: number };
}

/** A whole number that the API accepts as an offset; 0 for any other text. */
export const offsetIn = (text = ''): number => {
  const offset = Number(text);
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
};

/** The offset of the last page. */
export const lastOffset = (totalCount: number, limit: number): number => Math.floor((totalCount - 1) / limit) * limit;

/** Reads the page at an offset or, if that is beyond the end, the last page. */
export const readPageAt = async <T>(
  offset: number,
  limit: number,
  read: (offset: number) => Promise<ListPage<T>>,
): Promise<ListPage<T>> => {
  const page = await read(offset);
  const { totalCount } = page.pagination;
  if (page.data.length > 0 || offset === 0 || totalCount === 0) return page;
  return readPageAt(lastOffset(totalCount, limit), limit, read);
};

/** The largest page that the controller returns. */
const LARGEST_PAGE = 500;

/**
 * Reads the first `max` entities of a list, page by page.
 * @param report called with the number that has been read, and the number to read
 */
export const readFirst = async <T extends { readonly id: string }>(
  max: number,
  read: (range: { readonly limit: number; readonly offset: number }) => Promise<ListPage<T>>,
  report: (count: number, total: number) => void = () => {},
): Promise<{ readonly data: readonly T[]; readonly totalCount: number }> => {
  // An entity that moves while the pages are read may be on two of them.
  const found = new Map<string, T>();
  let totalCount = 1;
  for (let offset = 0; offset < Math.min(totalCount, max); offset += LARGEST_PAGE) {
    const { data, pagination } = await read({ limit: Math.min(LARGEST_PAGE, max - offset), offset });
    for (const entity of data) found.set(entity.id, entity);
    totalCount = pagination.totalCount;
    report(found.size, Math.min(totalCount, max));
  }
  return { data: [...found.values()], totalCount };
};
