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

/** The result of an upsert. */
const upserted = z
  .object({
    /** Relative addresses of the entity. */
    _links: links,
    /** Id of the entity. */
    id: string,
    /** True if the entity was created, false if it existed. */
    isNew: z.boolean(),
    /** True if the entity was created or changed. */
    isChanged: z.boolean(),
  })
  .meta({ id: 'Upserted' });

/** The field that identifies an entity: its name, or the id that another system gave it. */
const byName = z.object({ by: z.enum(['name']).optional().meta({ description: 'The field that identifies the entity.' }) });
const byNameOrExternalId = z.object({
  by: z.enum(['name', 'externalId']).optional().meta({ description: 'The field that identifies the entity. Default: `name`.' }),
});

type AnyKind = Pick<Resource, 'kind' | 'collection' | 'names' | 'fields' | 'bodyName'>;

const common = { surfaces: [surfaces.extensions], isBatch: true } as const;

/** The operation that creates an entity, or patches the existing one with its name. It requires the rights to create and to update. */
export const upsert = (kind: AnyKind) => ({
  upsert: operation('PUT', `/${kind.collection}`, {
    ...common,
    operationId: `upsert${kind.names[0]}`,
    summary: `Create ${nounWithArticle(kind as Resource)}, or change the given fields of the existing one with the same name`,
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
    /** The role attributes to add or remove. */
    roleAttributes: attributesToEdit,
  })
  .meta({ id: 'RoleAttributesEdit' });

/** The operations that add and remove single role attributes of an entity, and keep all others. */
export const attributeEdits = (kind: AnyKind) => {
  const one = nounWithArticle(kind as Resource);
  const path = `/${kind.collection}/{id}/role-attributes` as const;
  const permission = rightTo('update', kind as Resource) as Operation['permission'];
  const body = { schema: edit, name: 'roleAttributes' };
  return {
    addRoleAttributes: operation('POST', path as '/{id}', {
      ...common,
      operationId: `add${kind.names[0]}RoleAttributes`,
      summary: `Add role attributes to ${one}; its others are kept`,
      permission,
      body,
      answer: EMPTY,
    }),
    removeRoleAttributes: operation('DELETE', path as '/{id}', {
      ...common,
      operationId: `remove${kind.names[0]}RoleAttributes`,
      summary: `Remove role attributes from ${one}; its others are kept`,
      permission,
      body,
      answer: EMPTY,
    }),
  };
};
