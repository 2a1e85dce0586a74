import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { type Explanation, explain } from '../support/explain.ts';
import { network } from '../support/network.ts';
import { checkOf } from '../support/posture.ts';
import { numRuns } from '../support/stores.ts';

/** Carries a suggestion out, as an administrator would. */
const act = async (app: App, { operationId, id = '', body }: Explanation['suggestions'][number]): Promise<void> => {
  const ways = {
    patchIdentity: ['PATCH', `/identities/${id}`, 200],
    patchService: ['PATCH', `/services/${id}`, 200],
    patchServicePolicy: ['PATCH', `/service-policies/${id}`, 200],
    createServicePolicy: ['POST', '/service-policies', 201],
  } as const;
  assert.ok(operationId, 'to pass a posture check is up to the endpoint');
  const [method, path, status] = ways[operationId];
  const answer = await app.request(method, path, { body });
  assert.equal(answer.status, status, answer.text);
};

/** As the endpoint of an identity that had no way in so far. */
const tellDomain = async (app: App, identityId: string, domain: string): Promise<void> => {
  await app.create('/authenticators', { identityId, method: 'updb', username: 'endpoint', password: PASSWORD });
  const as = (await app.login('endpoint', PASSWORD)).body.data.token;
  const body = { typeId: 'DOMAIN', id: 'x', domain };
  assert.equal((await app.request('POST', '/edge/client/v1/posture-response', { as, body })).status, 201);
};

onEveryStore('explanations of random networks', (open, store) => {
  test('over random networks it says what the lists say, and acting on any suggestion grants', async () => {
    const attribute = fc.constantFrom('a', 'b', 'c', 'd');
    const attributes = fc.uniqueArray(attribute, { maxLength: 3 });
    const roles = fc.oneof(
      fc.constant(['#all']),
      fc.uniqueArray(
        fc.oneof(
          attribute.map((a) => `#${a}`),
          fc.constant('#'),
        ),
        { maxLength: 3 },
      ),
    );
    const semantic = fc.constantFrom('AllOf' as const, 'AnyOf' as const);
    const checks = fc.constantFrom([], [], ['#checks']);
    const policy = fc.record({ semantic, identities: roles, services: roles, checks });
    await fc.assert(
      fc.asyncProperty(attributes, attributes, fc.array(policy, { maxLength: 4 }), async (ofIdentity, ofService, policies) => {
        await using app = await open();
        const net = network(app);
        const ann = await net.identity('ann', ...ofIdentity);
        const wiki = await net.service('wiki', ...ofService);
        await checkOf(app, 'company', { typeId: 'DOMAIN', domains: ['company.test'], roleAttributes: ['checks'] });
        for (const roles of policies) await net.dial(roles);
        const { isAllowed, isPermitted, suggestions } = await explain(app, ann, wiki);
        assert.deepEqual(await net.dials(ann), isPermitted ? ['wiki'] : []);
        if (isAllowed) return assert.deepEqual(suggestions, []);
        const choice = suggestions[(policies.length + ofIdentity.length) % suggestions.length];
        assert.ok(choice);
        if (choice.postureChecks) await tellDomain(app, ann, 'company.test');
        else await act(app, choice);
        assert.equal((await explain(app, ann, wiki)).isAllowed, true, choice.description);
        assert.deepEqual(await net.dials(ann), ['wiki']);
      }),
      numRuns(store, 60),
    );
  });
});
