import type { ApiError } from '../../errors/index.ts';
import { JSON_TYPE } from '../../wire/media-types.ts';
import type { Answer } from './answer.ts';
import { Written } from './json-parts.ts';
import type { JsonSchema, JsonSchemaComponents } from './json-schema.ts';

/** An answer whose output is data, to be put into the form of its surface. */
export type DataAnswer = Exclude<Answer, { readonly is: 'raw' | 'response' | 'events' }>;

/** The form of bodies with data. */
export interface Envelope {
  readonly contentType: string;
  /**
   * @param output as the operation declares it
   * @returns the body, or the parts of a long one
   */
  readonly write: (answer: DataAnswer, output: unknown) => string | AsyncIterable<string>;
  /** The schema of a whole body. @param data the schema of the output; of a page, that of one item */
  readonly schemaOf: (answer: DataAnswer, data: JsonSchema) => JsonSchema;
  /** The schemas that `schemaOf` refers to by name. */
  readonly components: JsonSchemaComponents;
}

/** A refusal as it is answered. */
export interface ErrorAnswer {
  /** Default: that of the error. */
  readonly status?: number;
  /** Default: that of the form. */
  readonly contentType?: string;
  readonly body: string;
}

/** The form of refusals. */
export interface ErrorForm {
  readonly contentType: string;
  /** @param requestId as in the log */
  readonly write: (error: ApiError, requestId: string) => ErrorAnswer;
  /** The schema of a whole body. */
  readonly schema: JsonSchema;
  /** The schemas that `schema` refers to by name. */
  readonly components: JsonSchemaComponents;
}

/** The output itself, as JSON. */
export const bareJson: Envelope = {
  contentType: JSON_TYPE,
  write: (_, output) => (output instanceof Written ? output.text : (JSON.stringify(output) ?? 'null')),
  schemaOf: ({ is }, data) => (is === 'page' ? { type: 'array', items: data } : data),
  components: {},
};
