/** The envelopes of the edge APIs: `{ data, meta }` and `{ error, meta }`. */
import { catalogMessage, errorBody } from '../../errors/index.ts';
import { JSON_TYPE } from '../../wire/media-types.ts';
import { META } from '../../wire/meta.ts';
import type { Page } from './answer.ts';
import { bareJson, type DataAnswer, type Envelope, type ErrorForm } from './envelope.ts';
import { isLarge, jsonParts, PART, SerializedJson, type Texts } from './json-parts.ts';
import { type JsonSchema, type JsonSchemaComponents, schemaNamed } from './json-schema.ts';

/** Maximum number of items serialized in one go. Large items are serialized in smaller batches, and the first item alone. */
const MAX_BATCH = 10;

/** Serializes a page in slices, so that a long page need not be serialized at once. */
export function* pageEnvelope({ data, filterableFields, pagination: { limit, offset, totalCount } }: Page<unknown>): Generator<string> {
  yield '{"data":[';
  const texts: Texts = new WeakMap();
  for (let i = 0, count = 1; i < data.length; ) {
    const separator = i > 0 ? ',' : '';
    const item = data[i];
    if (item instanceof SerializedJson) {
      yield separator + item.text;
      i++;
      continue;
    }
    const items = data.slice(i, i + count);
    const large = items.findIndex((each) => each instanceof SerializedJson || isLarge(each));
    if (large === 0) {
      yield separator;
      yield* jsonParts(data[i++] as object, texts); // only objects can be large
      continue;
    }
    const slice = large < 0 ? items : items.slice(0, large);
    const text = JSON.stringify(slice).slice(1, -1);
    yield separator + text;
    i += slice.length;
    count = Math.max(1, Math.min(MAX_BATCH, Math.floor((PART * slice.length) / text.length)));
  }
  const pagination = `{"limit":${limit === Infinity ? NO_LIMIT : limit},"offset":${offset},"totalCount":${totalCount}}`;
  // A list without a filter does not report filterable fields.
  const fields = filterableFields.length === 0 ? '' : `"filterableFields":${JSON.stringify(filterableFields)},`;
  yield `],"meta":{${VERSIONS},${fields}"pagination":${pagination}}}`;
}

/** The reported limit of a list without one: the largest signed 64-bit integer, as text, because a number cannot represent it. */
const NO_LIMIT = '9223372036854775807';

/** The members of every `meta`. */
const VERSIONS = JSON.stringify(META).slice(1, -1);

const TEXT: JsonSchema = { type: 'string' };
const COUNT: JsonSchema = { type: 'integer', format: 'int64' };
const META_PROPERTIES = { apiEnrollmentVersion: TEXT, apiVersion: TEXT };

const metaComponents: JsonSchemaComponents = {
  Meta: { type: 'object', required: ['apiEnrollmentVersion', 'apiVersion'], properties: META_PROPERTIES },
};

const pageComponents: JsonSchemaComponents = {
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

const errorComponents: JsonSchemaComponents = {
  ErrorCause: {
    type: 'object',
    description:
      'The invalid field of the request (`field`, `reason`, `value`), a more specific error (`code`, `message`), the failing posture checks by id of the policy (`message`, `data`), or the earliest revision from which the change log is complete (`message`, `earliest`).',
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

/** `{ data, meta }`, built by concatenation, so that the data is serialized only once. */
export const dataAndMeta: Envelope = {
  contentType: JSON_TYPE,
  write: (answer, output) => {
    switch (answer.is) {
      case 'empty':
        return EMPTY;
      case 'page':
        return pageEnvelope(output as Page<unknown>); // the declared answer is a page
      case 'data':
        if (answer.isBare) return bareJson.write(answer, output);
        return answer.counts === undefined ? dataEnvelope(output) : countedEnvelope(output, answer.counts);
      case 'created':
        return dataEnvelope(output);
    }
  },
  schemaOf: (answer, data) =>
    answer.is === 'data' && answer.isBare
      ? data
      : {
          type: 'object',
          required: ['data', 'meta'],
          properties: {
            data: answer.is === 'page' ? { type: 'array', items: data } : data,
            meta: schemaNamed(isCounted(answer) ? 'PageMeta' : 'Meta'),
          },
        },
  components: { ...metaComponents, ...pageComponents },
};

const isCounted = (answer: DataAnswer): boolean => answer.is === 'page' || (answer.is === 'data' && answer.counts !== undefined);

/** `{ error, meta }`. An error without a cause has no member `cause`. */
export const errorAndMeta: ErrorForm = {
  contentType: JSON_TYPE,
  write: ({ code, cause }, requestId) => ({ body: errorBody({ code, message: catalogMessage(code), cause }, requestId) }),
  schema: schemaNamed('ErrorEnvelope'),
  components: { ...metaComponents, ...errorComponents },
};

const dataEnvelope = (data: unknown): string | Iterable<string> =>
  !(data instanceof SerializedJson) && isLarge(data)
    ? dataParts(data as object) // only objects can be large
    : `{"data":${data instanceof SerializedJson ? data.text : (JSON.stringify(data) ?? 'null')},"meta":{${VERSIONS}}}`;

function* dataParts(data: object): Generator<string> {
  yield '{"data":';
  yield* jsonParts(data);
  yield `,"meta":{${VERSIONS}}}`;
}

/** Clients read the number of results from `pagination`, although such a list has no pages. */
const countedEnvelope = (output: unknown, counts: string): string => {
  const list = (output as Readonly<Record<string, unknown>>)[counts] as readonly unknown[]; // the declared answer has this list
  const pagination = { limit: -1, offset: 0, totalCount: list.length };
  return JSON.stringify({ data: output, meta: { ...META, filterableFields: [], pagination } });
};

const EMPTY = `{"data":{},"meta":{${VERSIONS}}}`;
