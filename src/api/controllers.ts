import * as z from 'zod';
import { readOnly } from './kit/field.ts';
import { listQuery } from './kit/list-query.ts';
import { group, operation, page } from './kit/operation.ts';
import { resource } from './kit/resource.ts';
import { flag, name, text, timestamp } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const apiAddress = z.object({ url: text, version: text }).meta({ id: 'ApiAddress' });

export const controller = resource({
  kind: 'controller',
  collection: 'controllers',
  names: ['Controller', 'Controllers'],
  about: 'A controller that has been given a name is known under it to those of the same network, and to clients that look for another.',
  fields: {
    name: readOnly(name, { unique: true, filter: true }),
    apiAddresses: readOnly(z.record(text, z.array(apiAddress)), { default: {} }),
    certPem: readOnly(text, { filter: true }),
    ctrlAddress: readOnly(text, { filter: true }),
    fingerprint: readOnly(text, { filter: true }),
    isOnline: readOnly(flag, { keep: 'computed' }),
    lastJoinedAt: readOnly(timestamp, { filter: true }),
    /** It says again and again that it is there: until then it counts as such. */
    onlineUntil: readOnly(timestamp, { keep: 'hidden', volatile: true, index: true }),
  },
  symbols: { isOnline: { path: 'isOnline', type: 'boolean' } },
});

export const controllers = group('controllers', 'Controllers', {
  list: operation('GET', '/controllers', {
    operationId: 'listControllers',
    summary: 'List the controllers of the network that have a name, those that are gone for a while included',
    permission: 'session',
    surfaces: [surfaces.management, surfaces.client],
    query: listQuery,
    answer: page(controller.schemas.detail),
  }),
});
