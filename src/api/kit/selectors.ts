/** How the role arrays of policies are written, here and nowhere else: `#attribute`, `@id`, and `#all` alone. */

/** Selects every entity of the kind. */
export const EVERYTHING = '#all';

export const selectorOfAttribute = (attribute: string): string => `#${attribute}`;
export const selectorOfId = (id: string): string => `@${id}`;

/** The parts of a role array. `attributes` and `ids` are without their sign. */
export interface Selection {
  readonly everything: boolean;
  readonly ids: readonly string[];
  /** True if an id is among `ids`, for any number of them. */
  hasId(id: string): boolean;
  readonly attributes: readonly string[];
}

/** Role arrays are read often, and never changed in place: each is taken apart once. */
const known = new WeakMap<readonly string[], Selection>();

export const readSelectors = (roles: readonly string[]): Selection => {
  let selection = known.get(roles);
  if (selection === undefined) known.set(roles, (selection = parsed(roles)));
  return selection;
};

const parsed = (roles: readonly string[]): Selection => {
  const ids: string[] = [];
  const attributes: string[] = [];
  for (const entry of roles) {
    if (entry.startsWith('@')) ids.push(entry.slice(1));
    else if (entry.startsWith('#') && entry !== EVERYTHING) attributes.push(entry.slice(1));
  }
  // Many selections are asked for their ids only.
  let known: Set<string> | undefined;
  return { everything: roles.includes(EVERYTHING), ids, hasId: (id) => (known ??= new Set(ids)).has(id), attributes };
};

/** The id that an entry selects, if it selects by id. */
export const idOfSelector = (entry: string): string | undefined => (entry.startsWith('@') ? entry.slice(1) : undefined);

export const hasSign = (entry: string): boolean => entry.startsWith('#') || entry.startsWith('@');

/** The reason why a role array is invalid, independent of existing entities. */
export const selectorFault = (roles: readonly string[]): string | undefined => {
  if (roles.includes(EVERYTHING) && roles.length > 1) return 'if using #all, it should be the only role specified';
  if (roles.every(hasSign)) return undefined;
  return 'role entries must be prefixed with # (to indicate role attributes) or @ (to indicate an id)';
};

/** The hidden attribute index of a role array: `identityRoles` has `identityWords`, the name of its table since the first release. */
export const attributeIndexField = (roles: string): string => roles.replace(/Roles$/, 'Words');
