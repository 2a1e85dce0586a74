import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { createClient } from '../../client/index.ts';
import type { Api, StateDocument } from '../../src/index.ts';
import { ApiError } from '../../src/index.ts';
import { ADMIN, type App, onEveryStore } from '../support/app.ts';
import { refusal } from '../support/client.ts';
import { declareOneOfEach } from '../support/declared-state.ts';
import { assertInvalid } from '../support/refusals.ts';

const E = '/edge/management/extensions/v1/state/lines';

/** A document as lines, in the order of its sections. */
const linesOf = ({ owner: _, ...sections }: StateDocument): string =>
  Object.entries(sections)
    .flatMap(([section, entities = []]) => entities.map((entity) => `${JSON.stringify({ [section]: entity })}\n`))
    .join('');

const exported = async (api: Api, input: Parameters<Api['state']['exportLines']>[0] = {}): Promise<string> => {
  const { body } = await api.state.exportLines(input);
  let text = '';
  for await (const part of body as AsyncIterable<string>) text += part;
  return text;
};

const service = (name: string, fields: object = {}) => ({ name, encryptionRequired: true, ...fields });

/** More services than are read or compared at a time. */
const services = Array.from({ length: 450 }, (_, i) => service(`service ${String(i).padStart(3, '0')}`, { roleAttributes: ['web'] }));

const policyOf = (serviceRoles: readonly string[]) => ({
  name: 'dial',
  type: 'Dial',
  semantic: 'AnyOf',
  identityRoles: ['#all'],
  serviceRoles: [...serviceRoles],
});

/** The code and the text with which a body is refused. */
const refusalOf = async (app: App, body: string, query = ''): Promise<string> => {
  const answers = ['plan', 'apply'].map((verb) =>
    app.request('POST', `${E}/${verb}${query}`, { raw: body, headers: { 'content-type': 'application/x-ndjson' } }),
  );
  const [planned, applied] = await Promise.all(answers);
  assert.equal(planned?.text.replaceAll(/"requestId":"[^"]*"/g, ''), applied?.text.replaceAll(/"requestId":"[^"]*"/g, ''));
  assert.equal(planned?.status, 400, planned?.text);
  return planned?.text ?? '';
};

