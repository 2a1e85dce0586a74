/** How the role arrays of policies are written, here and nowhere else: `#attribute`, `@id`, and `#all` alone. */

/** Selects every entity of the kind. */
export const EVERYTHING = '#all';

export const selectorOfAttribute = (attribute: string): string => `#${attribute}`;
export const selectorOfId = (id: string): string => `@${id}`;

/** What a role array names. `words` are the attributes, without their sign. */
export interface Selection {
  readonly everything: boolean;
  readonly ids: readonly string[];
  readonly words: readonly string[];
}

/** Role arrays are read often, and never changed in place: each is taken apart once. */
const known = new WeakMap<readonly string[], Selection>();

export const readSelectors = (roles: readonly string[]): Selection => {
  let selection = known.get(roles);
  if (selection === undefined) known.set(roles, (selection = takenApart(roles)));
  return selection;
};

const takenApart = (roles: readonly string[]): Selection => {
  const ids: string[] = [];
  const words: string[] = [];
  for (const entry of roles) {
    if (entry.startsWith('@')) ids.push(entry.slice(1));
    else if (entry.startsWith('#') && entry !== EVERYTHING) words.push(entry.slice(1));
  }
  return { everything: roles.includes(EVERYTHING), ids, words };
};

/** The id that an entry selects, if it selects by id. */
export const idOfSelector = (entry: string): string | undefined => (entry.startsWith('@') ? entry.slice(1) : undefined);

export const hasSign = (entry: string): boolean => entry.startsWith('#') || entry.startsWith('@');

/** Why a role array cannot be kept, whatever entities there are. */
export const selectorFault = (roles: readonly string[]): string | undefined => {
  if (roles.includes(EVERYTHING) && roles.length > 1) return 'if using #all, it should be the only role specified';
  if (roles.every(hasSign)) return undefined;
  return 'role entries must be prefixed with # (to indicate role attributes) or @ (to indicate an id)';
};

/** The hidden field beside a role array that holds its attributes: `identityRoles` has `identityWords`. */
export const wordsField = (roles: string): string => roles.replace(/Roles$/, 'Words');
