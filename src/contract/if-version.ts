/** Hint in messages about an unsupported condition. */
export const CONDITIONAL_OPERATIONS = 'only replace, patch and delete of an entity do';

/**
 * Checks the option `ifVersion` of a call.
 * @param isConditional whether the operation supports `ifVersion`
 * @returns the version
 * @throws TypeError if the operation does not support `ifVersion`, or the value is not a version
 */
export const checkIfVersion = (name: string, isConditional: boolean, version: unknown): number => {
  if (!isConditional) throw new TypeError(`${name} does not accept ifVersion: ${CONDITIONAL_OPERATIONS}`);
  if (Number.isSafeInteger(version) && Number(version) >= 1) return Number(version);
  const hint = version === undefined ? NO_VERSION : 'versionOf(entity) returns it for an entity that get or list returned';
  throw new TypeError(`ifVersion of ${name} must be the version of an entity, an integer from 1, got ${describe(version)}: ${hint}`);
};

const NO_VERSION = 'the object has no version: pass one that get or list returned in this process, or a shallow copy of it';

const describe = (value: unknown): string => (typeof value === 'object' && value !== null ? 'an object' : String(value).slice(0, 100));
