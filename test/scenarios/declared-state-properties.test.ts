import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { StateDocument } from '../../src/index.ts';
import { onEveryStore } from '../support/app.ts';
import { textOf } from '../support/declared-state.ts';
import { numRuns } from '../support/stores.ts';

/** `STATE_RUNS=500` tries more. */
const RUNS = Number(process.env.STATE_RUNS ?? 6);

const names = fc.subarray(['a', 'b', 'c', 'd']);
const attributes = fc.subarray(['x', 'y', 'z']);
/** A set as documents show it: not at all if it is empty. */
const ifAny = (field: string, values: readonly string[]) => (values.length === 0 ? {} : { [field]: values });
const one = fc.constantFrom('0', '1', '2', '3');

/** The selectors of a role array, in the order of documents: `#all`, or attributes, then names. */
const rolesAmong = (known: readonly string[]) =>
  fc.oneof(
    fc.constant(['#all']),
    fc
      .tuple(attributes, fc.subarray([...known]))
      .map(([of, named]) => [...of.map((each) => `#${each}`), ...named.map((each) => `@${each}`)]),
  );

const policiesOf = (kind: string, left: readonly string[], right: readonly string[], rightField: string, fields: object) =>
  names.chain((chosen) =>
    fc.tuple(
      ...chosen.map((name) =>
        fc.tuple(fc.constantFrom('AnyOf', 'AllOf'), rolesAmong(left), rolesAmong(right)).map(([semantic, leftRoles, rightRoles]) => ({
          name: `${kind} ${name}`,
          ...fields,
          semantic,
          ...ifAny('identityRoles', leftRoles),
          ...ifAny(rightField, rightRoles),
        })),
      ),
    ),
  );

/** Documents in the form in which they are exported. */
const documents = fc.tuple(names, names, names, names).chain(([configs, services, routers, identities]) =>
  fc
    .record({
      configs: fc.tuple(...configs.map((name) => one.map((port) => ({ name, configType: 'port', data: { port } })))),
      services: fc.tuple(
        ...services.map((name) =>
          fc.tuple(attributes, fc.boolean(), fc.subarray(configs.slice(0, 1))).map(([of, encryptionRequired, attached]) => ({
            name,
            encryptionRequired,
            ...ifAny('roleAttributes', of),
            ...ifAny('configs', attached),
          })),
        ),
      ),
      edgeRouters: fc.tuple(...routers.map((name) => attributes.map((of) => ({ name: `r ${name}`, ...ifAny('roleAttributes', of) })))),
      identities: fc.tuple(
        ...identities.map((name) =>
          fc.tuple(attributes, fc.boolean(), fc.subarray(services)).map(([of, hasId, hosted]) => ({
            name,
            ...ifAny('roleAttributes', of),
            ...(hasId ? { externalId: `id of ${name}` } : {}),
            ...(hosted.length === 0 ? {} : { serviceHostingCosts: Object.fromEntries(hosted.map((each) => [each, 7])) }),
          })),
        ),
      ),
      servicePolicies: policiesOf('dial', identities, services, 'serviceRoles', { type: 'Dial' }),
      edgeRouterPolicies: policiesOf(
        'use',
        identities,
        routers.map((name) => `r ${name}`),
        'edgeRouterRoles',
        {},
      ),
    })
    .map(
      (sections): StateDocument => ({
        owner: 'us',
        configTypes: [{ name: 'port' }],
        ...Object.fromEntries(Object.entries(sections).filter(([, entities]) => entities.length > 0)),
      }),
    ),
);

onEveryStore('declared state', (open, store) => {
  test('a network becomes what one document after the other says, whatever it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(documents, { minLength: 2, maxLength: 4 }), async (versions) => {
        await using app = await open();
        const { state } = app.controller.api;
        for (const document of versions) {
          const body = await state.plan({ body: { document, prune: true } });
          await state.apply({ body });
          assert.deepEqual(JSON.parse(textOf(await state.export({ owner: 'us' }))), document);
          assert.deepEqual((await state.apply({ body: { document, prune: true } })).results, []);
        }
        const text = textOf(await state.export());
        await using empty = await open();
        const other = empty.controller.api.state;
        await other.apply({ body: { document: JSON.parse(text) } });
        assert.equal(textOf(await other.export()), text);
      }),
      numRuns(store, RUNS),
    );
  });
});
