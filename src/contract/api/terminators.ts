import * as z from 'zod';
import {
  crud,
  entityBase,
  entityReference,
  group,
  optional,
  readOnly,
  reference,
  required,
  resource,
  sealed,
  string,
  writeOnly,
} from './kit/index.ts';
import { cost, precedence, shortText } from './shared.ts';

export const terminator = resource({
  kind: 'terminator',
  collection: 'terminators',
  names: ['Terminator', 'Terminators'],
  about: 'A terminator is an address behind a router at which the network reaches a service.',
  fields: {
    /** Id of the service. */
    service: writeOnly(shortText.min(1), { required: true, storedAs: 'serviceId', fixed: true }),
    /** Id of the service. */
    serviceId: reference('service', { write: 'never', onDelete: 'cascade', filter: 'service' }),
    /** Id of the router. */
    router: writeOnly(shortText.min(1), { required: true, storedAs: 'routerId' }),
    /** Id of the router. */
    routerId: reference('router', { write: 'never', onDelete: 'cascade', filter: 'router' }),
    /** The mechanism with which the router reaches the address, e.g. `transport` or `edge`. */
    binding: required(shortText, { filter: true }),
    /** Address behind the router. */
    address: required(shortText.min(1), { filter: true }),
    /** Cost of the path, 0 to 65535. */
    cost: optional(cost, { default: 0 }),
    /** Order of preference: `required`, then `default`, then `failed`. */
    precedence: optional(precedence, { default: 'default' }),
    /** The former value of `precedence`, and the next one, while the router is quiesced; null otherwise. */
    savedPrecedence: readOnly(precedence, { keep: 'hidden' }),
    /** Dynamic cost, which depends on the traffic. */
    dynamicCost: readOnly(z.int(), { keep: 'computed' }),
    /** Distinguishes the instances of a service. */
    identity: { ...optional(shortText, { default: '', filter: 'instanceId' }), write: 'createOnlyOptional' },
    /** Secret that proves ownership of `identity`; stored encrypted, and never shown. */
    identitySecret: { ...writeOnly(shortText), write: 'createOnlyOptional' },
    /** `identitySecret`, encrypted for this terminator with the host's secret key; null if none was given. */
    sealedIdentitySecret: sealed(string, ({ id }) => `terminator:${id}:identity-secret`),
    /** The session in which a client hosts the terminator; null if no client hosts it. */
    hostedIn: readOnly(z.object({ sessionId: string, isStored: z.boolean(), apiSessionId: string }), { keep: 'hidden' }),
    /** Data for clients that dial the terminator, such as the public key of the hosting client: values in hex, by number. */
    peerData: readOnly(z.record(string, string), { keep: 'hidden', default: {} }),
    hostId: readOnly(string, { keep: 'hidden', default: '', filter: true }),
    sourceCtrl: readOnly(string, { keep: 'hidden', default: '', filter: true }),
    /** Copies of the names of the service and the router, kept in sync for filtering and sorting. */
    serviceName: readOnly(string, { keep: 'hidden', filter: 'service.name', volatile: true }),
    routerName: readOnly(string, { keep: 'hidden', filter: 'router.name', volatile: true }),
  },
});

export const terminators = group('terminators', 'Terminators', crud(terminator));

/** A terminator as clients see it. */
export const clientTerminator = z
  .object({
    ...entityBase,
    /** Distinguishes the instances of a service. */
    identity: string,
    /** Id of the router. */
    routerId: string,
    /** The service. */
    service: entityReference,
    /** Id of the service. */
    serviceId: string,
  })
  .meta({ id: 'ClientTerminator' });
