import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { identity } from '../../../src/contract/api/identities.ts';
import { withRelatedLists } from '../../../src/contract/api/kit/related-list.ts';
import { manyToMany, manyToOne, selectsByRole, through } from '../../../src/contract/api/kit/relation.ts';
import { edgeRouterPolicy, servicePolicy } from '../../../src/contract/api/policies.ts';
import { edgeRouter, edgeRouters } from '../../../src/contract/api/routers.ts';
import { service, services } from '../../../src/contract/api/services.ts';
import { terminator } from '../../../src/contract/api/terminators.ts';

describe('a relation between kinds', () => {
  test('gives the one a list of the many that refer to it, and the many none', () => {
    const lists = manyToOne(terminator, 'serviceId', service);
    assert.deepEqual(
      lists.map(({ group, verb, operation: { operationId, path } }) => [group, verb, operationId, path]),
      [['services', 'listTerminators', 'listServiceTerminators', '/services/{id}/terminators']],
    );
  });

  test('gives both sides a list of the other, where many meet many', () => {
    const lists = through(service, servicePolicy, identity);
    assert.deepEqual(
      lists.map(({ operation: { path, permission, summary } }) => [path, permission, summary]),
      [
        ['/services/{id}/identities', 'identity.read', 'List the identities of a service'],
        ['/identities/{id}/services', 'service.read', 'List the services of an identity'],
      ],
    );
  });

  test('is refused when its field points at another kind', () => {
    assert.throws(
      () => manyToOne(terminator, 'routerId', service),
      new TypeError('terminator.routerId is not a reference of the kind service'),
    );
    assert.throws(
      () => selectsByRole(servicePolicy, 'serviceRoles', identity),
      new TypeError('servicePolicy.serviceRoles is not a role array of the kind identity'),
    );
  });

  test('is refused when its field points at the kind in another way', () => {
    const declare = () => manyToMany(servicePolicy, 'identityRoles', identity);
    assert.throws(declare, new TypeError('servicePolicy.identityRoles is not a set of ids of the kind identity'));
  });

  test('is refused when policies that it goes through do not select one of the kinds', () => {
    assert.throws(() => through(identity, edgeRouterPolicy, service), new TypeError('edgeRouterPolicy selects no service'));
  });
});

describe('groups with related lists', () => {
  const lists = selectsByRole(edgeRouterPolicy, 'edgeRouterRoles', edgeRouter);

  test('are refused when the group of a list is missing', () => {
    assert.throws(() => withRelatedLists({ edgeRouters }, lists), /edgeRouterPolicies\.listEdgeRouters of a relation requires a group/);
  });

  test('are refused when a group has an operation under the name of a list', () => {
    const twice = [...manyToOne(terminator, 'serviceId', service), ...manyToOne(terminator, 'serviceId', service)];
    assert.throws(() => withRelatedLists({ services }, twice), /services\.listTerminators is the list of a relation/);
  });
});
