import { identityAttribute, identityAttributes, identityBody, identityName, type Size, serviceName } from './data.ts';
import type { Endpoints } from './endpoints.ts';
import type { Filled } from './fill.ts';
import type { Request } from './load.ts';

const M = '/edge/management/v1';
const C = '/edge/client/v1';
const X = '/edge/management/extensions/v1';

/**
 * Growth of the cost with the number of identities: `constant`; `logarithmic` with the depth of the indexes of the store, which writes
 * change; `page` for pages that were not read lately, whose rows come from the store; `linear` in bit sets or in slices of a few
 * milliseconds.
 */
export type Growth = 'constant' | 'logarithmic' | 'page' | 'linear';

export interface Operation {
  readonly next: () => Request;
  /** Default: constant. */
  readonly growth?: Growth;
  /** The caller. Default: the administrator. */
  readonly as?: 'client' | 'bearer' | keyof Endpoints | 'nobody';
}

const one = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T; // never empty
const upTo = (n: number): number => Math.floor(Math.random() * Math.max(1, n));
const filter = (text: string): string => `filter=${encodeURIComponent(text)}`;
const get = (path: () => string, { as, growth }: Partial<Operation> = {}): Operation => ({
  next: () => ({ method: 'GET', path: path() }),
  ...(as ? { as } : {}),
  ...(growth ? { growth } : {}),
});

/** The same operation as a dry run, with a report of the access that it would change. */
const previewed = ({ next, ...others }: Operation): Operation => ({
  ...others,
  next: () => ({ ...next(), headers: { prefer: 'dry-run' } }),
});

/** Makes names unique within this process. */
let serial = 0;

