import type { Api, StateDocument } from '../../src/index.ts';
import { caBody } from './certificates.ts';
import { byCertificate } from './external-jwt-signers.ts';
import { authority } from './pki.ts';
import { policyBody } from './policies.ts';
import { TYPES } from './posture-checks.ts';

/** Gives a network an entity of every kind that documents declare, which refer to each other in every way. */
export const declareOneOfEach = async (api: Api): Promise<void> => {
  const create = async (creating: Promise<{ readonly id: string }>): Promise<string> => (await creating).id;
  const type = await create(api.configTypes.create({ body: { name: 'port', schema: { type: 'object', required: ['port'] } } }));
  const config = await create(
    api.configs.create({ body: { name: 'wiki-port', configTypeId: type, data: { port: 80, at: [{ b: 1, a: null }] } } }),
  );
  const routerType = await create(api.configTypes.create({ body: { name: 'router-part', target: 'router' } }));
  const ofRouter = await create(api.configs.create({ body: { name: 'rack', configTypeId: routerType, data: {} } }));

  const strict = await create(api.authPolicies.create({ body: policyBody('strict') }));
  const signer = await create(
    api.externalJwtSigners.create({ body: { ...byCertificate, name: 'idp', enrollAuthPolicyId: strict, scopes: ['b', 'a'], kid: 'k1' } }),
  );
  await api.authPolicies.replace({
    id: strict,
    body: policyBody('strict', { extJwt: { allowedSigners: [signer] }, secondary: { requireExtJwtSigner: signer } }),
  });
  await api.cas.create({ body: { ...caBody('corporate'), certPem: (await authority('corporate')).cert, identityRoles: ['laptops'] } });
  for (const [typeId, [body]] of Object.entries(TYPES))
    await api.postureChecks.create({ body: { name: `check ${typeId}`, typeId, roleAttributes: [typeId], ...body } as never }); // one of each type

  const wiki = await create(
    api.services.create({
      body: { name: 'wiki', encryptionRequired: false, configs: [config], roleAttributes: ['web'], maxIdleTimeMillis: 5 },
    }),
  );
  const edge = await create(
    api.edgeRouters.create({
      body: { name: 'edge', isTunnelerEnabled: true, configs: [ofRouter], cost: 7, appData: { rack: 3 }, roleAttributes: ['eu'] },
    }),
  );
  await api.identities.patch({ id: edge, body: { roleAttributes: ['hosts'] } });
  await api.routers.create({ body: { name: 'transit', noTraversal: true, ctrlChanListeners: { 'tls:a:1': ['near'] } } });
  const ann = await create(
    api.identities.create({
      body: {
        name: 'ann',
        type: 'User',
        isAdmin: false,
        externalId: 'ann@example.com',
        authPolicyId: strict,
        roleAttributes: ['staff'],
        roleAttributeGrants: { contractor: { validUntil: '2031-01-01T00:00:00Z', reason: 'ticket 7' } },
        serviceHostingCosts: { [wiki]: 9 },
        serviceHostingPrecedences: { [wiki]: 'required' },
        permissions: ['service.read'],
        tags: { team: 'a', z: true, note: '$1.id' },
        enrollment: { ott: true },
      },
    }),
  );
  await api.identities.create({ body: { name: 'root', type: 'User', isAdmin: true } });
  await api.servicePolicies.create({
    body: {
      name: 'ann dials wiki',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${ann}`, `@${edge}`, '#staff'],
      serviceRoles: [`@${wiki}`],
      postureCheckRoles: ['#OS'],
      validUntil: '2031-01-01T00:00:00Z',
      reason: 'audit',
    },
  });
  await api.policyTests.create({ body: { name: 'ann reaches wiki', identityId: ann, serviceId: wiki, expect: 'dial', reason: 'on call' } });
  await api.policyTests.create({ body: { name: 'guests do not', identityAttributes: ['guest'], serviceId: wiki, expect: 'none' } });
  await api.edgeRouterPolicies.create({ body: { name: 'all', semantic: 'AllOf', identityRoles: ['#all'], edgeRouterRoles: [`@${edge}`] } });
  await api.serviceEdgeRouterPolicies.create({
    body: { name: 'all', semantic: 'AnyOf', serviceRoles: ['#all'], edgeRouterRoles: ['#eu'] },
  });
};

/** The text of a document: two documents are byte-identical if their texts are. */
export const textOf = (document: StateDocument): string => JSON.stringify(document, undefined, 1);
