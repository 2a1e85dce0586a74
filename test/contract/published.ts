/** The operations that the published descriptions of the API declare, and those that this controller leaves out, each with its reason. */
import { surfaces } from '../../src/contract/api/surfaces/index.ts';
import { entries } from '../../src/controller/entries.ts';
import declared from './published.json' with { type: 'json' };

export type PublishedApi = keyof typeof declared;

export interface Published {
  readonly api: PublishedApi;
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
}

const published = (api: PublishedApi): readonly Published[] =>
  declared[api].map((line) => {
    const [operationId = '', method = '', path = ''] = line.split(' ');
    return { api, operationId, method, path };
  });

export const publishedOperations: readonly Published[] = [...published('management'), ...published('client'), ...published('fabric')];

/** Whether an operation of the same id answers the same method and path; the names of parameters do not matter. */
export const isImplemented = ({ api, operationId, method, path }: Published): boolean =>
  entries.some(
    ({ operation }) =>
      operation.surfaces.includes(surfaces[api]) &&
      operation.operationId === operationId &&
      operation.method === method &&
      shapeOf(operation.path) === shapeOf(path),
  );

const shapeOf = (path: string): string => path.replaceAll(/\{[^}]*\}/g, '{}');

const SETTINGS = 'stored settings of the OpenID Connect provider, which this version lacks; servers in the field answer 501';
const READ_ONLY = 'clients read services; they are written through the management API, and servers in the field answer 501';

const DATABASE = 'under the management API, with the same effect';
const CLUSTER = 'controllers of one network share a database: there is no cluster to manage';

export const deviations: Readonly<Record<PublishedApi, Readonly<Record<string, string>>>> = {
  management: {
    listControllerSettings: SETTINGS,
    createControllerSetting: SETTINGS,
    detailControllerSetting: SETTINGS,
    detailControllerSettingEffective: SETTINGS,
    updateControllerSetting: SETTINGS,
    patchControllerSetting: SETTINGS,
    deleteControllerSetting: SETTINGS,
  },
  client: {
    enrollmentChallenge: 'declared for later versions: servers in the field answer 501',
    getEnrollmentJwks: 'declared for later versions: servers in the field answer 501',
    updateService: READ_ONLY,
    patchService: READ_ONLY,
    deleteService: READ_ONLY,
  },
  fabric: {
    createDatabaseSnapshot: DATABASE,
    checkDataIntegrity: DATABASE,
    fixDataIntegrity: DATABASE,
    dataIntegrityResults: DATABASE,
    clusterMemberAdd: CLUSTER,
    clusterMemberRemove: CLUSTER,
    clusterTransferLeadership: CLUSTER,
  },
};
