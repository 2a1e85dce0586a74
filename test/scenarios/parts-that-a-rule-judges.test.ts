import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BatchedOperation } from '../../src/index.ts';
import { onEveryStore } from '../support/app.ts';
import { caBody } from '../support/certificates.ts';
import { authority } from '../support/pki.ts';

const { cert: certPem } = await authority('partner');
const BY = { actor: 'sso:ann' } as const;

/** Operations that write random values or the time into an entity, and then one on the same entity. */
const pairs: Readonly<Record<string, (id: string) => readonly BatchedOperation[]>> = {
  'an API token': (identityId) => [
    { operation: 'apiTokens.create', input: { body: { identityId, name: 'ci', permissions: [], expiresAt: '2027-01-01T00:00:00.000Z' } } },
    { operation: 'apiTokens.patch', input: { id: '$1.id', body: { name: 'build' } } },
  ],
  'an identity that is disabled for a while': (id) => [
    { operation: 'identities.disable', input: { id, body: { durationMinutes: 5 } } },
    { operation: 'identities.patch', input: { id, body: { tags: { disabled: true } } } },
  ],
  'an authority that must prove its key': () => [
    { operation: 'cas.create', input: { body: caBody('partner', certPem) } },
    { operation: 'cas.patch', input: { id: '$1.id', body: { tags: { of: 'partner' } } } },
  ],
  'an edge router with an enrollment': () => [
    { operation: 'edgeRouters.create', input: { body: { name: 'berlin' } } },
    { operation: 'edgeRouters.patch', input: { id: '$1.id', body: { tags: { city: 'Berlin' } } } },
  ],
};

onEveryStore('a batch whose parts a rule judges', (open) => {
  for (const [what, operations] of Object.entries(pairs))
    test(`may make and then change ${what}, and each part is judged once`, async () => {
      const judged: string[] = [];
      await using app = await open({
        authorize: ({ actor, about, operation }) => {
          if (actor.name !== BY.actor || about !== 'call') return undefined;
          judged.push(operation);
          app.clock.advance('1s');
          return undefined;
        },
      });
      const { api } = app.controller;
      const { id } = await api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
      const parts = operations(id);
      await api.batch.run({ body: { operations: parts } }, BY);
      assert.deepEqual(judged, ['batch.run', ...parts.map(({ operation }) => operation)]);
    });
});
