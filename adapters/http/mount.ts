/** Where a controller is mounted, e.g. `/overlay`: without slashes at its end. */
export const mountPoint = (mount = ''): string => mount.replace(/\/+$/, '');

/** Path and query below a mount point; undefined when the target is another's. */
export const below = (mount: string, target: string): string | undefined => {
  if (mount === '') return target;
  if (!target.startsWith(mount)) return undefined;
  const rest = target.slice(mount.length);
  if (rest === '' || rest[0] === '?') return `/${rest}`;
  return rest[0] === '/' ? rest : undefined;
};
