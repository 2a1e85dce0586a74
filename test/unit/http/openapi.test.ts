import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { groups } from '../../../src/contract/api/index.ts';
import { list, textUpTo } from '../../../src/contract/api/kit/bounded.ts';
import { data, type Group, group, operation, page } from '../../../src/contract/api/kit/operation.ts';
import { bareJson } from '../../../src/contract/api/surfaces/envelope.ts';
import { surfaces } from '../../../src/contract/api/surfaces/index.ts';
import { withoutSession } from '../../../src/contract/api/surfaces/session-rule.ts';
import { surface } from '../../../src/contract/api/surfaces/surface.ts';
import { openApiDocument } from '../../../src/http/openapi.ts';
import { swaggerDocument } from '../../../src/http/swagger.ts';

const info = { address: 'https://ctrl.test:1280', version: '1.2.3' };
const text = textUpTo(99);
const name = text.min(1).meta({ description: 'A name.' });
const upper = list(text, 10)
  .transform((all) => all.map((one) => one.toUpperCase()))
  .meta({ id: 'Upper' });
const thing = z
  .object({ name, upper, level: z.int().default(3), note: text.nullable(), when: z.iso.datetime().max(64) })
  .meta({ id: 'Thing' });
const number = z
  .union([z.number(), text])
  .transform(Number)
  .meta({ override: { type: 'integer', format: 'int64' } });

const things = group('things', 'Things', {
  list: operation('GET', '/things', {
    operationId: 'listThings',
    summary: 'List',
    permission: 'session',
    query: z.object({
      limit: number.optional().meta({ description: 'At most.' }),
      filter: text,
      tag: list(text, 100).optional(),
    }),
    answer: page(thing),
  }),
  replace: operation('PUT', '/things/{id}', {
    operationId: 'updateThing',
    summary: 'Replace',
    permission: 'thing.update',
    body: { schema: thing, name: 'thing', required: false },
    answer: data(thing),
    errors: ['CONFLICT'],
    denied: 403,
  }),
  version: operation('GET', '/version', {
    operationId: 'listVersion',
    summary: 'Version',
    permission: 'open',
    surfaces: [surfaces.management, surfaces.client],
    answer: data(z.object({ either: z.union([text, z.object({})]) })),
  }),
  raw: operation('GET', '/raw', {
    operationId: 'raw',
    summary: 'Raw',
    permission: 'open',
    answer: { is: 'raw', contentTypes: ['text/yaml'] },
  }),
}) as Group;

/** Documents are read here as their readers do: by path. */
const at = (document: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string | number, unknown> | undefined)?.[key], document);
/** What stands where a reference leads. */
const referredTo = (document: unknown, reference: unknown): unknown => at(document, ...String(at(reference, '$ref')).slice(2).split('/'));
const openapi = openApiDocument([things], info, surfaces.management);
const swagger = swaggerDocument([things], surfaces.management, info);

test('an operation is found by path and method, with its own id, tag and summary', () => {
  const list = at(openapi, 'paths', '/things', 'get');
  assert.deepEqual([at(list, 'operationId'), at(list, 'tags'), at(list, 'summary')], ['listThings', ['things'], 'List']);
  assert.equal(at(openapi, 'openapi'), '3.1.0');
  assert.deepEqual(at(openapi, 'servers'), [{ url: 'https://ctrl.test:1280/edge/management/v1' }]);
});

test('parameters of path and query are described, also those that zod cannot say', () => {
  assert.deepEqual(at(openapi, 'paths', '/things', 'get', 'parameters'), [
    { name: 'limit', in: 'query', required: false, description: 'At most.', schema: { type: 'integer', format: 'int64' } },
    { name: 'filter', in: 'query', required: true, schema: { type: 'string', maxLength: 99 } },
    { name: 'tag', in: 'query', required: false, schema: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 99 } } },
  ]);
  const ofReplace = at(openapi, 'paths', '/things/{id}', 'put', 'parameters') as readonly object[];
  assert.deepEqual(ofReplace[0], { name: 'id', in: 'path', required: true, schema: { type: 'string' } });
  const headers = ofReplace.filter((each) => at(each, 'in') === 'header');
  assert.deepEqual(
    headers.map((each) => [at(each, 'name'), at(each, 'required'), at(each, 'schema')]),
    ['prefer', 'x-change-reason', 'x-max-lost', 'x-override-policy-tests'].map((header) => [header, false, { type: 'string' }]),
  );
});

