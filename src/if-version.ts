import { isConditional, type Operation } from './api/kit/operation.ts';

/**
 * The option `ifVersion` of a call, once it has a meaning there.
 * @throws TypeError where nothing could be held against it, and for what is no version
 */
export const expectedVersion = (name: string, operation: Operation, version: unknown): number => {
  if (!isConditional(operation)) throw new TypeError(`${name} takes no ifVersion: only replace, patch and delete of an entity do`);
  if (!Number.isSafeInteger(version) || Number(version) < 1)
    throw new TypeError(
      `${name} was given an ifVersion that is none, but ${String(version)}: versionOf(entity) tells it of what get gave, not of a copy`,
    );
  return Number(version);
};
