/** A mount path without trailing slashes, e.g. `/overlay`. */
export const mountPoint = (mount = ''): string => mount.replace(/\/+$/, '');

/**
 * The prefix that a framework has stripped from the path, as Express's `use` does.
 * @param original path and query before stripping
 */
export const strippedPrefix = (original: string, url: string): string => {
  const [originalPath = '', path = ''] = [original, url].map((target) => target.split('?', 1)[0]);
  if (originalPath.endsWith(path)) return originalPath.slice(0, originalPath.length - path.length);
  return path === '/' ? originalPath : '';
};

/** Removes the mount path from path and query; undefined if the target is outside of it. */
export const withoutMount = (mount: string, target: string): string | undefined => {
  if (mount === '') return target;
  if (!target.startsWith(mount)) return undefined;
  const remainder = target.slice(mount.length);
  if (remainder === '' || remainder[0] === '?') return `/${remainder}`;
  return remainder[0] === '/' ? remainder : undefined;
};
