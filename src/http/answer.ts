import * as z from 'zod';
import { versionOf } from '../api/kit/entity-version.ts';
import type { Answer, Operation } from '../api/kit/operation.ts';
import type { DataAnswer } from '../api/surfaces/envelope.ts';
import type { HeaderValues, HttpOutput, ServerSentEvent } from '../api/surfaces/http-output.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import type { CallResult } from '../call/call.ts';
import { invalidField } from '../errors/index.ts';
import { EVENTS_TYPE, JSON_TYPE } from '../wire/media-types.ts';
import { eventStream } from './event-stream.ts';

type OutputBody = NonNullable<HttpOutput['body']>;

/** The answer to a call, before its body is buffered for the client. */
interface FormattedAnswer {
  readonly status: number;
  readonly headers: HeaderValues;
  readonly body: OutputBody;
}

/**
 * Formats the result of a call as an HTTP answer of its surface.
 * @param preferred the offered media type that the client prefers
 * @param common headers of every answer
 */
export const formatAnswer = (
  surface: Surface,
  operation: Operation,
  { output, headers, isAccepted, isPreview }: CallResult,
  preferred: string | undefined,
  common: HeaderValues,
): FormattedAnswer => {
  if (isPreview) {
    const { contentType, write } = surface.envelope;
    const answered = { 'content-type': contentType, ...common, ...Object.fromEntries(headers), 'preference-applied': 'dry-run' };
    return { status: 200, headers: answered, body: write(PREVIEW, output) };
  }
  const {
    contentType,
    body,
    status = operation.status,
    headers: ownHeaders = entityHeaders(operation, output),
  } = bodyOf(surface, operation.answer, output, preferred);
  const allHeaders: Record<string, HeaderValues[string]> =
    contentType === undefined ? { ...common } : { 'content-type': contentType, ...common };
  for (const [name, value] of headers) allHeaders[name] = value;
  return { status: isAccepted ? 202 : status, headers: Object.assign(allHeaders, ownHeaders), body };
};

const PREVIEW: DataAnswer = { is: 'data', schema: z.unknown() };

/** True unless the body is sent in parts. */
export const isWhole = (body: OutputBody): body is string | Uint8Array => typeof body === 'string' || body instanceof Uint8Array;

/** The header `etag`, for a GET of one entity. */
const entityHeaders = ({ entity, method, answer }: Operation, output: unknown): HeaderValues | undefined => {
  if (entity === undefined || method !== 'GET' || answer.is !== 'data') return undefined;
  const version = versionOf(output as object); // the details of an entity
  return version === undefined ? undefined : { etag: entityTag(version) };
};

/** The output of an operation without an envelope. */
interface RawOutput {
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

const bodyOf = (
  { envelope }: Surface,
  answer: Answer,
  output: unknown,
  preferred: string | undefined,
): HttpOutput & { readonly body: OutputBody } => {
  // The handler returns the declared answer.
  switch (answer.is) {
    case 'raw': {
      const { contentType, body } = output as RawOutput;
      return { contentType: labelled(contentType, preferred), body };
    }
    case 'response':
      return { body: '', ...(output as HttpOutput) };
    case 'events':
      return { contentType: EVENTS_TYPE, headers: UNBUFFERED, body: eventStream(output as AsyncIterable<ServerSentEvent<unknown>>) };
    default:
      return { contentType: envelope.contentType, body: envelope.write(answer, output) };
  }
};

/** Tells nginx not to buffer the answer. */
const UNBUFFERED = { 'x-accel-buffering': 'no' } as const;

/** Labels JSON as YAML if the client prefers YAML: every JSON text is also valid YAML. */
const labelled = (contentType: string, preferred: string | undefined): string =>
  contentType === JSON_TYPE && preferred === 'text/yaml' ? preferred : contentType;

/** The entity tag of a version (RFC 9110, 8.8.3). */
export const entityTag = (version: number): string => `"${version}"`;

/** One entity tag, weak or strong, with the comma that follows it. */
const TAG = /\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/y;

/**
 * The versions in an `If-Match` header (RFC 9110, 13.1.1). Weak tags, and tags that the controller cannot have issued, match nothing.
 * @returns undefined if any version matches: there is no header, or it is `*`
 * @throws ApiError `COULD_NOT_VALIDATE` if it is not a list of entity tags
 */
export const versionsIn = (header: string | undefined): readonly number[] | undefined => {
  if (header === undefined || header.trim() === '*') return undefined;
  const versions: number[] = [];
  for (TAG.lastIndex = 0; TAG.lastIndex < header.length; ) {
    const tag = TAG.exec(header);
    if (!tag) throw invalidField('If-Match', 'If-Match must be entity tags like "12", or *', header);
    const [, weak, value = ''] = tag;
    // The tag of an answer has a checksum after the version.
    const version = weak === undefined ? /^([1-9]\d{0,15})(?:-[0-9a-z]+)?$/.exec(value)?.[1] : undefined;
    if (version !== undefined) versions.push(Number(version));
  }
  return versions;
};
