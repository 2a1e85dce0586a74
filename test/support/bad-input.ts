import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { entries } from '../../src/controller/entries.ts';
import type { Answer } from './app.ts';
import type { Sample } from './samples/index.ts';
import { anyText } from './texts.ts';

type Operation = (typeof entries)[number]['operation'];

/** A request that nobody would send in good faith. */
export interface BadRequest {
  readonly id: string;
  readonly query: string;
  readonly raw: string | Uint8Array | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

const strange = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<fc.JsonValue>(
    null,
    '',
    ' ',
    0,
    -1,
    65536,
    1e308,
    -1e-308,
    2 ** 53,
    true,
    [],
    {},
    [null],
    [[]],
    [{}],
    { '': '' },
    'a'.repeat(5000),
    '2026-13-45T99:00:00Z',
    '\u2028',
    '😀',
    '#all',
    '@x',
  ),
);
const text = fc.oneof(
  fc.string(),
  anyText(),
  fc.constantFrom(
    '',
    '%',
    '%zz',
    '%00',
    '%2e%2e',
    '..',
    '.',
    '/',
    '\\',
    ';',
    "'",
    '"',
    '[',
    'null',
    'NaN',
    '__proto__',
    'constructor',
    'toString',
    'a'.repeat(3000),
  ),
);

/** The good body with some of its fields replaced, removed or added. */
const spoilt = (body: object) =>
  fc
    .dictionary(
      fc.oneof(fc.constantFrom(...Object.keys(body), 'tags', 'name', 'id'), fc.string()),
      fc.option(strange, { nil: undefined }),
      { minKeys: 1, maxKeys: 4 },
    )
    .map((changes) => ({ ...body, ...changes }));

const bodies = ({ body }: Sample): fc.Arbitrary<string | Uint8Array | undefined> => {
  const json = (value: unknown) => JSON.stringify(value);
  const good = typeof body === 'object' && body !== null ? body : {};
  return fc.oneof(
    { weight: 4, arbitrary: spoilt(good).map(json) },
    { weight: 2, arbitrary: strange.map(json) },
    { weight: 1, arbitrary: fc.tuple(fc.constant(json(good)), fc.nat(200)).map(([whole, length]) => whole.slice(0, length)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '{"a":"\\u0000"}',
        '{"tags":{"a":"\\ud800"}}',
        '{"__proto__":{"isAdmin":true}}',
        '['.repeat(2000),
        '{"a":1e999}',
        '\ufeff{}',
        '{"name":"a","name":5}',
        'null',
        'undefined',
      ),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
};

const queries = ({ query }: Operation, sample: Sample): fc.Arbitrary<string> => {
  const names = [...Object.keys(query?.shape ?? {}), 'method', 'x'];
  const value = fc.oneof(
    text.map(encode),
    text,
    fc.constantFrom(
      'limit%20none',
      'true%20limit%20-1',
      'not',
      'id%20%3D',
      'a'.repeat(9000),
      '-9223372036854775809',
      '1e3',
      'id%20in%20%5B%5D',
      '('.repeat(500),
    ),
  );
  const pairs = fc.array(
    fc.tuple(fc.constantFrom(...names), value).map(([name, each]) => `${name}=${each}`),
    { maxLength: 4 },
  );
  return fc.oneof(
    pairs.map((each) => each.join('&')),
    fc.constant(sample.query ?? ''),
    text,
  );
};

const encode = (value: string) => encodeURIComponent(value.toWellFormed());

export const badRequests = (operation: Operation, sample: Sample): fc.Arbitrary<BadRequest> =>
  fc.record({
    id: fc.oneof(fc.constant(sample.id ?? 'x'), text.map(encode), text),
    query: queries(operation, sample),
    raw: bodies(sample),
    headers: fc.oneof(
      { weight: 5, arbitrary: fc.constant({}) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          { 'content-type': 'text/plain' },
          { 'content-type': 'application/json; charset=utf-16' },
          { accept: 'text/html' },
          { accept: ',;q=x' },
          { 'zt-session': 'x' },
          { 'zt-session': '' },
          { origin: 'null' },
        ),
      },
    ),
  });

const isText = (value: unknown) => typeof value === 'string';

/** Never our fault; and what the provider refuses says why, in a form of its own, or as a text or page. */
export const assertSoundOfProvider = ({ status, headers, text, body }: Answer): void => {
  assert.ok(status < 500, `${status}: ${text}`);
  if (status < 400) return;
  if (body === undefined) assert.match(headers['content-type'] ?? '', /^text\/(plain|html)/);
  else assert.ok(isText(body.error) ? isText(body.error_description) : isText(body.code) && isText(body.message), text);
};

/** Never our fault; and whatever is refused says why, in one form. */
export const assertSound = ({ status, headers, text, body }: Answer): void => {
  assert.ok(status < 500, `${status}: ${text}`);
  if (status < 400) return;
  // A path that cannot be read leads to no API, so nobody can say what its errors look like.
  if (body === undefined) {
    assert.deepEqual([status, headers['content-type']], [400, 'text/plain; charset=utf-8']);
    return;
  }
  const { code, message, requestId, cause, ...others } = body.error;
  assert.ok(
    [code, message, requestId].every((value) => isText(value) && value !== ''),
    text,
  );
  assert.deepEqual([Object.keys(others), Object.keys(body).toSorted()], [[], ['error', 'meta']]);
  if (cause === undefined) return;
  assert.ok(
    [
      ['field', 'reason', 'value'],
      ['code', 'message'],
    ].some((keys) => JSON.stringify(keys) === JSON.stringify(Object.keys(cause).toSorted())),
    text,
  );
  assert.ok(Object.values(cause).every(isText), text);
};
