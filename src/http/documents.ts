import type { Group } from '../api/kit/operation.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import type { Settings } from '../call/settings.ts';
import { openApiDocument } from './openapi.ts';
import { swaggerDocument, swaggerLocation } from './swagger.ts';

/** The API descriptions as JSON text, each created on first use. */
export const createDocuments = (groups: Readonly<Record<string, Group>>, settings: Pick<Settings, 'address'>) => {
  const list = Object.values(groups);
  const made = new Map<string, string>();
  const once = (name: string, make: () => object): string => {
    let text = made.get(name);
    if (text === undefined) made.set(name, (text = JSON.stringify(make())));
    return text;
  };
  const { address } = settings;
  /** @param base the address below which the APIs are, or a path at the host that serves the document */
  return {
    swagger: (surface: Surface, base: string): string =>
      placed(
        once(surface.name, () => swaggerDocument(list, surface, settings)),
        swaggerLocation(surface, address),
        swaggerLocation(surface, base),
      ),
    openapi: (base: string): string =>
      placed(
        once('openapi', () => openApiDocument(list, settings)),
        { url: address },
        { url: base },
      ),
  };
};

/** A document with other members in the place of its first such ones. */
const placed = (text: string, from: object, to: object): string => text.replace(membersOf(from), () => membersOf(to));

const membersOf = (value: object): string => JSON.stringify(value).slice(1, -1);
