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
    'A policy test says what an identity, or one with some role attributes, must be able to do with a service, posture aside. A write that breaks it is refused.',
  fields: {
    name: required(name, { unique: true, filter: true }),
    /** Id of the identity that it is about. Without one, it is about an identity that carries exactly `identityAttributes`. */
    identityId: optional(shortText, { idOf: 'identity' }),
    /** The role attributes of the identity that it is about, if it names none. */
    identityAttributes: optional(list(textUpTo(256), 100), { default: [] }),
    /** Id of the service. */
    serviceId: required(shortText, { idOf: 'service' }),
    /** `dial`: policies let the identity dial the service; `bind`: they let it bind the service; `none`: they let it do neither. */
    expect: required(z.enum(['dial', 'bind', 'none'])),
    /** Why the test exists; up to 1,000 characters. */
    reason: optional(grantReason, { absent: true }),
  },
});

export const policyTests = group('policyTests', 'Policy tests', crud(policyTest, { surfaces: [surfaces.extensions] }));
