/** Shared by all copies of this package in a process. */
const VERSION: unique symbol = Symbol.for('overlay-controller.version');

/** Attaches the version to an entity outside of its fields: neither JSON nor a copy has it. @returns the entity */
export const withVersion = <T extends object>(entity: T, version: number): T => Object.defineProperty(entity, VERSION, { value: version });

/**
 * The version of an entity as `get` and `list` of `controller.api` give it, and `get` of a client: the revision of its last write, as of its change record.
 * Pass it as `{ ifVersion }` to change the entity only if it has not changed since.
 *
 * ```ts
 * const ann = await controller.api.identities.get({ id });
 * await controller.api.identities.patch({ id, body: { tags: { ...ann.tags, seen: true } } }, { ifVersion: versionOf(ann) });
 * ```
 * @returns undefined for anything else, copies of an entity among them
 */
export const versionOf = (entity: object): number | undefined => (entity as { readonly [VERSION]?: number })[VERSION];
