import { JSON_LIMITS, type JsonLimits, PROTOTYPE, PROTOTYPE_REFUSED, tooMany } from '../call/json.ts';
import type { Body } from '../contract/api/kit/operation.ts';
import { ApiError, missingBody, RETRY_AFTER } from '../contract/errors/index.ts';
import { FORM_TYPE, JSON_TYPE } from '../contract/wire/media-types.ts';
import { awaitTurn } from '../runtime/concurrency/event-loop.ts';
import { bodyTooLate } from './deadline.ts';
import { excessOf } from './json-size.ts';
import { mediaType } from './media-types.ts';
import { BodyIncomplete, BodyTooLarge, BodyTooSlow, type CoreRequest, Overloaded } from './message.ts';
import { formOf, isStorable } from './query-string.ts';

/**
 * Reads and parses the body of a request: `Content-Type` first, then the bytes, then the JSON.
 * @param maxBytes maximum size of the body
 * @param limits limits on its JSON
 * @returns the JSON value; the fields of a form or the text, if the operation accepts these media types; undefined if an optional body is
 * missing
 * @throws ApiError 415 for an unsupported media type, 413 above `maxBytes`, 400 `COULD_NOT_VALIDATE` with the body's name if a required
 * body is missing, 400 `COULD_NOT_PARSE_BODY` for a body that is not JSON in UTF-8, exceeds the limits, has a key named `__proto__`, or
 * contains values that no store can hold (U+0000, lone surrogates, infinite numbers).
 */
export const readBody = async (request: CoreRequest, body: Body, maxBytes: number, limits: JsonLimits = JSON_LIMITS): Promise<unknown> => {
  const length = request.header('content-length');
  const isAnnounced = length !== undefined ? length !== '0' : request.header('transfer-encoding') !== undefined;
  const contentType = request.header('content-type');
  const { media = JSON_ONLY } = body;
  const type = contentType === undefined ? undefined : mediaType(contentType);
  const isAccepted = type !== undefined && media.includes(type);
  // Without either header, there may still be a body (HTTP/2, hosts that hide the headers): only reading it can tell.
  if (isAnnounced && !isAccepted) throw unsupported(contentType, body);
  if (Number(length) > maxBytes) throw tooLarge();
  const bytes = length === '0' ? EMPTY : await readBytes(request, maxBytes);
  if (bytes.length === 0) {
    if (body.required === false) return undefined;
    throw missingBody(body.name);
  }
  if (!isAccepted) throw unsupported(contentType, body);
  if (bytes.length > LARGE_BODY_BYTES) await awaitTurn();
  if (type === JSON_TYPE) {
    const value = parseJson(bytes, limits);
    // Schemas accept a string as a plain-text body, so a JSON string must not reach them.
    if (typeof value === 'string') throw unparsable('the body must be of type object, got string');
    if (bytes.length > LARGE_BODY_BYTES) await awaitTurn();
    return value;
  }
  return type === FORM_TYPE ? parseForm(bytes) : textOf(bytes);
};

/** For larger bodies, reading yields to the event loop before and after parsing, since several may arrive at the same time. */
const LARGE_BODY_BYTES = 65_536;

const JSON_ONLY: readonly string[] = Object.freeze([JSON_TYPE]);

/**
 * Parses JSON in UTF-8. Checks the limits before parsing, and rejects values that cannot be stored and keys named `__proto__`. If a key
 * occurs more than once, the last value wins.
 */
export const parseJson = (bytes: Uint8Array, limits: JsonLimits = JSON_LIMITS): unknown => {
  const excess = excessOf(bytes, limits);
  if (excess) throw unparsable(excess);
  const text = decoded(bytes, limits.name);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unparsable(`${limits.name} is not JSON${position(error)}`);
  }
  if (hasUnstorableEscape(text)) throw unparsable(UNSTORABLE);
  if (MAY_BE_PROTOTYPE.test(text) && hasPrototype(value)) throw unparsable(PROTOTYPE_REFUSED);
  if (MAY_BE_INFINITE.test(text) && !hasFiniteNumbers(value)) throw unparsable('a number is out of range');
  return value;
};

