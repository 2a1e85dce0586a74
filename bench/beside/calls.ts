import { identityBody, policyBody, type Size, serviceBody } from '../data.ts';
import type { Filled } from '../fill.ts';
import { type Effort, type Measurable, measure } from '../measure.ts';
import { type Operation, operations } from '../operations.ts';
import { type Api, apiOf } from './api.ts';
import type { Network } from './network.ts';

const SIZE: Pick<Size, 'services' | 'policies'> = { services: 200, policies: 40 };
const CLIENT = { username: 'bench-client', password: 'bench-password' };

/** Creates the entities `from` to `to` of a kind through the API, several calls at a time. */
const create = async (api: Api, collection: string, [from, to]: readonly [number, number], bodyOf: (i: number) => unknown) => {
  const ids: string[] = [];
  for (let i = from; i < to; i += 8) {
    const bodies = Array.from({ length: Math.min(8, to - i) }, (_, k) => bodyOf(i + k));
    const created = await Promise.all(bodies.map((body) => api.call<{ id: string }>('POST', `/${collection}`, body)));
    ids.push(...created.map(({ id }) => id));
  }
  return ids;
};

/** Fills a controller, except for the identities. */
const fill = async (api: Api): Promise<Pick<Filled, 'services'>> => {
  const services = await create(api, 'services', [0, SIZE.services], (i) => serviceBody(i, []));
  await create(api, 'service-policies', [0, SIZE.policies], policyBody);
  const [identityId] = await create(api, 'identities', [0, 1], () => ({ ...identityBody(0), name: CLIENT.username }));
  await api.call('POST', '/authenticators', { method: 'updb', identityId, ...CLIENT });
  return { services };
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
  'authenticate by password',
  'PATCH roleAttributes',
  'POST identity',
] as const;
/** Measured once the network has grown: thousands of such policies would make each further identity dear, and the data model huge. */
const LAST_MEASURED = 'POST policy, a tenth x a tenth';

/** A filled controller, with the operations to measure. */
interface FilledController extends Measurable {
  readonly tokens: Readonly<Partial<Record<NonNullable<Operation['as']> | 'administrator', string>>>;
  /** Adds identities, up to this number. @returns the operations on them */
  growTo(identities: number): Promise<Readonly<Record<string, Operation>>>;
}

const prepare = async ({ place, api, used }: Network): Promise<FilledController> => {
  const { services } = await fill(api);
  const client = await apiOf({ place }, CLIENT);
  const identities: string[] = [];
  return {
    port: place.port,
    usage: async () => {
      const { processorMs = 0, mebibytes = 0 } = used() ?? {};
      return { user: processorMs * 1000, system: 0, rss: mebibytes * 1048576 };
    },
    tokens: { administrator: api.token, client: client.token },
    growTo: async (count) => {
      identities.push(...(await create(api, 'identities', [identities.length, count], identityBody)));
      return operations({ client: CLIENT, identities, services, policies: [], dialable: [] }, { ...SIZE, identities: count });
    },
  };
};

/** The processor time per call of each controller, in milliseconds: the minimum of several rounds, in which the two alternate. */
export interface CallFigures {
  readonly name: string;
  readonly ours: number;
  readonly reference: number;
}

const ROUNDS = 3;

/**
 * Compares calls in networks that grow.
 * @param sizes numbers of identities, ascending
 */
export async function* compareCalls(
  networks: Readonly<Record<'ours' | 'reference', Network>>,
  sizes: readonly number[],
  effort: Effort,
): AsyncGenerator<readonly [size: number, readonly CallFigures[]]> {
  const [ours, reference] = [await prepare(networks.ours), await prepare(networks.reference)];
  const costOf = async ({ tokens, ...server }: FilledController, operation: Operation): Promise<number> =>
    (await measure(server, tokens[operation.as ?? 'administrator'], operation.next, effort)).cpuMs;
  for (const size of sizes) {
    const calls = { ours: await ours.growTo(size), reference: await reference.growTo(size) };
    const figures: CallFigures[] = [];
    for (const name of size === sizes.at(-1) ? [...MEASURED, LAST_MEASURED] : MEASURED) {
      let minimum = { ours: Number.POSITIVE_INFINITY, reference: Number.POSITIVE_INFINITY };
      for (let round = 0; round < ROUNDS; round++)
        minimum = {
          // Every measured name is that of an operation.
          ours: Math.min(minimum.ours, await costOf(ours, calls.ours[name] as Operation)),
          reference: Math.min(minimum.reference, await costOf(reference, calls.reference[name] as Operation)),
        };
      figures.push({ name, ...minimum });
    }
    yield [size, figures];
  }
}
