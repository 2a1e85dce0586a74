import type { ApiError } from '../../errors/index.ts';
import { JSON_TYPE } from '../../wire/media-types.ts';
import type { Answer } from './answer.ts';
import { SerializedJson } from './json-parts.ts';
import type { JsonSchema, JsonSchemaComponents } from './json-schema.ts';

/** An answer whose output is data, which the surface's envelope wraps. */
export type DataAnswer = Exclude<Answer, { readonly is: 'raw' | 'response' | 'events' }>;

/** The form of response bodies with data. */
export interface Envelope {
  readonly contentType: string;
  /**
   * @param output the output of the operation, as the answer declares it
   * @returns the body, as a whole or in slices
   */
  readonly write: (answer: DataAnswer, output: unknown) => string | Iterable<string>;
  /**
   * The schema of the whole body.
   * @param data the schema of the output; for a page, that of one item
   */
  readonly schemaOf: (answer: DataAnswer, data: JsonSchema) => JsonSchema;
  /** The schemas that `schemaOf` refers to by name. */
  readonly components: JsonSchemaComponents;
}

/** The HTTP answer to a refused request. */
export interface ErrorAnswer {
  /** Default: the status of the error. */
  readonly status?: number;
  /** Default: the content type of the form. */
  readonly contentType?: string;
  readonly body: string;
}

/** The form of answers to refused requests. */
export interface ErrorForm {
  readonly contentType: string;
  /** @param requestId the id of the request in the log */
  readonly write: (error: ApiError, requestId: string) => ErrorAnswer;
  /** The schema of the whole body. */
  readonly schema: JsonSchema;
  /** The schemas that `schema` refers to by name. */
  readonly components: JsonSchemaComponents;
}

/** The output as JSON, without an envelope. */
export const bareJson: Envelope = {
  contentType: JSON_TYPE,
  write: (_, output) => (output instanceof SerializedJson ? output.text : (JSON.stringify(output) ?? 'null')),
  schemaOf: ({ is }, data) => (is === 'page' ? { type: 'array', items: data } : data),
  components: {},
};
