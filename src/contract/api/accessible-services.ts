import { serviceEdgeRouters } from './access.ts';
import { data, group, listQuery, operation, page } from './kit/index.ts';
import { service, serviceListQuery } from './services.ts';
import { surfaces } from './surfaces/index.ts';
import { clientTerminator } from './terminators.ts';

const client = { permission: 'session', surfaces: [surfaces.client] } as const;

/** The services that a session may dial or bind, in the form that clients see. */
export const accessibleServices = group('accessibleServices', 'Services that the current session may use', {
  list: operation('GET', '/services', {
    operationId: 'listServices',
    summary: 'List the services that this session may dial or bind',
    query: serviceListQuery,
    answer: page(service.schemas.detail),
    ...client,
  }),
  get: operation('GET', '/services/{id}', {
    operationId: 'detailService',
    summary: 'Get a service that this session may dial or bind',
    answer: data(service.schemas.detail),
    ...client,
  }),
  listTerminators: operation('GET', '/services/{id}/terminators', {
    operationId: 'listServiceTerminators',
    summary: 'List the terminators of a service that this session may dial or bind',
    query: listQuery,
    answer: page(clientTerminator),
    ...client,
  }),
  getEdgeRouters: operation('GET', '/services/{id}/edge-routers', {
    operationId: 'listServiceEdgeRouters',
    summary: 'Get the edge routers through which this session can reach a service',
    query: listQuery,
    headers: { sessionToken: 'session-token' },
    answer: data(serviceEdgeRouters),
    awaitsRouters: true,
    ...client,
  }),
});
