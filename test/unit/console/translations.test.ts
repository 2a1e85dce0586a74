/** The languages of the console: each has all texts, labels for all fields and kinds, and descriptions for all fields of forms. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { memoryStorage } from '../../../adapters/storage/memory/index.ts';
import { remoteOperations } from '../../../client/operations.ts';
import { german } from '../../../console/app/german/german.ts';
import { texts } from '../../../console/app/texts.ts';
import { type FormSchema, nameOf, type OpenApi } from '../../../console/descriptions.ts';
import { parametersIn } from '../../../console/own-texts.ts';
import { kinds } from '../../../src/contract/api/kinds.ts';
import { ManagementController } from '../../../src/index.ts';

/** Tables whose entries differ: English labels of fields are derived from their names, and the descriptions are in English already. */
const isOfFields = ([name]: readonly [string, ...unknown[]]): boolean => /^(fields|descriptions)\./.test(name);
const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].toSorted();

describe('the console in German', () => {
  let controller: ManagementController;
  let api: OpenApi;
  /** Properties of the schemas of config types. */
  const properties: string[] = [];

  before(async () => {
    controller = await ManagementController.open({ storage: memoryStorage(), settings: { address: 'https://overlay.example.com' } });
    const target = '/edge/management/extensions/v1/openapi.json';
    const { body } = await controller.handle({ method: 'GET', target, header: () => undefined, body: async () => new Uint8Array() });
    api = JSON.parse(String(body));
    const collect = (schema: unknown): void => {
      for (const [key, value] of Object.entries(Object(schema))) {
        if (key === 'properties') properties.push(...Object.keys(Object(value)));
        collect(typeof value === 'object' ? value : undefined);
      }
    };
    for (const { schema } of (await controller.api.configTypes.list({ limit: 100 })).data) collect(schema);
  });
  after(() => controller.close());

  const operations = () => Object.values(api.paths).flatMap((methods) => Object.values(methods));
  const operationOf = (group: string, verb: string) => {
    const id = remoteOperations[group]?.[verb]?.operationId;
    return operations().find(({ operationId }) => operationId === id);
  };
  const resolved = (schema: FormSchema = {}): FormSchema =>
    schema.$ref === undefined ? schema : resolved(api.components.schemas[nameOf(schema.$ref)]);

  /** Calls `visit` with each property of a schema, and of the schemas in it as far as a form or a page shows them. */
  const visitProperties = (schema: FormSchema, depth: number, visit: (name: string, property: FormSchema) => void): void => {
    const { properties: own = {}, oneOf = [], anyOf = [], items, additionalProperties } = resolved(schema);
    for (const each of [...oneOf, ...anyOf]) visitProperties(each, depth, visit);
    for (const [name, property] of Object.entries(own)) {
      visit(name, property);
      if (depth > 0) visitProperties(property, depth - 1, visit);
    }
    for (const each of [items, additionalProperties]) {
      if (typeof each !== 'object' || depth === 0) continue;
      visit('value', each);
      visitProperties(each, depth - 1, visit);
    }
  };

  /** The forms of the kinds, and of the own account. */
  const FORMS = [
    ...Object.keys(texts.kinds).flatMap((group) => ['create', 'patch', 'replace'].map((verb) => [group, verb] as const)),
    ['currentApiTokens', 'create'],
  ] as const;
  const visitForms = (visit: (name: string, property: FormSchema) => void): void => {
    for (const [group, verb] of FORMS) visitProperties(bodyOf(group, verb), 8, visit);
  };
  const bodyOf = (group: string, verb: string): FormSchema =>
    operationOf(group, verb)?.requestBody?.content?.['application/json']?.schema ?? {};

  test('each text has the same name and parameters in German', () => {
    const names = (part: object) => Object.fromEntries(parametersIn(part).filter((each) => !isOfFields(each)));
    const [english, translated] = [names(texts), names(german)];
    assert.deepEqual(Object.keys(translated).toSorted(), Object.keys(english).toSorted());
    for (const [name, count] of Object.entries(translated)) assert.ok(count <= (english[name] ?? 0), name);
  });

  test('each label of a field or kind has a translation', () => {
    const shown: string[] = [...properties, ...Object.keys(texts.fields)];
    visitForms((name, property) => {
      shown.push(name);
      const { 'x-refers-to': refersTo = resolved(property)['x-refers-to'] } = property;
      if (refersTo?.by === 'id') shown.push(name.replace(/Id$/, ''));
    });
    for (const group of Object.keys(texts.kinds))
      for (const verb of ['list', 'get']) {
        const answer = operationOf(group, verb)?.responses?.['200'] ?? {};
        const { content } = answer.$ref === undefined ? answer : (api.components.responses?.[nameOf(answer.$ref)] ?? {});
        const data = content?.['application/json']?.schema?.properties?.['data'] ?? {};
        visitProperties(data.items ?? data, 0, (name) => shown.push(name));
      }
    for (const [name, kind] of Object.entries(kinds)) if (!('unrecorded' in kind)) shown.push(name, ...Object.keys(kind.fields));
    const { oneOf = [] } = resolved(bodyOf('postureChecks', 'create'));
    for (const { $ref = '' } of oneOf) shown.push(nameOf($ref).replace(/^PostureCheck(\w+)Create$/, '$1'));
    assert.ok(shown.includes('MacAddress') && shown.includes('portRanges') && shown.includes('lastActivityAt'));
    const known = Object.keys(german.fields);
    assert.deepEqual(
      sorted(shown).filter((name) => !known.includes(name) && !isHidden(name)),
      [],
    );
  });

  /** Links of the API, and names that accompany ids, have no labels. */
  const isHidden = (name: string): boolean => name === '_links' || name.endsWith('Display');

  test('each description of a field of a form has a translation, and none is left of a former one', () => {
    const shown: string[] = [];
    visitForms((_, property) => {
      for (const { description } of [property, resolved(property)]) if (description !== undefined) shown.push(description);
    });
    assert.deepEqual(sorted(Object.keys(german.descriptions)), sorted(shown));
  });

  test('no text is the same in both languages, but for names and words that are', () => {
    const same: string[] = [];
    const compare = (one: object, other: object, path: string): void => {
      for (const [name, text] of Object.entries(one)) {
        const translated: unknown = Reflect.get(other, name);
        if (typeof text === 'string' && text === translated && !isOfFields([`${path}${name}`])) same.push(text);
        if (typeof text === 'object') compare(text, Object(translated), `${path}${name}.`);
      }
    };
    compare(texts, german, '');
    assert.deepEqual(sorted(same), SAME);
  });
});

/** Texts that are the same in both languages. */
const SAME: readonly string[] =
  'Audit Circuits Client Code Container Fabric Filter JSON Kubernetes Links Linux Live Name Navigation Offline Online Operation Ports Revision Router Server Text Token offline online —'.split(
    ' ',
  );
