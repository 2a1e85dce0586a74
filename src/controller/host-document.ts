import type { Entry } from '../call/entry.ts';
import type { Settings } from '../call/settings.ts';
import { groups as allGroups } from '../contract/api/index.ts';
import type { SurfaceName } from '../contract/api/surfaces/index.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import { checkedOptions } from '../contract/options.ts';
import type { Api } from '../contract/types/api.ts';
import { openApiDocument } from '../http/openapi.ts';

/** Selects the operations that `controller.openapi` describes. */
export interface OpenApiOptions {
  /** Names of groups of operations, e.g. `identities` or `services`. Default: all groups that the controller offers. */
  readonly groups?: readonly (keyof Api)[];
  /** An API surface, or its name. The paths in the document are then relative to its prefix. Default: all surfaces, with their prefixes. */
  readonly surface?: Surface | SurfaceName;
}

/**
 * Implements `controller.openapi`.
 * @param entries the operations that the controller offers
 * @throws TypeError for an unknown group or option
 */
export const hostDocument = (
  entries: readonly Entry[],
  settings: Pick<Settings, 'address'>,
  options: Omit<OpenApiOptions, 'surface'> & { readonly surface: Surface | undefined },
): object => {
  const names = new Set(entries.map(({ group }) => group));
  const offered = Object.values(allGroups).filter(({ name }) => names.has(name));
  const { groups = offered.map(({ name }) => name), surface } = checkedOptions('openapi', options, { groups: true, surface: true });
  const described = groups.map((name) => {
    const group = offered.find((each) => each.name === name);
    if (!group) throw new TypeError(`openapi: this controller has no group '${name}', but ${offered.map((each) => each.name).join(', ')}`);
    return group;
  });
  return openApiDocument(described, settings, surface);
};