onEveryStore('a document in lines', (open) => {
  test('has the entities of the document in its order, and makes an empty network the same', async () => {
    await using source = await open();
    await using empty = await open();
    await declareOneOfEach(source.controller.api);
    await source.controller.api.state.apply({ body: { document: { services } } });
    const lines = await exported(source.controller.api);
    assert.equal(lines, linesOf(await source.controller.api.state.export()));
    assert.deepEqual((await source.controller.api.state.planLines({ body: lines })).operations, []);
    const plan = await empty.controller.api.state.planLines({ body: lines, access: false });
    assert.deepEqual(
      plan,
      await empty.controller.api.state.plan({ body: { document: await source.controller.api.state.export(), access: false } }),
    );
    await empty.controller.api.state.applyLines({ body: lines });
    assert.equal(await exported(empty.controller.api), lines);
  });

  test('may have lines in any order, and blank ones: what others refer to is created first', async () => {
    await using app = await open();
    const { api } = app.controller;
    const names = services.map(({ name }) => `@${name}`);
    const lines = `${linesOf({ servicePolicies: [policyOf(names)] })}\r\n\n${linesOf({ services: services.toReversed() })}`;
    const plan = await api.state.planLines({ body: lines, access: false });
    assert.equal(plan.operations.at(-1)?.operation, 'servicePolicies.create');
    await api.state.applyLines({ body: lines });
    assert.deepEqual(await api.state.export({ select: ['servicePolicies'] }), { servicePolicies: [policyOf(names)] });
  });

  test('is exported as of its start, whatever changes meanwhile', async () => {
    await using app = await open();
    const { api } = app.controller;
    await api.state.apply({ body: { document: { services, servicePolicies: [policyOf(['@service 449'])] } } });
    const before = await exported(api);
    const parts = ((await api.state.exportLines()).body as AsyncIterable<string>)[Symbol.asyncIterator]();
    let text = (await parts.next()).value ?? '';
    const { data } = await api.services.list({ filter: 'name = "service 449"' });
    await api.services.delete({ id: String(data[0]?.id) });
    await api.services.create({ body: service('service 300 b') });
    for (let part = await parts.next(); !part.done; part = await parts.next()) text += part.value;
    assert.equal(text, before);
    assert.notEqual(await exported(api), before);
  });

  test('has no owner label with control characters, by which entities could not be found', async () => {
    await using app = await open();
    const label = `owner=${encodeURIComponent('\u0001')}`;
    for (const path of [E, E.replace('/lines', '')]) assertInvalid(await app.request('GET', `${path}?${label}`), 'owner');
    assert.match(
      await refusalOf(app, linesOf({ services: [service('one')] }), `?${label}`),
      /owner in query must not contain control characters/,
    );
  });

  test('carries an owner label, by which prune deletes what it does not have, and nothing else', async () => {
    await using app = await open();
    const { api } = app.controller;
    await api.services.create({ body: service('by hand') });
    const body = linesOf({ services });
    await api.state.applyLines({ body, owner: 'team' });
    assert.equal(await exported(api, { owner: 'team' }), body);
    const some = linesOf({ services: services.slice(0, 210) });
    const pruned = await api.state.applyLines({ body: some, owner: 'team', prune: true });
    assert.equal(pruned.results.length, services.length - 210);
    assert.equal(
      await exported(api, { select: ['services'] }),
      linesOf({ services: [service('by hand'), ...services.slice(0, 210).map((each) => ({ ...each, tags: { managedBy: 'team' } }))] }),
    );
    await assert.rejects(api.state.planLines({ body: some, prune: true }), ApiError);
  });

  test('is refused with the number of the line, over HTTP', async () => {
    await using app = await open();
    const wiki = linesOf({ services: [service('wiki')] });
    for (const [body, message] of [
      [`${wiki}{"services":`, 'line 2 is not JSON'],
      [`${wiki}\n${wiki}`, 'services has two entities with the name wiki'],
      [`${wiki}{"services":[{"name":"x"}]}`, 'line 2 must be an object with one key'],
      [`${wiki}{"services":{"name":"x"},"configs":{"name":"y"}}`, 'line 2 must be an object with one key'],
      ['{"servers":{"name":"x"}}', 'line 1 must be an object with one key'],
      ['{"__proto__":{"name":"x"}}', 'key __proto__'],
      ['{"services":{}}', 'line 1 must have a name'],
      ['{"services":{"name":"x","shape":1}}', 'services.x has an unknown field shape'],
      ['services:\n  - &a {name: x}\n  - *a', 'line 1 is not JSON'],
      [
        linesOf({ servicePolicies: [policyOf(['@nothing'])] }),
        "refers to the service 'nothing', which is neither in the network nor in the document",
      ],
      ['['.repeat(1000), 'nested more than 64 levels deep'],
      [`{"services":{"name":"${'x'.repeat(3000)}"}}`, 'a name may have at most 2048 characters, got 3000'],
      [`${wiki}{"services":{"name":"x","tags":{"a":"${'x'.repeat(1_048_576)}"}}}`, 'line 2 has 1048617 characters, and may have 1048576'],
    ] as const)
      assert.ok(
        (await refusalOf(app, body)).includes(JSON.stringify(message).slice(1, -1)),
        `${body.slice(0, 80)}: ${await refusalOf(app, body)}`,
      );
    assert.match(await refusalOf(app, wiki, '?prune=true'), /prune requires the owner/);
    assert.equal(await exported(app.controller.api, { select: ['services'] }), '');
  });

  test('of a million blank lines is empty, and one above 64 times the limit of bodies is not read', async () => {
    await using app = await open();
    const headers = { 'content-type': 'application/x-ndjson' };
    const blank = await app.request('POST', `${E}/plan`, { raw: '\n'.repeat(1_000_000), headers });
    assert.deepEqual([blank.status, blank.body.data?.operations], [200, []], blank.text);
    await using small = await open({ settings: { maxBodyBytes: 1024 } });
    const handle = fetchHandler(small.controller);
    const client = createClient({
      baseUrl: 'https://controller.test/',
      credentials: ADMIN,
      fetch: (url, init) => handle(new Request(url, init)),
    });
    assert.deepEqual((await client.state.planLines({ body: ' '.repeat(65_536) })).operations, []);
    await assert.rejects(client.state.planLines({ body: ' '.repeat(65_537) }), refusal(413, 'REQUEST_ENTITY_TOO_LARGE'));
    const json = await app.request('POST', `${E}/plan`, { body: {} });
    assert.equal(json.status, 415);
  });

  test('is planned and applied with the rights of its caller, over HTTP', async () => {
    await using app = await open();
    const auditor = await (await app.user({ permissions: ['admin_readonly'] })).login();
    const other = await (await app.user({ permissions: ['service'] })).login();
    const headers = { 'content-type': 'application/x-ndjson' };
    const raw = linesOf({ services });
    const planned = await app.request('POST', `${E}/plan`, { as: auditor, raw, headers });
    assert.deepEqual([planned.status, planned.body.data.operations.length, planned.body.data.access], [200, services.length, undefined]);
    assert.equal((await app.request('POST', `${E}/apply`, { as: auditor, raw, headers })).status, 401);
    assert.equal((await app.request('POST', `${E}/plan`, { as: other, raw, headers })).status, 401);
    assert.equal((await app.request('GET', E, { as: other })).status, 401);
    assert.equal((await app.request('POST', `${E}/apply`, { raw, headers })).status, 200);
    const answer = await app.request('GET', `${E}?select=services`, { as: auditor });
    assert.deepEqual([answer.headers['content-type'], answer.text], ['application/x-ndjson', raw]);
  });
});
