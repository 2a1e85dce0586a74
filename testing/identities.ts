import type { TestEntity } from './entity.ts';
import type { Kit } from './kit.ts';
import type { TestSession } from './session.ts';

/** An identity that can log in. */
export interface TestIdentity extends TestEntity {
  /**
   * Logs in, and returns the new API session.
   * @throws ApiError `INVALID_AUTH` if the login fails
   */
  login(): Promise<TestSession>;
}

/** An identity with a password. */
export interface TestUser extends TestIdentity {
  /** The username of its password authenticator. */
  readonly username: string;
  /** The password, the same for all test users until it is changed. */
  readonly password: string;
}

const PASSWORD = 'a password of tests';

export const newUser = async (
  { controller, client, session }: Kit,
  name: string,
  { isAdmin, roleAttributes = [] }: { readonly isAdmin: boolean; readonly roleAttributes?: readonly string[] },
): Promise<TestUser> => {
  const { identities, authenticators } = controller.api;
  const { id } = await identities.create({ body: { name, type: 'User', isAdmin, roleAttributes } });
  const credentials = { username: `user ${id}`, password: PASSWORD };
  await authenticators.create({ body: { identityId: id, method: 'updb', ...credentials } });
  const login = async () => session(await client().authentication.authenticate({ method: 'password', body: credentials }));
  return { id, name, ...credentials, login };
};
