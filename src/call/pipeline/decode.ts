import * as z from 'zod';
import type { Operation } from '../../contract/api/kit/operation.ts';
import { ApiError, invalidField, missingBody } from '../../contract/errors/index.ts';
import type { Settings } from '../settings.ts';

type Issue = z.core.$ZodIssue;
type Values = Record<string, unknown>;

/**
 * Decodes raw input by the operation's schemas. A value of the wrong JSON type anywhere in the body makes it unreadable
 * (`COULD_NOT_PARSE_BODY`); otherwise, the invalid field whose name sorts first is reported. A null body counts as absent, and so does a
 * top-level field that is null, unless its schema accepts null. Unknown fields are dropped.
 * @throws ApiError
 */
export const decode = (operation: Operation, raw: unknown, { numericTags }: Pick<Settings, 'numericTags'>): unknown => {
  const input: Values = typeof raw === 'object' && raw !== null ? { ...raw } : {};
  const decoded: Values = {};
  for (const name of operation.parameters) {
    if (typeof input[name] !== 'string') throw invalidField(name, `${name} must be text`, input[name]);
    decoded[name] = input[name];
  }
  for (const name in operation.headers) {
    if (input[name] === undefined) continue;
    if (typeof input[name] !== 'string') throw invalidField(name, `${name} must be text`, undefined);
    decoded[name] = input[name];
  }
  if (operation.query) Object.assign(decoded, parse(operation.query, input, 'query'));
  if (operation.body) {
    const { schema, required = true, name } = operation.body;
    const body = input.body ?? undefined;
    if (body === undefined && required) throw missingBody(name);
    if (body !== undefined) decoded.body = parse(schema, withoutNulls(body, schema), 'body');
    if (!numericTags) refuseNumericTags(decoded.body);
  }
  return decoded;
};

const withoutNulls = (body: unknown, schema: z.ZodType): unknown => {
  if (!isObject(body) || Array.isArray(body)) return body;
  const isGiven = ([name, value]: readonly [string, unknown]): boolean =>
    value !== null ? value !== undefined : schema instanceof z.ZodObject && schema.shape[name] instanceof z.ZodNullable;
  const given = Object.entries(body);
  return given.every(isGiven) ? body : Object.fromEntries(given.filter(isGiven));
};

/** The schema of tags accepts numbers, but the network accepts them only with the setting `numericTags`. */
const refuseNumericTags = (body: unknown): void => {
  const tags = isObject(body) && isObject(body.tags) ? body.tags : {};
  for (const [name, value] of Object.entries(tags)) {
    const reason = `tags must be text, booleans or null, but ${name} is a number, which requires the setting numericTags`;
    if (typeof value === 'number') throw invalidField('tags', reason, value);
  }
};

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;

const parse = (schema: z.ZodType, input: unknown, where: 'body' | 'query'): unknown => {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  throw errorOf(result.error.issues, where);
};

const errorOf = (issues: readonly Issue[], where: 'body' | 'query'): ApiError => {
  const unreadable = where === 'body' ? issues.find(isWrongType) : undefined;
  if (unreadable) {
    const message = `${nameOf(unreadable) || 'the body'} ${reasonOf(unreadable)}`;
    return new ApiError('COULD_NOT_PARSE_BODY', { cause: { code: 'UNHANDLED', message } });
  }
  const [first] = [...issues].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  if (!first) return invalidField('(root)', `the ${where} is not valid`, undefined); // zod reports at least one issue
  // The messages of our own checks are whole sentences, or begin with "must" and lack a subject.
  const isSentence = first.code === 'custom' && !first.message.startsWith('must ');
  const place = isEmptyText(first) ? nameOf(first) : `${nameOf(first)} in ${where}`;
  const reason = isSentence ? first.message : `${place} ${reasonOf(first)}`;
  return invalidField(nameOf(first) || '(root)', reason, first.code === 'invalid_union' ? undefined : first.input);
};

/** A value of another JSON type than the field's, or an invalid date. A missing value is not a wrong type. */
const isWrongType = (issue: Issue): boolean => {
  if (issue.input === undefined || issue.input === null) return false;
  if (issue.code === 'invalid_type') return true;
  if (issue.code === 'invalid_union') return discriminatorOf(issue) !== undefined;
  if (issue.code === 'invalid_value') return typeof issue.input !== 'string';
  return issue.code === 'invalid_format' && issue.format === 'datetime';
};

/** The discriminator of a document, undefined if it is missing. It is not a known one, because there is an issue. */
const discriminatorOf = ({ discriminator, input }: Extract<Issue, { readonly code: 'invalid_union' }>): unknown =>
  discriminator !== undefined && typeof input === 'object' && input !== null ? ((input as Values)[discriminator] ?? undefined) : input; // any object can be read as a record

const nameOf = (issue: Issue): string => issue.path.join('.');

const isEmptyText = (issue: Issue): boolean => issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1;

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

/** The reason for an issue, in the wording that clients know and show. */
export const reasonOf = (issue: Issue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined || issue.input === null
        ? 'is required'
        : `must be of type ${issue.expected}, got ${typeOf(issue.input)}`;
    case 'invalid_value':
      return issue.input === undefined || issue.input === null ? 'is required' : `should be one of [${issue.values.join(' ')}]`;
    case 'invalid_union':
      return discriminatorOf(issue) === undefined
        ? 'is required'
        : `should be one of [${'options' in issue ? issue.options?.join(' ') : ''}]`;
    case 'too_small':
      if (issue.origin === 'array') return `should have at least ${issue.minimum} items`;
      if (isEmptyText(issue)) return 'must not be empty';
      return issue.origin === 'string'
        ? `should be at least ${issue.minimum} chars long`
        : `should be greater than or equal to ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'array') return `should have at most ${issue.maximum} items`;
      return issue.origin === 'string'
        ? `should be at most ${issue.maximum} chars long`
        : `should be less than or equal to ${issue.maximum}`;
    case 'invalid_format':
      return issue.format === 'regex' ? issue.message : `must be of type ${issue.format}`;
    default:
      return issue.message;
  }
};
