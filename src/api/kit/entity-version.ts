/** Shared by all copies of this package in a process. */
const VERSION: unique symbol = Symbol.for('overlay-controller.version');

interface Versioned {
  readonly [VERSION]?: number;
  readonly _links?: Versioned;
}

/**
 * Attaches the version to an entity outside its fields, hidden from JSON and comparisons: to its `_links`, which spread and rest copies share.
 * @returns the entity
 */
export const withVersion = <T extends object>(entity: T, version: number): T => {
  Object.defineProperty((entity as Versioned)._links ?? entity, VERSION, { value: version });
  return entity;
};

/**
 * The version of an entity as `get` and `list` of `controller.api` give it, and `get` of a client: the revision of its last write, as of its change record.
 * Pass it as `{ ifVersion }` to change the entity only if it has not changed since. A shallow copy (`{ ...entity }`, `Object.assign`) has the version of
 * the entity that it was copied from.
 *
 * ```ts
 * const ann = await controller.api.identities.get({ id });
 * await controller.api.identities.patch({ id, body: { tags: { ...ann.tags, seen: true } } }, { ifVersion: versionOf(ann) });
 * ```
 * @returns undefined for anything else, such as an entity that went through JSON or `structuredClone`, which keep fields only
 */
export const versionOf = (entity: object): number | undefined => {
  const { [VERSION]: own, _links: links } = entity as Versioned;
  return own ?? links?.[VERSION];
};
