import { identityBody, policyBody, type Size, serviceBody } from '../data.ts';
import type { Filled } from '../fill.ts';
import { type Effort, type Measurable, measure } from '../measure.ts';
import { type Operation, operations } from '../operations.ts';
import { type Api, apiOf } from './api.ts';
import type { Network } from './network.ts';

const SIZE: Size = { identities: 2000, services: 200, policies: 40 };

/** Fills a controller through its API, several calls at a time. */
const fill = async (api: Api): Promise<Filled> => {
  const create = async (collection: string, count: number, bodyOf: (i: number) => unknown): Promise<readonly string[]> => {
    const bodies = Array.from({ length: count }, (_, i) => bodyOf(i));
    const created = [];
    for (let i = 0; i < count; i += 8)
      created.push(...(await Promise.all(bodies.slice(i, i + 8).map((body) => api.call<{ id: string }>('POST', `/${collection}`, body)))));
    return created.map(({ id }) => id);
  };
  const identities = await create('identities', SIZE.identities, identityBody);
  const services = await create('services', SIZE.services, (i) => serviceBody(i, []));
  await create('service-policies', SIZE.policies, policyBody);
  const client = { username: 'bench-client', password: 'bench-password' };
  const [identityId] = await create('identities', 1, () => ({ ...identityBody(0), name: client.username }));
  await api.call('POST', '/authenticators', { method: 'updb', identityId, ...client });
  return { client, identities, services, policies: [], dialable: [] };
};

const MEASURED = [
  'GET /version',
  'identity by id',
  'identities, page of 100',
  'identities, name = "..."',
  'identities, one roleFilter',
  'services of an identity',
  'identities of a service',
  'policy advice',
  'client: services, page of 100',
  'client: current identity',
  'client: service updates',
  'PATCH roleAttributes',
  'POST identity',
  'POST policy, a tenth x a tenth',
] as const;

/** A filled controller, with the operations to measure. */
interface FilledController extends Measurable {
  readonly tokens: Readonly<Partial<Record<NonNullable<Operation['as']> | 'administrator', string>>>;
  readonly calls: Readonly<Record<string, Operation>>;
}

const prepare = async ({ place, api, used }: Network): Promise<FilledController> => {
  const filled = await fill(api);
  const client = await apiOf({ place }, filled.client);
  return {
    port: place.port,
    usage: async () => {
      const { processorMs = 0, mebibytes = 0 } = used() ?? {};
      return { user: processorMs * 1000, system: 0, rss: mebibytes * 1048576 };
    },
    tokens: { administrator: api.token, client: client.token },
    calls: operations(filled, SIZE),
  };
};

/** The processor time per call of each controller, in milliseconds: the minimum of several rounds, in which the two alternate. */
export interface CallFigures {
  readonly name: string;
  readonly ours: number;
  readonly reference: number;
}

const ROUNDS = 3;

export const compareCalls = async (
  networks: Readonly<Record<'ours' | 'reference', Network>>,
  effort: Effort,
): Promise<readonly CallFigures[]> => {
  const [ours, reference] = [await prepare(networks.ours), await prepare(networks.reference)];
  const costOf = async ({ calls, tokens, ...server }: FilledController, name: string): Promise<number> => {
    const { next, as = 'administrator' } = calls[name] as Operation; // every measured name is that of an operation
    return (await measure(server, tokens[as], next, effort)).cpuMs;
  };
  const figures: CallFigures[] = [];
  for (const name of MEASURED) {
    let minimum = { ours: Number.POSITIVE_INFINITY, reference: Number.POSITIVE_INFINITY };
    for (let round = 0; round < ROUNDS; round++)
      minimum = {
        ours: Math.min(minimum.ours, await costOf(ours, name)),
        reference: Math.min(minimum.reference, await costOf(reference, name)),
      };
    figures.push({ name, ...minimum });
  }
  return figures;
};
