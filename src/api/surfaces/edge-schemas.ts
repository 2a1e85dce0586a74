/** Schemas of the envelopes of the edge APIs, which belong to no single operation. */
import { type JsonSchema, type JsonSchemaComponents, schemaNamed } from './json-schema.ts';

const TEXT: JsonSchema = { type: 'string' };
const COUNT: JsonSchema = { type: 'integer', format: 'int64' };
const META_PROPERTIES = { apiEnrollmentVersion: TEXT, apiVersion: TEXT };

export const metaComponents: JsonSchemaComponents = {
  Meta: { type: 'object', required: ['apiEnrollmentVersion', 'apiVersion'], properties: META_PROPERTIES },
};

export const pageComponents: JsonSchemaComponents = {
  Pagination: {
    type: 'object',
    required: ['limit', 'offset', 'totalCount'],
    properties: { limit: COUNT, offset: COUNT, totalCount: COUNT },
  },
  PageMeta: {
    type: 'object',
    required: ['apiEnrollmentVersion', 'apiVersion', 'filterableFields', 'pagination'],
    properties: { ...META_PROPERTIES, filterableFields: { type: 'array', items: TEXT }, pagination: schemaNamed('Pagination') },
  },
};

export const errorComponents: JsonSchemaComponents = {
  ErrorCause: {
    type: 'object',
    description:
      'A field of the request (`field`, `reason`, `value`), another error (`code`, `message`), the posture checks that fail, by the ids of their policies (`message`, `data`), or where the change log begins (`message`, `earliest`).',
    properties: {
      field: TEXT,
      reason: TEXT,
      value: TEXT,
      code: TEXT,
      message: TEXT,
      data: { type: 'object' },
      earliest: { type: 'integer', format: 'int64' },
    },
  },
  ErrorDetail: {
    type: 'object',
    required: ['code', 'message', 'requestId'],
    properties: { code: TEXT, message: TEXT, requestId: TEXT, cause: schemaNamed('ErrorCause') },
  },
  ErrorEnvelope: {
    type: 'object',
    required: ['error', 'meta'],
    properties: { error: schemaNamed('ErrorDetail'), meta: schemaNamed('Meta') },
  },
};