/** The measured operations, in order. Reads and dry runs of policies come first, because writes change the data. */
export const operations = ({ identities, services, policies, dialable, client }: Filled, size: Size) => {
  const uniqueName = (stem: string) => `${stem}-${process.pid}-${serial++}`;
  const policy = (identityRoles: string[], serviceRoles: string[]) => ({
    name: uniqueName('big'),
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles,
    serviceRoles,
  });
  const createTenth = (): Request => ({
    method: 'POST',
    path: `${M}/service-policies`,
    body: policy([`#${identityAttribute(upTo(50))}`], ['#tenth']),
  });
  /** Creates new sessions at first, and returns existing ones later. */
  const dial = (as: keyof Endpoints): Operation => ({
    as,
    growth: 'logarithmic',
    next: () => ({ method: 'POST', path: `${C}/sessions`, body: { serviceId: one(dialable) } }),
  });
  /** Selects a different page each time, because short responses are cached. */
  const randomRolePage = () => `offset=${upTo(500)}&roleFilter=${encodeURIComponent(`#${identityAttribute(upTo(50))}`)}`;
  return {
    'GET /version': get(() => `${M}/version`, { as: 'nobody' }),
    'identity by id': get(() => `${M}/identities/${one(identities)}`),
    'identities, page of 100': get(() => `${M}/identities?limit=100&offset=${upTo(Math.min(size.identities, 100_000) - 100)}`, {
      growth: 'page',
    }),
    'identities, name = "..."': get(() => `${M}/identities?${filter(`name = "${identityName(upTo(size.identities))}"`)}`, {
      growth: 'logarithmic',
    }),
    'identities, sorted page of 10': get(
      () => `${M}/identities?${filter(`name > "${identityName(upTo(size.identities))}" sort by name limit 10`)}`,
      { growth: 'page' },
    ),
    'identities, name contains two digits': get(() => `${M}/identities?${filter(`name contains "${upTo(90) + 10}"`)}`, { growth: 'page' }),
    'identities, name contains four digits': get(() => `${M}/identities?${filter(`name contains "${upTo(9000) + 1000}"`)}`, {
      growth: 'linear',
    }),
    'identities, one roleFilter': get(() => `${M}/identities?${randomRolePage()}`, { growth: 'page' }),
    'identities, one roleFilter, sorted by name': get(() => `${M}/identities?sort=name&${randomRolePage()}`, { growth: 'page' }),
    'services, name = "..."': get(() => `${M}/services?${filter(`name = "${serviceName(upTo(size.services))}"`)}`),
    'services of an identity': get(() => `${M}/identities/${one(identities)}/services`),
    'services of an identity, sorted by name': get(() => `${M}/identities/${one(identities)}/services?sort=name`),
    'identities of a service': get(() => `${M}/services/${one(services)}/identities`, { growth: 'linear' }),
    'identities, by createdAt, offset at 90 %': get(
      () => `${M}/identities?limit=100&sort=createdAt&offset=${Math.floor(size.identities * 0.9) - upTo(100)}`,
      { growth: 'linear' },
    ),
    'identities, page of 500': get(() => `${M}/identities?limit=500&offset=${upTo(Math.min(size.identities, 100_000) - 500)}`, {
      growth: 'page',
    }),
    'identities, by two fields, offset at 90 %': get(
      () => `${M}/identities?limit=100&sort=type,name%20desc&offset=${Math.floor(size.identities * 0.9) - upTo(100)}`,
      { growth: 'linear' },
    ),
    'audit, newest 500': get(() => `${X}/audit?limit=500`),
    'identities, a tag that none has': get(() => `${M}/identities?limit=10&${filter(`tags.site = "${upTo(1000)}"`)}`, { growth: 'linear' }),
    'identities that can dial a service': get(() => `${X}/services/${one(services)}/who-can?limit=100`, { growth: 'linear' }),
    'services within reach': get(() => `${X}/identities/${one(identities)}/reach?limit=100`),
    'access matrix, page of 100': get(() => `${X}/access/matrix?limit=${100 + upTo(10)}`, { growth: 'linear' }),
    'policy advice': get(() => `${M}/identities/${one(identities)}/policy-advice/${one(services)}`),
    explain: get(() => `${X}/identities/${one(identities)}/services/${one(services)}/explain?type=Dial`),
    'client: services, page of 100': get(() => `${C}/services?limit=100`, { as: 'client' }),
    'client: services of 20 policies, page of 100': get(() => `${C}/services?limit=100`, { as: 'unchecked' }),
    'client: the same with 5 posture checks each': get(() => `${C}/services?limit=100`, { as: 'checked' }),
    'client: current identity': get(() => `${C}/current-identity`, { as: 'client' }),
    'client: the same with a bearer token': get(() => `${C}/current-identity`, { as: 'bearer' }),
    'client: service updates': get(() => `${C}/current-api-session/service-updates`, { as: 'client' }),
    'authenticate by password': {
      as: 'nobody',
      next: () => ({ method: 'POST', path: `${C}/authenticate?method=password`, body: client }),
    },
    'POST session': dial('unchecked'),
    'POST session, with 5 posture checks': dial('checked'),
    'PATCH roleAttributes': {
      growth: 'logarithmic',
      next: () => ({ method: 'PATCH', path: `${M}/identities/${one(identities)}`, body: { roleAttributes: identityAttributes() } }),
    },
    'PATCH roleAttributes, previewed': previewed({
      next: () => ({ method: 'PATCH', path: `${M}/identities/${one(identities)}`, body: { roleAttributes: identityAttributes() } }),
    }),
    'DELETE policy, previewed': previewed({
      growth: 'linear',
      next: () => ({ method: 'DELETE', path: `${M}/service-policies/${one(policies)}` }),
    }),
    'POST identity': {
      growth: 'logarithmic',
      next: () => ({ method: 'POST', path: `${M}/identities`, body: { ...identityBody(0), name: uniqueName('new') } }),
    },
    'POST policy, a tenth x a tenth, previewed': previewed({ growth: 'linear', next: createTenth }),
    'POST policy, #all x one service, previewed': previewed({
      growth: 'linear',
      next: () => ({ method: 'POST', path: `${M}/service-policies`, body: policy(['#all'], [`@${one(services)}`]) }),
    }),
    'POST policy, #all x #all, previewed': previewed({
      growth: 'linear',
      next: () => ({ method: 'POST', path: `${M}/service-policies`, body: policy(['#all'], ['#all']) }),
    }),
    'POST service below a policy for #all, previewed': {
      growth: 'linear',
      next: () => {
        const service = { name: uniqueName('new'), encryptionRequired: true, roleAttributes: ['fresh'] };
        const operations = [
          { operation: 'servicePolicies.create', input: { body: policy(['#all'], ['#fresh']) } },
          { operation: 'services.create', input: { body: service } },
        ];
        return { method: 'POST', path: `${X}/access/preview`, body: { operations } };
      },
    },
    'POST policy, a tenth x a tenth': { growth: 'logarithmic', next: createTenth },
    'POST policy, #all x #all': {
      growth: 'logarithmic',
      next: () => ({ method: 'POST', path: `${M}/service-policies`, body: { ...policy(['#all'], ['#all']), type: 'Bind' } }),
    },
  } satisfies Record<string, Operation>;
};
