import type { Group } from './api/kit/operation.ts';
import type { Api } from './api/surfaces/index.ts';
import type { Surface } from './api/surfaces/surface.ts';
import type { Settings } from './call/settings.ts';
import { openApiDocument } from './http/openapi.ts';
import { checkedOptions } from './options.ts';
import type { Facade } from './types/facade.ts';

/** Of which operations `controller.openapi` describes. */
export interface OpenApiOptions {
  /** Names of groups of operations, as the controller has them: `identities`, `services`, ... Default: all. */
  readonly groups?: readonly (keyof Facade)[];
  /** One API surface, or its name; paths are then below its prefix. Default: all surfaces, with their prefixes. */
  readonly surface?: Surface | Api;
}

/** @throws TypeError for a group or an option that is unknown */
export const hostDocument = (
  offered: Readonly<Record<string, Group>>,
  settings: Pick<Settings, 'address'>,
  options: Omit<OpenApiOptions, 'surface'> & { readonly surface: Surface | undefined },
): object => {
  const { groups = Object.keys(offered), surface } = checkedOptions('openapi', options, { groups: true, surface: true });
  const unknown = groups.find((name) => !Object.hasOwn(offered, name));
  if (unknown !== undefined)
    throw new TypeError(`openapi: this controller has no group '${unknown}', but ${Object.keys(offered).join(', ')}`);
  return openApiDocument(
    groups.flatMap((name) => offered[name] ?? []),
    settings,
    surface,
  );
};
