import type * as z from 'zod';
import { newRow } from '../../call/resources/merge.ts';
import { authenticator, identity } from '../../contract/api/kinds.ts';
import { password as passwordSchema, username as usernameSchema } from '../../contract/api/shared.ts';
import { usernameFault } from '../../identity/authenticators/usernames.ts';
import { booleanField, equals } from '../../query/index.ts';
import type { Platform } from '../../runtime/platform/platform.ts';
import { type Entities, type EntitiesContext, entitiesOf } from '../../store/entities/entities.ts';
import { newId } from '../../store/storage/ids.ts';
import type { Store } from '../../store/storage/port.ts';

/** The first administrator of a new network. */
export interface AdministratorOptions {
  /** 4 to 100 visible characters of a single script. Default `admin`. */
  readonly username?: string;
  /** 5 to 100 characters. Default: a random one, returned once as `controller.firstAdministrator`. */
  readonly password?: string;
  /** 4 to 100 characters. Default `Default Admin`. */
  readonly name?: string;
}

/** The credentials of the first administrator of a new network. */
export interface FirstAdministrator {
  readonly username: string;
  readonly password: string;
}

export interface FirstCredentials extends FirstAdministrator {
  readonly name: string;
}

/**
 * The credentials that a new network's administrator will have.
 * @throws TypeError for credentials outside the limits
 */
export const firstCredentials = ({ random }: Platform, options: AdministratorOptions = {}): FirstCredentials => {
  const { username = 'admin', password = newId(random), name = 'Default Admin' } = options;
  assertValid(usernameSchema, username, 'the username of the first administrator must have 4 to 100 characters');
  const fault = usernameFault(username);
  if (fault) throw new TypeError(`the username of the first administrator ${fault}`);
  assertValid(passwordSchema, password, 'the password of the first administrator must have 5 to 100 characters');
  assertValid(usernameSchema, name, 'the name of the first administrator must have 4 to 100 characters');
  return { username, password, name };
};

/**
 * Creates the first administrator of a new network; does nothing if the network already has one.
 * @returns the first administrator's credentials, if this call created it
 */
export const bootstrap = async (
  store: Store,
  { passwords }: Platform,
  context: EntitiesContext,
  { username, password, name }: FirstCredentials,
): Promise<FirstAdministrator | undefined> => {
  if (await store.transaction('read', (tx) => hasAdministrator(entitiesOf(tx, context)))) return undefined;
  const passwordHash = await passwords.hash(password);
  return store.transaction('write', async (tx) => {
    const entities = entitiesOf(tx, context);
    // Another controller that started at the same time may have created it first.
    if (await hasAdministrator(entities)) return undefined;
    const owner = await entities.insert(identity, newRow(identity, { name, isAdmin: true }, { isDefaultAdmin: true }));
    await entities.insert(authenticator, newRow(authenticator, { identityId: owner.id, method: 'updb', username }, { passwordHash }));
    return { username, password };
  });
};

const hasAdministrator = async (entities: Entities): Promise<boolean> =>
  (await entities.count(identity, equals(booleanField('isDefaultAdmin'), true))) > 0;

const assertValid = (schema: z.ZodType, value: string, message: string) => {
  if (!schema.safeParse(value).success) throw new TypeError(message);
};
