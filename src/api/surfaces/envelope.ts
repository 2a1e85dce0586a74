import type { ApiError } from '../../errors/index.ts';
import type { Answer, Page } from './answer.ts';
import { JSON_TYPE } from './media-types.ts';

/** An answer whose output is data, to be put into the form of its surface. */
export type DataAnswer = Exclude<Answer, { readonly is: 'raw' | 'response' | 'events' }>;

/** The form of bodies with data. */
export interface Envelope {
  readonly contentType: string;
  /** @param output what the operation declares to return */
  readonly write: (answer: DataAnswer, output: unknown) => string;
}

/** A refusal as it is answered. */
export interface ErrorAnswer {
  /** Default: that of the error. */
  readonly status?: number;
  readonly contentType: string;
  readonly body: string;
}

/** The form of refusals. @param requestId by which the log knows the request */
export type ErrorForm = (error: ApiError, requestId: string) => ErrorAnswer;

/** The specification's versions of the API and of enrollment, which stand in every JSON answer. */
const META = Object.freeze({ apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' });

/** `{ data, meta }`. Made by concatenation, so that the data is turned into text once, and a limit beyond the doubles keeps its digits. */
export const dataAndMeta: Envelope = {
  contentType: JSON_TYPE,
  write: (answer, output) => {
    switch (answer.is) {
      case 'empty':
        return EMPTY;
      case 'page':
        return pageEnvelope(output as Page<unknown>); // what the operation declares to return
      case 'data':
        return answer.counts === undefined ? dataEnvelope(output) : countedEnvelope(output, answer.counts);
      case 'created':
        return dataEnvelope(output);
    }
  },
};

/** The output itself, as JSON. */
export const bareJson: Envelope = { contentType: JSON_TYPE, write: (_, output) => JSON.stringify(output) ?? 'null' };

/** `{ error, meta }`. The cause is there only if there is one. */
export const errorAndMeta: ErrorForm = ({ code, message, cause }, requestId) => ({
  contentType: JSON_TYPE,
  body: JSON.stringify({ error: { code, message, requestId, ...(cause ? { cause } : {}) }, meta: META }),
});

const dataEnvelope = (data: unknown): string => `{"data":${JSON.stringify(data) ?? 'null'},"meta":{${VERSIONS}}}`;

/** Clients read the number of results from a pagination, though such a list has no pages. */
const countedEnvelope = (output: unknown, counts: string): string => {
  const list = (output as Readonly<Record<string, unknown>>)[counts] as readonly unknown[]; // what the operation declares
  const pagination = { limit: -1, offset: 0, totalCount: list.length };
  return JSON.stringify({ data: output, meta: { ...META, filterableFields: [], pagination } });
};

const VERSIONS = JSON.stringify(META).slice(1, -1);
const EMPTY = `{"data":{},"meta":{${VERSIONS}}}`;

/** How an endless list reports its limit: the largest signed 64-bit integer, which no double can hold. */
const NO_LIMIT = '9223372036854775807';

const pageEnvelope = ({ data, filterableFields, pagination: { limit, offset, totalCount } }: Page<unknown>): string => {
  const pagination = `{"limit":${limit === Infinity ? NO_LIMIT : limit},"offset":${offset},"totalCount":${totalCount}}`;
  // A list that takes no filter says nothing of fields.
  const fields = filterableFields.length === 0 ? '' : `"filterableFields":${JSON.stringify(filterableFields)},`;
  return `{"data":${JSON.stringify(data)},"meta":{${VERSIONS},${fields}"pagination":${pagination}}}`;
};