test('what several operations have is described once, and what they have in another form where it is', () => {
  const of = (path: string, tag: z.ZodType) =>
    operation('GET', path, {
      operationId: path.slice(1),
      summary: 'List',
      permission: 'session',
      query: z.object({ filter: text, tag }),
      answer: data(thing),
    });
  const operations = { one: of('/one', number), two: of('/two', text), three: of('/three', text), four: of('/four', number.optional()) };
  const document = openApiDocument([group('things', 'Things', operations) as Group], info, surfaces.management);
  const tagOf = (path: string): unknown => at(document, 'paths', path, 'get', 'parameters', 1);
  assert.deepEqual(at(document, 'components', 'parameters'), {
    filter: { name: 'filter', in: 'query', required: true, schema: { type: 'string', maxLength: 99 } },
    tag: { name: 'tag', in: 'query', required: true, schema: { type: 'string', maxLength: 99 } },
  });
  assert.deepEqual([tagOf('/two'), tagOf('/three')], [{ $ref: '#/components/parameters/tag' }, { $ref: '#/components/parameters/tag' }]);
  assert.deepEqual(tagOf('/one'), { name: 'tag', in: 'query', required: true, schema: { type: 'integer', format: 'int64' } });
  assert.deepEqual(tagOf('/four'), { name: 'tag', in: 'query', required: false, schema: { type: 'integer', format: 'int64' } });
  const answers = ['/one', '/two', '/three', '/four'].map((path) => at(document, 'paths', path, 'get', 'responses', '200'));
  assert.deepEqual(answers, Array(4).fill({ $ref: '#/components/responses/Thing.Meta' }));
  assert.equal(at(referredTo(document, answers[0]), 'description'), 'OK');
});

test('a schema that is taken in another form than it is given has two names', () => {
  const body = at(openapi, 'paths', '/things/{id}', 'put', 'requestBody');
  assert.deepEqual(body, { required: false, content: { 'application/json': { schema: { $ref: '#/components/schemas/ThingInput' } } } });
  assert.deepEqual(at(openapi, 'components', 'schemas', 'ThingInput', 'required'), ['name', 'upper', 'note', 'when']);
  assert.deepEqual(at(openapi, 'components', 'schemas', 'Thing', 'required'), ['name', 'upper', 'level', 'note', 'when']);
  assert.deepEqual(at(openapi, 'components', 'schemas', 'Upper'), {
    type: 'array',
    maxItems: 10,
    items: { type: 'string', maxLength: 99 },
  });
  assert.equal(at(openapi, 'components', 'schemas', 'UpperInput'), undefined);
});

test('answers are in their envelope, errors in theirs', () => {
  const answers = at(openapi, 'paths', '/things', 'get', 'responses');
  const schema = at(answers, '200', 'content', 'application/json', 'schema');
  assert.deepEqual(at(schema, 'properties', 'data'), { type: 'array', items: { $ref: '#/components/schemas/Thing' } });
  assert.deepEqual(at(schema, 'properties', 'meta'), { $ref: '#/components/schemas/PageMeta' });
  const refusal = referredTo(openapi, at(answers, '400'));
  assert.deepEqual(at(refusal, 'content', 'application/json', 'schema'), { $ref: '#/components/schemas/ErrorEnvelope' });
  assert.match(String(at(refusal, 'description')), /INVALID_FILTER/);
  assert.deepEqual(Object.keys(at(openapi, 'paths', '/things/{id}', 'put', 'responses') as object), [
    '200',
    '400',
    '401',
    '403',
    '404',
    '406',
    '408',
    '409',
    '413',
    '415',
    '429',
    '503',
  ]);
  assert.deepEqual(at(openapi, 'paths', '/raw', 'get', 'responses', '200', 'content'), { 'text/yaml': { schema: { type: 'string' } } });
});

