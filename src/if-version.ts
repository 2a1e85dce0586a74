/** The operations that may be conditional. */
export const TAKES_VERSION = 'only replace, patch and delete of an entity do';

/**
 * Checks the option `ifVersion` of a call.
 * @param isConditional whether the operation supports `ifVersion`
 * @throws TypeError if the operation does not support it, or the value is not a version
 */
export const expectedVersion = (name: string, isConditional: boolean, version: unknown): number => {
  if (!isConditional) throw new TypeError(`${name} takes no ifVersion: ${TAKES_VERSION}`);
  if (!Number.isSafeInteger(version) || Number(version) < 1)
    throw new TypeError(
      `${name} takes as ifVersion the version of an entity, an integer from 1, got ${shown(version)}: ${version === undefined ? NO_VERSION : 'versionOf(entity) gives it for an entity that get or list returned'}`,
    );
  return Number(version);
};

const NO_VERSION =
  'versionOf found none, because only an entity that get or list returned has one, and its shallow copies; JSON, structuredClone and lists over HTTP leave it out. Read the entity by its id, or keep versionOf(entity) beside the copy';

const shown = (version: unknown): string => (typeof version === 'object' && version !== null ? 'an object' : String(version).slice(0, 100));
