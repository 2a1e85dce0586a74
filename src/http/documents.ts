import type { Group } from '../api/kit/operation.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import type { Settings } from '../call/settings.ts';
import { openApiDocument } from './openapi.ts';
import { swaggerDocument } from './swagger.ts';

/** The API descriptions as JSON text, each created on first use. */
export const createDocuments = (groups: Readonly<Record<string, Group>>, settings: Pick<Settings, 'address'>) => {
  const list = Object.values(groups);
  const made = new Map<string, string>();
  const once = (name: string, make: () => object): string => {
    let text = made.get(name);
    if (text === undefined) made.set(name, (text = JSON.stringify(make())));
    return text;
  };
  return {
    swagger: (surface: Surface): string => once(surface.name, () => swaggerDocument(list, surface, settings)),
    openapi: (): string => once('openapi', () => openApiDocument(list, settings)),
  };
};
