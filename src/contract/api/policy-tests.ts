import * as z from 'zod';
import { grantReason } from './grants-with-end.ts';
import { crud, group, list, optional, required, resource, textUpTo } from './kit/index.ts';
import { name, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

export const policyTest = resource({
  kind: 'policyTest',
  collection: 'policy-tests',
  names: ['PolicyTest', 'PolicyTests'],
  about:
    'A policy test asserts which access to a service an identity, or any identity with certain role attributes, must have, ignoring posture checks. Writes that break the test are refused.',
  fields: {
    name: required(name, { unique: true, filter: true }),
    /** Id of the tested identity. If null, the test applies to an identity whose role attributes are exactly `identityAttributes`. */
    identityId: optional(shortText, { idOf: 'identity' }),
    /** The role attributes of the tested identity, if `identityId` is null. */
    identityAttributes: optional(list(textUpTo(256), 100), { default: [], attributesOf: 'identity' }),
    /** Id of the service. */
    serviceId: required(shortText, { idOf: 'service' }),
    /** `dial`: policies allow the identity to dial the service; `bind`: they allow it to bind the service; `none`: they allow neither. */
    expect: required(z.enum(['dial', 'bind', 'none'])),
    /** The purpose of the test; at most 1,000 characters. */
    reason: optional(grantReason, { absent: true }),
  },
});

export const policyTests = group('policyTests', 'Policy tests', crud(policyTest, { surfaces: [surfaces.extensions] }));
