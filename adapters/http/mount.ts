/** A mount path without trailing slashes, e.g. `/overlay`. */
export const mountPoint = (mount = ''): string => mount.replace(/\/+$/, '');

/**
 * The prefix that a framework has stripped from the path, as Express's `use` does.
 * @param original path and query before stripping
 */
export const strippedPrefix = (original: string, url: string): string => {
  const [whole = '', rest = ''] = [original, url].map((target) => target.split('?', 1)[0]);
  if (whole.endsWith(rest)) return whole.slice(0, whole.length - rest.length);
  return rest === '/' ? whole : '';
};

/** Removes the mount path from path and query; undefined if the target is outside of it. */
export const withoutMount = (mount: string, target: string): string | undefined => {
  if (mount === '') return target;
  if (!target.startsWith(mount)) return undefined;
  const rest = target.slice(mount.length);
  if (rest === '' || rest[0] === '?') return `/${rest}`;
  return rest[0] === '/' ? rest : undefined;
};
