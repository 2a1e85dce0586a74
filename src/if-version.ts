/**
 * The option `ifVersion` of a call, once it has a meaning there.
 * @param isConditional whether the operation may be called on condition of a version
 * @throws TypeError where nothing could be held against it, and for what is no version
 */
export const expectedVersion = (name: string, isConditional: boolean, version: unknown): number => {
  if (!isConditional) throw new TypeError(`${name} takes no ifVersion: only replace, patch and delete of an entity do`);
  if (!Number.isSafeInteger(version) || Number(version) < 1)
    throw new TypeError(
      `${name} takes as ifVersion the version of an entity, an integer from 1, got ${String(version)}: versionOf(entity) gives it for an entity as get or list returned it, and undefined for a copy`,
    );
  return Number(version);
};
