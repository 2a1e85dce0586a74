import * as z from 'zod';
import {
  attributesToEdit,
  data,
  EMPTY,
  links,
  nounWithArticle,
  type Operation,
  operation,
  type Resource,
  rightTo,
  string,
} from './kit/index.ts';
import { jsonMap } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** The entity that an upsert left behind. */
const upserted = z
  .object({
    /** Relative addresses of the entity. */
    _links: links,
    /** Id of the entity. */
    id: string,
    /** True if it was created, false if it existed. */
    isNew: z.boolean(),
    /** True if it was created or changed. */
    isChanged: z.boolean(),
  })
  .meta({ id: 'Upserted' });

/** The field that identifies an entity: its name, or the id that another system gave it. */
const byName = z.object({ by: z.enum(['name']).optional().meta({ description: 'The field that finds the entity.' }) });
const byNameOrExternalId = z.object({
  by: z.enum(['name', 'externalId']).optional().meta({ description: 'The field that finds the entity. Default `name`.' }),
});

type AnyKind = Pick<Resource, 'kind' | 'collection' | 'names' | 'fields' | 'bodyName'>;

const common = { surfaces: [surfaces.extensions], isBatch: true } as const;

/** The operation that creates an entity, or changes the one that has its name. Its rights are those to create and to patch. */
export const upsert = (kind: AnyKind) => ({
  upsert: operation('PUT', `/${kind.collection}`, {
    ...common,
    operationId: `upsert${kind.names[0]}`,
    summary: `Create ${nounWithArticle(kind as Resource)}, or change the given fields of the one that has its name`,
    permission: 'session',
    byToken: true,
    query: kind.fields['externalId'] ? byNameOrExternalId : (byName as unknown as typeof byNameOrExternalId), // a subset
    body: { schema: jsonMap, name: kind.bodyName ?? kind.kind },
    answer: data(upserted),
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
});

/** Role attributes to add or remove. */
const edit = z
  .object({
    /** The attributes. */
    roleAttributes: attributesToEdit,
  })
  .meta({ id: 'RoleAttributesEdit' });

/** The operations that add role attributes to an entity and remove some, whatever others it has. */
export const attributeEdits = (kind: AnyKind) => {
  const one = nounWithArticle(kind as Resource);
  const path = `/${kind.collection}/{id}/role-attributes` as const;
  const permission = rightTo('update', kind as Resource) as Operation['permission'];
  const body = { schema: edit, name: 'roleAttributes' };
  return {
    addRoleAttributes: operation('POST', path as '/{id}', {
      ...common,
      operationId: `add${kind.names[0]}RoleAttributes`,
      summary: `Add role attributes to ${one}, which keeps its others`,
      permission,
      body,
      answer: EMPTY,
    }),
    removeRoleAttributes: operation('DELETE', path as '/{id}', {
      ...common,
      operationId: `remove${kind.names[0]}RoleAttributes`,
      summary: `Remove role attributes from ${one}, which keeps its others`,
      permission,
      body,
      answer: EMPTY,
    }),
  };
};