/** Parses a form into an object of strings, with a list for a repeated name. */
const parseForm = (bytes: Uint8Array): Readonly<Record<string, string | readonly string[]>> => {
  const form = formOf(textOf(bytes), JSON_LIMITS.keys);
  if (form === 'tooMany') throw unparsable(tooMany('keys'));
  if (form === 'malformed') throw unparsable('the form is not percent-encoded UTF-8');
  if (Object.hasOwn(form, PROTOTYPE)) throw unparsable(PROTOTYPE_REFUSED);
  for (const value of Object.entries(form).flat(2)) if (!isStorable(value)) throw unparsable(UNSTORABLE);
  return form;
};

/** Decodes text in UTF-8, and rejects text that cannot be stored. */
const textOf = (bytes: Uint8Array): string => {
  const text = decoded(bytes);
  if (!isStorable(text)) throw unparsable(UNSTORABLE);
  return text;
};

const decoded = (bytes: Uint8Array, name = JSON_LIMITS.name): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw unparsable(`${name} is not in UTF-8`);
  }
};

const utf8 = new TextDecoder('utf-8', { fatal: true });
const EMPTY = new Uint8Array(0);

const readBytes = async (request: CoreRequest, maxBytes: number): Promise<Uint8Array> => {
  try {
    return await request.body(maxBytes);
  } catch (error) {
    if (error instanceof BodyTooLarge) throw tooLarge();
    if (error instanceof BodyIncomplete) throw unparsable('the body is cut off');
    if (error instanceof BodyTooSlow) throw bodyTooLate('the body arrived too slowly');
    if (error instanceof Overloaded) throw new ApiError('SERVER_UNAVAILABLE', { retryAfter: RETRY_AFTER.busy });
    throw error;
  }
};

/** True if JSON text contains an escape of U+0000 or of a lone surrogate. In valid UTF-8, these can only occur as escapes. */
const hasUnstorableEscape = (json: string): boolean => {
  if (!MAY_BE_UNSTORABLE.test(json)) return false;
  let lowSurrogateAt = -1;
  for (let next = 0, at = json.indexOf('\\'); at >= 0; at = json.indexOf('\\', next)) {
    const isUnit = json[at + 1] === 'u';
    next = at + (isUnit ? 6 : 2);
    const unit = isUnit ? Number.parseInt(json.slice(at + 2, next), 16) : NO_UNIT;
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (lowSurrogateAt < 0 ? isLow || unit === 0 : !isLow || at !== lowSurrogateAt) return true;
    lowSurrogateAt = unit >= 0xd800 && unit < 0xdc00 ? next : -1;
  }
  return lowSurrogateAt >= 0;
};

const MAY_BE_UNSTORABLE = /\\u(?:0000|[dD][89a-fA-F])/;
const NO_UNIT = -1;

/** Matches any text with a key `__proto__`, even if its characters are escaped. */
const MAY_BE_PROTOTYPE = /__proto__|\\u00(?:5[fF]|[67])/;

const hasPrototype = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (Object.hasOwn(value, PROTOTYPE) || Object.values(value).some(hasPrototype));

/** Matches any text with a number that is too large for a double: it has an exponent of three digits, or hundreds of digits. */
const MAY_BE_INFINITE = /\d[eE]\+?0*\d{3}|\d{200}/;

const hasFiniteNumbers = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(hasFiniteNumbers);
};

const UNSTORABLE = 'a string contains a character that cannot be stored (U+0000 or an unpaired surrogate)';

/** The position of a syntax error. The engine's own message is not used, because it quotes the body, which may contain a password. */
const position = (error: unknown): string => {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? '' : `: error at position ${position}`;
};

const unparsable = (message: string): ApiError => new ApiError('COULD_NOT_PARSE_BODY', { cause: { code: 'UNHANDLED', message } });
const tooLarge = (): ApiError => new ApiError('REQUEST_ENTITY_TOO_LARGE');
const unsupported = (given: string | undefined, { media = JSON_ONLY, unsupported: code = 'COULD_NOT_VALIDATE' }: Body) => {
  const reason = `unsupported media type ${given === undefined ? 'none' : `"${given.slice(0, 100)}"`}, only [${media.join()}] are allowed`;
  return new ApiError(code, { cause: { field: 'Content-Type', reason, value: given ?? '' }, status: 415 });
};
