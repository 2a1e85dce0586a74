import * as z from 'zod';
import { crud } from './kit/crud.ts';
import { optional, readOnly, required, writeOnly } from './kit/field.ts';
import { group } from './kit/operation.ts';
import { reference } from './kit/relations.ts';
import { resource } from './kit/resource.ts';
import { cost, entityBase, entityReference, precedence, shortText, text } from './shared.ts';

export const terminator = resource({
  kind: 'terminator',
  collection: 'terminators',
  names: ['Terminator', 'Terminators'],
  about: 'A terminator is one way out of the network to a service: an address behind a router.',
  fields: {
    /** Bodies say `service` and `router`; what is stored, and shown beside the reference, is the id. */
    service: writeOnly(shortText.min(1), { required: true }),
    serviceId: reference('service', { write: 'never', onDelete: 'cascade', filter: 'service' }),
    router: writeOnly(shortText.min(1), { required: true }),
    routerId: reference('router', { write: 'never', onDelete: 'cascade', filter: 'router' }),
    binding: required(shortText, { filter: true }),
    address: required(shortText.min(1), { filter: true }),
    cost: optional(cost, { default: 0 }),
    precedence: optional(precedence, { default: 'default' }),
    dynamicCost: readOnly(z.int(), { keep: 'computed' }),
    /** Tells apart the instances of one service. */
    identity: { ...optional(shortText, { default: '', filter: 'instanceId' }), write: 'createOptional' },
    identitySecret: { ...writeOnly(shortText), write: 'createOptional' },
    /** Under the host's secret key, bound to the terminator; null where none was given. */
    sealedIdentitySecret: readOnly(text, { keep: 'hidden' }),
    hostId: readOnly(text, { keep: 'hidden', default: '', filter: true }),
    sourceCtrl: readOnly(text, { keep: 'hidden', default: '', filter: true }),
    /** Names of what it points at, kept in step: for filters and order. */
    serviceName: readOnly(text, { keep: 'hidden', filter: 'service.name', volatile: true }),
    routerName: readOnly(text, { keep: 'hidden', filter: 'router.name', volatile: true }),
  },
});

export const terminators = group('terminators', 'Terminators', crud(terminator));

/** What a client sees of a terminator. */
export const clientTerminator = z
  .object({
    ...entityBase,
    identity: text,
    routerId: text,
    service: entityReference,
    serviceId: text,
  })
  .meta({ id: 'ClientTerminator' });
