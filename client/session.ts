import { ApiError } from '../src/contract/errors/index.ts';

/** The credentials of a client. */
export type ClientCredentials =
  | { readonly username: string; readonly password: string }
  | {
      /** Returns a token of an external JWT signer. Called for each request, because the token may have been renewed. */
      readonly jwt: () => string | Promise<string>;
    }
  /** Logs in with the client certificate that the option `fetch` presents. */
  | { readonly certificate: true }
  | {
      /**
       * Returns an access token of the controller's OpenID provider. Called for each request, because the token may have been refreshed.
       */
      readonly bearer: () => string | Promise<string>;
    }
  /** The token of an existing session, which is not renewed. */
  | { readonly session: string };

/** The session of a client, which is opened on first use, and again after it has ended. */
export interface ClientSession {
  /**
   * Returns the headers that authenticate a request.
   * @throws ApiError if the login fails
   */
  headers(): Promise<Readonly<Record<string, string>>>;
  /**
   * Discards the session whose headers were rejected.
   * @returns true if another one can be opened
   */
  discard(rejected: Readonly<Record<string, string>>): boolean;
}

type Login = (method: string, body: object, headers: Readonly<Record<string, string>>) => Promise<string>;

/** @param login opens a session and resolves to its token */
export const createSession = (credentials: ClientCredentials | undefined, login: Login): ClientSession => {
  // All waiting calls share one login.
  let token: Promise<string> | undefined = credentials && 'session' in credentials ? Promise.resolve(credentials.session) : undefined;
  let current: string | undefined;

  const bearer = async (): Promise<Readonly<Record<string, string>>> =>
    credentials && 'jwt' in credentials ? { authorization: `Bearer ${await credentials.jwt()}` } : {};

  const open = async (): Promise<string> => {
    if (!credentials || 'session' in credentials || 'bearer' in credentials)
      throw new ApiError('UNAUTHORIZED', {
        cause: { code: 'UNAUTHORIZED', message: 'the client has no credentials: set the option credentials' },
      });
    if ('username' in credentials) return login('password', { username: credentials.username, password: credentials.password }, {});
    return login('jwt' in credentials ? 'ext-jwt' : 'cert', {}, await bearer());
  };

  return {
    headers: async () => {
      if (credentials && 'bearer' in credentials) return { authorization: `Bearer ${await credentials.bearer()}` };
      token ??= open();
      try {
        current = await token;
      } catch (error) {
        token = undefined;
        throw error;
      }
      return { 'zt-session': current, ...(await bearer()) };
    },
    discard: (rejected) => {
      if (!credentials || 'session' in credentials || 'bearer' in credentials) return false;
      // Another call may have opened a new session already.
      if (rejected['zt-session'] === current) token = current = undefined;
      return true;
    },
  };
};
