import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as z from 'zod';
import { decode } from '../../src/call/pipeline/decode.ts';
import { defaultSettings } from '../../src/call/settings.ts';
import type { Operation } from '../../src/contract/api/kit/operation.ts';
import { entries } from '../../src/controller/entries.ts';
import { ApiError } from '../../src/index.ts';
import { openApp } from '../support/app.ts';
import { callSample } from '../support/calls.ts';
import { nameOf, sampleOf } from '../support/samples/index.ts';

type Type = 'string' | 'number' | 'boolean' | 'array' | 'object';
type Schema = z.core.$ZodTypes;

const VALUES: Readonly<Record<Type, readonly unknown[]>> = {
  string: ['', 'x', '0', 'true', '{}'],
  number: [0, 1, -1.5],
  boolean: [true, false],
  array: [[], [null], ['x'], [{}]],
  object: [{}, { x: 1 }, { length: 0 }],
};

/** The schema of what stands in a body: without what lets it be left out, and without the steps around it. */
const inner = (schema: Schema): Schema => {
  const { def } = schema._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      return inner(def.innerType as Schema); // any schema of zod's is one of its types
    case 'pipe':
      return inner((def.in._zod.def.type === 'transform' ? def.out : def.in) as Schema); // the same
    default:
      return schema;
  }
};

/** The types of JSON that a schema takes. */
const typesOf = (schema: Schema): readonly Type[] => {
  const { def } = inner(schema)._zod;
  switch (def.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'array':
    case 'object':
      return [def.type];
    case 'enum':
    case 'literal':
      return ['string'];
    case 'record':
      return ['object'];
    case 'union':
      return def.options.flatMap((option) => typesOf(option as Schema)); // the same
    case 'unknown':
      return ['string', 'number', 'boolean', 'array', 'object'];
    default:
      throw new TypeError(`no type of JSON is known for ${def.type}`);
  }
};

interface Wrong {
  readonly path: string;
  readonly body: unknown;
}

/** Bodies that hold a value of a wrong type in one place, for every place that a schema has. @param put the body that has a value there */
const wrongIn = (schema: Schema, path: readonly (string | number)[] = [], put = (value: unknown) => value): readonly Wrong[] => {
  const known = typesOf(schema);
  const here = Object.entries(VALUES).flatMap(([type, values]) =>
    known.includes(type as Type) ? [] : values.map((value) => ({ path: path.join('.'), body: put(value) })),
  );
  return [...here, ...wrongBelow(inner(schema), path, put)];
};

const wrongBelow = (schema: Schema, path: readonly (string | number)[], put: (value: unknown) => unknown): readonly Wrong[] => {
  const { def } = schema._zod;
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([name, field]) =>
        wrongIn(field as Schema, [...path, name], (value) => put({ ...discriminatorOf(def.shape), [name]: value })),
      );
    case 'array':
      return wrongIn(def.element as Schema, [...path, 0], (value) => put([value]));
    case 'record':
      return wrongIn(def.valueType as Schema, [...path, 'key'], (value) => put({ key: value }));
    case 'union':
      return def.options.flatMap((option) => wrongBelow(inner(option as Schema), path, put));
    default:
      return [];
  }
};

/** What tells a variant from the others: its fields that take one value only. */
const discriminatorOf = (shape: Readonly<Record<string, z.core.$ZodType>>) =>
  Object.fromEntries(
    Object.entries(shape).flatMap(([name, field]) => {
      const { def } = (field as Schema)._zod;
      return def.type === 'literal' ? [[name, def.values[0]]] : [];
    }),
  );

const refusalOf = (operation: Operation, body: unknown): unknown => {
  const others = { id: 'x', kind: 'service', serviceId: 'x', method: 'password' };
  try {
    return decode(operation, { ...others, body }, defaultSettings);
  } catch (error) {
    return error;
  }
};

const takesJson = ({ operation: { body } }: (typeof entries)[number]) => (body?.media ?? ['application/json']).includes('application/json');

test('a value of a wrong type is refused wherever it is in the body of any operation', () => {
  let tried = 0;
  for (const { operation } of entries.filter(takesJson)) {
    if (!operation.body) continue;
    for (const { path, body } of wrongIn(operation.body.schema as unknown as Schema)) {
      // any schema of zod's is one of its types
      const error = refusalOf(operation, body);
      if (typeof body === 'string' && path === '' && operation.body.media) continue; // over HTTP: text, which the test below tells from JSON
      const told = `${operation.operationId} ${path}: ${JSON.stringify(body)}`;
      assert.ok(error instanceof ApiError, told);
      assert.deepEqual([error.status, error.code], [400, 'COULD_NOT_PARSE_BODY'], `${told} ${JSON.stringify(error.cause)}`);
      tried++;
    }
  }
  assert.ok(tried > 5000, String(tried));
});

test('what only resembles an object is refused in process, where JSON could not hold it', async () => {
  await using app = await openApp('memory');
  for (const name of ['cas.create', 'identities.trace'] as const) {
    const entry = entries.find((each) => nameOf(each) === name) ?? assert.fail(name);
    const { body, id } = await sampleOf(app, entry);
    const call = (given: unknown) =>
      name === 'cas.create'
        ? app.controller.api.cas.create({ body: { ...(body as object), externalIdClaim: given } as never })
        : app.controller.api.identities.trace({ id: id ?? '', body: given as never });
    for (const given of [
      new Map([['location', 'COMMON_NAME']]),
      new Set(),
      /x/,
      Promise.resolve(),
      new Uint8Array(3),
      new URL('https://x.test'),
      Object(true),
    ])
      await assert.rejects(call(given), { code: 'COULD_NOT_PARSE_BODY', status: 400 }, String(given));
  }
});

test('a string in JSON does not count as a body of text', async () => {
  await using app = await openApp('memory');
  for (const entry of entries.filter(({ operation: { body } }) => body?.media?.some((type) => type !== 'application/json'))) {
    const raw = JSON.stringify('-----BEGIN CERTIFICATE REQUEST-----');
    const { status } = await callSample(app, entry.operation, { ...(await sampleOf(app, entry)), raw });
    assert.ok([400, 415].includes(status), nameOf(entry));
  }
});

test('null in place of a body that is needed is a missing body, and a part of a claim that is none makes no claim', async () => {
  await using app = await openApp('memory');
  for (const entry of entries.filter(takesJson).filter(({ operation: { body } }) => body && body.required !== false)) {
    const sample = await sampleOf(app, entry).catch(() => undefined); // some names are taken by the samples before
    if (!sample) continue;
    const { status, body } = await callSample(app, entry.operation, { ...sample, raw: 'null' });
    assert.equal(status, 400, nameOf(entry));
    if (!nameOf(entry).startsWith('oidc')) assert.equal(body.error.cause.field, entry.operation.body?.name, nameOf(entry));
  }
  const entry = entries.find((each) => nameOf(each) === 'cas.create') ?? assert.fail();
  const sample = await sampleOf(app, entry);
  const post = (externalIdClaim: unknown) =>
    callSample(app, entry.operation, { ...sample, body: { ...(sample.body as object), externalIdClaim } });
  for (const claim of [{ x: null }, { location: null, x: null }]) assert.equal((await post(claim)).status, 400, JSON.stringify(claim));
});
