/**
 * Path and query of a request target. An absolute target (`https://host/path`, as a proxy may send it) counts by its path.
 */
export const splitTarget = (target: string): { readonly path: string; readonly query: string } => {
  const local = target.startsWith('/') ? target : withoutAuthority(target);
  const mark = local.indexOf('?');
  return mark < 0 ? { path: local, query: '' } : { path: local.slice(0, mark), query: local.slice(mark + 1) };
};

/**
 * The segments of a path: empty ones and `.` dropped, `..` resolved (never above the root), then each one percent-decoded, so that `%2F` stays
 * inside its segment. `malformed` when an escape is none or gives no UTF-8; undefined when a segment holds what no path of ours can (U+0000).
 */
export const pathSegments = (path: string): readonly string[] | 'malformed' | undefined => {
  const segments: string[] = [];
  for (let from = 0; from <= path.length; ) {
    let to = path.indexOf('/', from);
    if (to < 0) to = path.length;
    const segment = path.slice(from, to);
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
    from = to + 1;
  }
  if (path.includes('%')) {
    try {
      for (let i = 0; i < segments.length; i++) segments[i] = decodeURIComponent(segments[i] as string); // i is below the length
    } catch {
      return 'malformed';
    }
  }
  return segments.every(isStorable) ? segments : undefined;
};

/** True if every store can hold the text: SQL engines refuse U+0000, and a lone surrogate has no UTF-8 form. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

const withoutAuthority = (target: string): string => {
  const scheme = target.indexOf('://');
  if (scheme < 0) return `/${target}`;
  const end = target.slice(scheme + 3).search(/[/?]/);
  const local = end < 0 ? '' : target.slice(scheme + 3 + end);
  return local.startsWith('/') ? local : `/${local}`;
};
