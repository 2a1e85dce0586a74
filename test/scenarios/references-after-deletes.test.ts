import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { onEveryStore } from '../support/app.ts';
import { integrityRun } from '../support/integrity.ts';

onEveryStore('references after deletes', (open) => {
  test('a deleted service leaves the hosting costs and precedences of identities', async () => {
    await using app = await open();
    const [kept = '', gone = ''] = await Promise.all(['a', 'b'].map((name) => app.create('/services', { name, encryptionRequired: true })));
    const body = { serviceHostingCosts: { [kept]: 1, [gone]: 2 }, serviceHostingPrecedences: { [gone]: 'failed' } };
    const { id } = await app.user(body);
    assert.deepEqual(await app.trail(() => app.request('DELETE', `/services/${gone}`)), ['update identity', 'delete service']);
    const { serviceHostingCosts, serviceHostingPrecedences } = (await app.request('GET', `/identities/${id}`)).body.data;
    assert.deepEqual([serviceHostingCosts, serviceHostingPrecedences], [{ [kept]: 1 }, {}]);
  });

  test('whatever is made and deleted, nothing points at nothing', async () => {
    const KINDS = [
      'identities',
      'services',
      'edge-routers',
      'routers',
      'configs',
      'service-policies',
      'posture-checks',
      'terminators',
      'overrides',
    ] as const;
    const step = fc.record({ do: fc.constantFrom('make', 'make', 'delete'), kind: fc.constantFrom(...KINDS), pick: fc.nat(1000) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 50, maxLength: 80 }), async (steps) => {
        await using app = await open();
        const configTypeId = await app.create('/config-types', { name: 't' });
        const ids = Object.fromEntries(KINDS.map((kind) => [kind, [] as string[]]));
        let serial = 0;
        for (const { do: action, kind, pick } of steps) {
          const some = (of: string) => ids[of]?.[pick % (ids[of]?.length || 1)];
          const at = (of: string) => (some(of) ? [`@${some(of)}`] : []);
          const name = `${kind} ${++serial}`;
          if (action === 'delete') {
            const id = some(kind);
            if (id !== undefined && (await app.request('DELETE', `/${kind}/${id}`)).status === 200)
              ids[kind] = (ids[kind] ?? []).filter((each) => each !== id);
            continue;
          }
          const [identity, service, config, router] = [some('identities'), some('services'), some('configs'), some('edge-routers')];
          if (kind === 'overrides') {
            if (identity && service && config)
              await app.request('POST', `/identities/${identity}/service-configs`, { body: [{ serviceId: service, configId: config }] });
            continue;
          }
          const bodies: Record<Exclude<typeof kind, 'overrides'>, unknown> = {
            identities: {
              name,
              type: 'User',
              isAdmin: false,
              serviceHostingCosts: service ? { [service]: 5 } : {},
              enrollment: { ott: true },
            },
            services: { name, encryptionRequired: true, configs: config ? [config] : [] },
            'edge-routers': { name, isTunnelerEnabled: pick % 2 === 0 },
            routers: { name },
            configs: { name, configTypeId, data: {} },
            'service-policies': {
              name,
              type: 'Dial',
              semantic: 'AllOf',
              identityRoles: at('identities'),
              postureCheckRoles: at('posture-checks'),
              serviceRoles: at('services'),
            },
            'posture-checks': { name, typeId: 'DOMAIN', domains: ['a.example'] },
            terminators: { service, router, binding: 'edge', address: 'x' },
          };
          const made = await app.request('POST', `/${kind}`, { body: bodies[kind] });
          if (made.status === 201) ids[kind]?.push(made.body.data.id);
        }
        assert.deepEqual((await integrityRun(app, 'check')).results, []);
      }),
      { numRuns: 6 },
    );
  });
});