test('a surface describes its own envelope and its own errors', () => {
  const fault = { type: 'object', properties: { error: { type: 'string' } } } as const;
  const bare = surface({
    name: 'bare',
    prefix: '/bare',
    envelope: bareJson,
    errorForm: { contentType: 'application/problem+json', write: () => ({ body: '' }), schema: fault, components: {} },
    session: withoutSession,
  });
  const list = operation('GET', '/things', {
    operationId: 'listBareThings',
    summary: 'List',
    permission: 'open',
    surfaces: [bare],
    answer: page(thing),
  });
  const document = openApiDocument([group('things', 'Things', { list }) as Group], info, bare);
  const answers = at(document, 'paths', '/things', 'get', 'responses');
  assert.deepEqual(at(answers, '200', 'content', 'application/json', 'schema'), {
    type: 'array',
    items: { $ref: '#/components/schemas/Thing' },
  });
  assert.deepEqual(at(referredTo(document, at(answers, '503')), 'content'), { 'application/problem+json': { schema: fault } });
  assert.deepEqual(Object.keys(at(document, 'components', 'schemas') as object), ['Thing', 'Upper']);
});

test('what is open needs no session', () => {
  assert.deepEqual(at(openapi, 'paths', '/version', 'get', 'security'), []);
  assert.equal(at(openapi, 'paths', '/things', 'get', 'security'), undefined);
  assert.equal(at(openapi, 'components', 'securitySchemes', 'ztSession', 'name'), 'zt-session');
});

test('the document of all APIs has whole paths, and no id twice', () => {
  const all = openApiDocument([things], info);
  assert.equal(at(all, 'paths', '/edge/management/v1/version', 'get', 'operationId'), 'listVersion');
  assert.equal(at(all, 'paths', '/edge/client/v1/version', 'get', 'operationId'), 'listVersionClient');
});

test('the older form says the same in its own words', () => {
  assert.deepEqual(
    [at(swagger, 'swagger'), at(swagger, 'host'), at(swagger, 'basePath'), at(swagger, 'schemes')],
    ['2.0', 'ctrl.test:1280', '/edge/management/v1', ['https']],
  );
  assert.deepEqual(at(swagger, 'paths', '/things', 'get', 'parameters', 2), {
    name: 'tag',
    in: 'query',
    required: false,
    type: 'array',
    items: { type: 'string', maxLength: 99 },
    collectionFormat: 'multi',
  });
  const parameters = at(swagger, 'paths', '/things/{id}', 'put', 'parameters') as readonly object[];
  assert.deepEqual(at(parameters, 1, 'name'), 'prefer');
  assert.deepEqual(parameters.at(-1), {
    name: 'thing',
    in: 'body',
    required: false,
    schema: { $ref: '#/definitions/ThingInput' },
  });
  assert.deepEqual(at(swagger, 'definitions', 'Thing', 'properties', 'note'), { type: 'string', maxLength: 99, 'x-nullable': true });
  assert.deepEqual(at(swagger, 'paths', '/version', 'get', 'responses', '200', 'schema', 'properties', 'data', 'properties'), {
    either: {},
  });
});

const references = (document: object): readonly string[] =>
  [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? '');

test('every reference of the real documents leads somewhere, and their operation ids are unique', () => {
  const real: readonly Group[] = Object.values(groups);
  const documents = [
    openApiDocument(real, info),
    swaggerDocument(real, surfaces.management, info),
    swaggerDocument(real, surfaces.client, info),
  ];
  for (const document of documents) {
    for (const reference of references(document)) assert.ok(at(document, ...reference.slice(2).split('/')), reference);
    const ids = [...JSON.stringify(document).matchAll(/"operationId":"([^"]+)"/g)].map((match) => match[1]);
    assert.equal(new Set(ids).size, ids.length);
  }
  assert.doesNotMatch(JSON.stringify(documents.slice(1)), /"(anyOf|oneOf|const|propertyNames|\$defs)":/);
});
