/** A registered symbol, so that all copies of this package in a process share it. */
const VERSION: unique symbol = Symbol.for('overlay-controller.version');

interface Versioned {
  readonly [VERSION]?: number;
  readonly _links?: Versioned;
}

/**
 * Attaches the version to an entity as a non-enumerable property, which JSON and comparisons ignore. The property is on `_links`, which
 * shallow copies share.
 * @returns the entity itself
 */
export const withVersion = <T extends object>(entity: T, version: number): T => {
  Object.defineProperty((entity as Versioned)._links ?? entity, VERSION, { value: version });
  return entity;
};

/**
 * The version of an entity that `get` or `list` of `controller.api`, or `get` of a client, returned: the revision of its last write, as in
 * its change record. Pass it as `{ ifVersion }` to change the entity only if it has not changed since then. A shallow copy
 * (`{ ...entity }`, `Object.assign`) has the version of the original.
 *
 * ```ts
 * const ann = await controller.api.identities.get({ id });
 * await controller.api.identities.patch({ id, body: { tags: { ...ann.tags, seen: true } } }, { ifVersion: versionOf(ann) });
 * ```
 * @returns undefined for any other object, such as an entity copied through JSON or `structuredClone`, which copy only fields
 */
export const versionOf = (entity: object): number | undefined => {
  const { [VERSION]: own, _links: links } = entity as Versioned;
  return own ?? links?.[VERSION];
};
