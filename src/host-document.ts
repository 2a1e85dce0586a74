import { groups as allGroups } from './api/index.ts';
import type { SurfaceName } from './api/surfaces/index.ts';
import type { Surface } from './api/surfaces/surface.ts';
import type { Entry } from './call/call.ts';
import type { Settings } from './call/settings.ts';
import { openApiDocument } from './http/openapi.ts';
import { checkedOptions } from './options.ts';
import type { Api } from './types/api.ts';

/** Selects the operations that `controller.openapi` describes. */
export interface OpenApiOptions {
  /** Names of groups of operations, as the controller has them: `identities`, `services`, ... Default: all. */
  readonly groups?: readonly (keyof Api)[];
  /** One API surface, or its name; paths are then below its prefix. Default: all surfaces, with their prefixes. */
  readonly surface?: Surface | SurfaceName;
}

/**
 * @param entries of the operations that the controller offers
 * @throws TypeError for a group or an option that is unknown
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
    const group = offered.find((one) => one.name === name);
    if (!group) throw new TypeError(`openapi: this controller has no group '${name}', but ${offered.map((one) => one.name).join(', ')}`);
    return group;
  });
  return openApiDocument(described, settings, surface);
};
