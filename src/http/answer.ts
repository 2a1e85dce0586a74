import * as z from 'zod';
import type { CallResult } from '../call/entry.ts';
import { versionOf } from '../contract/api/kit/entity-version.ts';
import type { Answer } from '../contract/api/kit/operation.ts';
import type { DataAnswer } from '../contract/api/surfaces/envelope.ts';
import type { HeaderValues, HttpOutput, ServerSentEvent } from '../contract/api/surfaces/http-output.ts';
import { SerializedJson } from '../contract/api/surfaces/json-parts.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import { EVENTS_TYPE, JSON_TYPE } from '../contract/wire/media-types.ts';
import { spendTimeSlice, yieldToEventLoop } from '../runtime/concurrency/event-loop.ts';
import type { Random } from '../runtime/platform/platform.ts';
import { eventStream } from './event-stream.ts';
import type { ServedOperation } from './served-operation.ts';
import { createTags, isTagIn } from './validators.ts';

type OutputBody = NonNullable<HttpOutput['body']>;

/** The answer to a call, before its body is buffered for the client. */
interface FormattedAnswer {
  readonly status: number;
  readonly headers: HeaderValues;
  readonly body: OutputBody;
}

/** The form of the answer that a request prefers. */
interface Preferences {
  /** The offered media type that the client prefers. */
  readonly mediaType: string | undefined;
  /** The header of the request (RFC 9110, 13.1.2). */
  readonly ifNoneMatch: string | undefined;
}

/** Formats the result of a call as an HTTP answer of its surface: 304 without a body if the client already has it. */
type Format = (served: ServedOperation, result: CallResult, request: Preferences) => FormattedAnswer;

/** @param common the headers of every answer */
export const createFormat = (common: HeaderValues, random: Random): Format => {
  const tagOf = createTags(random);
  return ({ surface, entry: { operation } }, { output, headers: callHeaders, isAccepted, isPreview }, { mediaType, ifNoneMatch }) => {
    const { answer, entity, method } = operation;
    const {
      contentType,
      body,
      status = operation.status,
      headers: bodyHeaders,
    } = bodyOf(surface, isPreview ? PREVIEW : answer, output, mediaType);
    const headers: Record<string, HeaderValues[string]> =
      contentType === undefined ? { ...common } : { ...common, 'content-type': contentType };
    if (callHeaders.size > 0) for (const [name, value] of callHeaders) headers[name] = value;
    if (bodyHeaders) Object.assign(headers, bodyHeaders);
    if (isPreview) headers['preference-applied'] = 'dry-run';
    else if (method === 'GET' && status === 200 && (answer.is === 'data' || answer.is === 'page')) {
      const tag = tagOf(body, entity && answer.is === 'data' ? shownVersion(output) : undefined, ifNoneMatch !== undefined);
      if (tag !== undefined) headers.etag = tag;
      if (tag !== undefined && ifNoneMatch !== undefined && isTagIn(ifNoneMatch, tag)) {
        delete headers['content-type'];
        return { status: 304, headers, body: '' };
      }
    }
    return { status: isPreview ? 200 : isAccepted ? 202 : status, headers, body };
  };
};

/** The version of the entity whose details are the output. */
const shownVersion = (output: unknown): number | undefined =>
  output instanceof SerializedJson ? output.version : versionOf(output as object); // details are an object

const PREVIEW: DataAnswer = { is: 'data', schema: z.unknown() };

/** True unless the body is sent in parts. */
export const isWhole = (body: OutputBody): body is string | Uint8Array => typeof body === 'string' || body instanceof Uint8Array;

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
      return { contentType: envelope.contentType, body: wholeOrParts(envelope.write(answer, output)) };
  }
};

/** Tells nginx not to buffer the answer. */
const UNBUFFERED = { 'x-accel-buffering': 'no' } as const;

/** Labels JSON as YAML if the client prefers YAML: every JSON text is also valid YAML. */
const labelled = (contentType: string, preferred: string | undefined): string =>
  contentType === JSON_TYPE && preferred === 'text/yaml' ? preferred : contentType;

/**
 * Maximum number of characters of an answer that is sent as a whole, with its length. A longer one is sent in parts, yielding to other
 * requests.
 */
const MAX_WHOLE = 524_288;
/** Minimum number of characters of such a part. */
const MIN_PART = 262_144;

/** Joins the slices of a body. A long body is returned as parts instead. */
export const wholeOrParts = (body: string | Iterable<string>): string | AsyncIterable<string> => {
  if (typeof body === 'string') return body;
  const slices = body[Symbol.iterator]();
  let text = '';
  for (let slice = slices.next(); !slice.done; slice = slices.next()) {
    text += slice.value;
    if (text.length > MAX_WHOLE) return partsOf(text, slices);
  }
  spendTimeSlice(text.length / MAX_WHOLE);
  return text;
};

async function* partsOf(start: string, slices: Iterator<string>): AsyncGenerator<string> {
  let part = start;
  for (let slice = slices.next(); !slice.done; slice = slices.next()) {
    part += slice.value;
    if (part.length < MIN_PART) continue;
    spendTimeSlice(part.length / MAX_WHOLE);
    yield part;
    part = '';
    await yieldToEventLoop();
  }
  yield part;
}
