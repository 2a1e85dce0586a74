/** The envelopes of the edge APIs: `{ data, meta }` and `{ error, meta }`. */
import { catalogMessage, errorBody } from '../../errors/index.ts';
import { JSON_TYPE } from '../../wire/media-types.ts';
import { META } from '../../wire/meta.ts';
import type { Page } from './answer.ts';
import { errorComponents, metaComponents, pageComponents } from './edge-schemas.ts';
import { bareJson, type DataAnswer, type Envelope, type ErrorForm } from './envelope.ts';
import { isLarge, jsonParts, SerializedJson } from './json-parts.ts';
import { schemaNamed } from './json-schema.ts';
import { pageEnvelope, VERSIONS, wholeOrParts } from './page-envelope.ts';

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

const dataEnvelope = (data: unknown): string | AsyncIterable<string> =>
  !(data instanceof SerializedJson) && isLarge(data)
    ? wholeOrParts(dataParts(data as object)) // only objects can be large
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
