import { versionOf } from '../api/kit/entity-version.ts';
import type { Answer, Operation } from '../api/kit/operation.ts';
import type { HeaderValues, HttpOutput, ServerSentEvent } from '../api/surfaces/http-output.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import type { CallResult } from '../call/call.ts';
import { invalidField } from '../errors/index.ts';
import { EVENTS_TYPE, JSON_TYPE } from '../wire/media-types.ts';
import { eventStream } from './event-stream.ts';

type OutputBody = NonNullable<HttpOutput['body']>;

/** The answer to a call, before its body is held for its client. */
interface WrittenAnswer {
  readonly status: number;
  readonly headers: HeaderValues;
  readonly body: OutputBody;
}

/**
 * The result of a call as an answer, in the form of its surface.
 * @param wanted the media type that the client likes best
 * @param common headers of every answer
 */
export const writtenAnswer = (
  surface: Surface,
  operation: Operation,
  { output, headers, isAccepted }: CallResult,
  wanted: string | undefined,
  common: HeaderValues,
): WrittenAnswer => {
  const {
    contentType,
    body,
    status = operation.status,
    headers: own = entityHeaders(operation, output),
  } = bodyOf(surface, operation.answer, output, wanted);
  const all: Record<string, HeaderValues[string]> = contentType === undefined ? { ...common } : { 'content-type': contentType, ...common };
  for (const [name, value] of headers) all[name] = value;
  return { status: isAccepted ? 202 : status, headers: Object.assign(all, own), body };
};

/** True for a body that is not sent in parts. */
export const isWhole = (body: OutputBody): body is string | Uint8Array => typeof body === 'string' || body instanceof Uint8Array;

/** The entity tag, for an answer with one entity. */
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
  wanted: string | undefined,
): HttpOutput & { readonly body: OutputBody } => {
  // The handler returns the declared answer.
  switch (answer.is) {
    case 'raw': {
      const { contentType, body } = output as RawOutput;
      return { contentType: labelled(contentType, wanted), body };
    }
    case 'response':
      return { body: '', ...(output as HttpOutput) };
    case 'events':
      return { contentType: EVENTS_TYPE, headers: UNBUFFERED, body: eventStream(output as AsyncIterable<ServerSentEvent<unknown>>) };
    default:
      return { contentType: envelope.contentType, body: envelope.write(answer, output) };
  }
};

/** nginx holds back what proxied servers send, unless they say this. */
const UNBUFFERED = { 'x-accel-buffering': 'no' } as const;

/** Every JSON text is YAML, too. */
const labelled = (given: string, wanted: string | undefined): string => (given === JSON_TYPE && wanted === 'text/yaml' ? wanted : given);

/** The entity tag of a version (RFC 9110, 8.8.3). */
export const entityTag = (version: number): string => `"${version}"`;

/** One entity tag, weak or strong, and what separates it from the next. */
const TAG = /\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/y;

/**
 * The versions that an `If-Match` header names (RFC 9110, 13.1.1). Weak tags and those that this controller does not make match nothing.
 * @returns undefined if any version will do: there is no header, or it is `*`
 * @throws ApiError `COULD_NOT_VALIDATE` if it is not a list of entity tags
 */
export const versionsIn = (header: string | undefined): readonly number[] | undefined => {
  if (header === undefined || header.trim() === '*') return undefined;
  const versions: number[] = [];
  for (TAG.lastIndex = 0; TAG.lastIndex < header.length; ) {
    const tag = TAG.exec(header);
    if (!tag) throw invalidField('If-Match', 'If-Match must be entity tags like "12", or *', header);
    const [, weak, value = ''] = tag;
    if (weak === undefined && /^[1-9]\d{0,15}$/.test(value)) versions.push(Number(value));
  }
  return versions;
};
