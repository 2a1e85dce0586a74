import type { Settings } from '../call/settings.ts';
import type { Group } from '../contract/api/kit/operation.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import { openApiDocument } from './openapi.ts';
import { swaggerDocument, swaggerLocation } from './swagger.ts';

/** The API descriptions as JSON text, each created on first use and cached. */
export const createDocuments = (groups: Readonly<Record<string, Group>>, settings: Pick<Settings, 'address'>) => {
  const list = Object.values(groups);
  const { address } = settings;
  const cache = new Map<string, string>();
  const cached = (name: string, create: () => object): string => {
    let text = cache.get(name);
    if (text === undefined) cache.set(name, (text = JSON.stringify(create())));
    return text;
  };
  // `base` is the base address of the APIs, or a path on the host that serves the document.
  return {
    swagger: (surface: Surface, base: string): string =>
      replaceMembers(
        cached(`only ${surface.name}`, () => swaggerDocument(list, surface, settings)),
        swaggerLocation(surface, address),
        swaggerLocation(surface, base),
      ),
    openapi: (mounted: readonly Surface[], base: string): string =>
      replaceMembers(
        cached(mounted.map(({ name }) => name).join(' and '), () => openApiDocument(list, { address, mounted })),
        { url: address },
        { url: base },
      ),
  };
};

/** Replaces the members of `from` with those of `to`, at their first occurrence in a JSON text. */
const replaceMembers = (text: string, from: object, to: object): string => text.replace(membersOf(from), () => membersOf(to));

const membersOf = (value: object): string => JSON.stringify(value).slice(1, -1);
