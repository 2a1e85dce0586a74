import { invalidField } from '../../contract/errors/index.ts';
import { checkedOptions } from '../../contract/options.ts';
import { restoreSnapshot } from '../../operations/restore/index.ts';
import type { Platform } from '../../runtime/platform/platform.ts';
import { newSecretKey } from '../../runtime/platform/secrets.ts';
import type { FirstAdministrator } from '../opening/bootstrap.ts';
import { noTenant } from './marker.ts';
import type { CreateTenantOptions } from './options.ts';
import { checkedQuotas } from './quotas.ts';
import { isTenantName, type KeyedTenant, type Registry, type Tenant } from './registry.ts';
import type { TenantSpaces } from './spaces.ts';

/** A newly created tenant. */
export interface CreatedTenant extends Tenant {
  /**
   * Credentials of the first administrator, which are not stored anywhere else; undefined if the tenant was created from the data of
   * another network.
   */
  readonly firstAdministrator: FirstAdministrator | undefined;
}

interface CreationParts {
  readonly registry: Registry;
  readonly spaces: TenantSpaces;
  readonly platform: Pick<Platform, 'random' | 'clock' | 'logger'>;
  /** Deletes the data left behind by a tenant that does not exist. */
  eraseRemains(id: string): Promise<void>;
}

/** Implements `Overlays.create`. */
export const tenantCreator =
  (parts: CreationParts) =>
  async (options: CreateTenantOptions): Promise<CreatedTenant> => {
    const { registry, platform, eraseRemains } = parts;
    const { name, quotas = {} } = checkedOptions('overlays.create', options, { name: true, administrator: true, quotas: true, from: true });
    if (!isTenantName(name))
      throw invalidField('name', 'name must have 1 to 63 characters of a-z, 0-9 and -, and neither begin nor end with -', name);
    checkedQuotas("the option 'quotas' of overlays.create", quotas);
    if (options.from)
      checkedOptions("the option 'from' of overlays.create", options.from, { snapshot: true, secretKey: true, endCredentials: true });
    // Only an early check: `registry.complete` checks again within its transaction.
    if (await registry.find(name)) throw invalidField('name', 'name must be unique', name);
    const secretKey = newSecretKey(platform.random);
    const id = await registry.begin(secretKey);
    try {
      const createdAt = new Date(platform.clock.now()).toISOString();
      const firstAdministrator = await initializeTenant(parts, { id, name, createdAt, secretKey }, options);
      return { ...(await registry.complete(id, name)), firstAdministrator };
    } catch (error) {
      await registry
        .abandon(id)
        .then(() => eraseRemains(id))
        .catch((failure: unknown) =>
          platform.logger.warn('could not delete the data of a tenant whose creation failed; retrying within an hour', { error: failure }),
        );
      throw error;
    }
  };

const initializeTenant = async (
  { spaces }: CreationParts,
  tenant: KeyedTenant,
  { administrator, quotas = {}, from }: CreateTenantOptions,
): Promise<FirstAdministrator | undefined> => {
  const watched = { isErased: false, onQuotas: () => undefined, onErased: () => noTenant(tenant.name) };
  await spaces.prepare(tenant.id, quotas);
  if (from) {
    const { endCredentials = true } = from; // also if it is explicitly undefined
    await restoreSnapshot({ ...from, endCredentials, storage: spaces.storageOf(tenant.id, { ...watched, isImport: true }) });
  }
  const controller = await spaces.open(tenant, watched, {
    ...(administrator ? { administrator } : {}),
    ...(from ? { secretKey: [tenant.secretKey, from.secretKey] } : {}),
  });
  try {
    if (from) await controller.reseal();
    return controller.firstAdministrator;
  } finally {
    await controller.close();
  }
};
