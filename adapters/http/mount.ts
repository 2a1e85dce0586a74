/** A mount path without trailing slashes, e.g. `/overlay`. */
export const mountPoint = (mount = ''): string => mount.replace(/\/+$/, '');

/** Path and query below a mount path; undefined if the target is not below it. */
export const below = (mount: string, target: string): string | undefined => {
  if (mount === '') return target;
  if (!target.startsWith(mount)) return undefined;
  const rest = target.slice(mount.length);
  if (rest === '' || rest[0] === '?') return `/${rest}`;
  return rest[0] === '/' ? rest : undefined;
};
