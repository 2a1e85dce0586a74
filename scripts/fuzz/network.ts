import type { App, RequestOptions } from '../../test/support/app.ts';
import { Connection } from './connection.ts';
import { PASSWORD } from './server.ts';

export const M = '/edge/management/v1';

/** Composes the bytes of a request, which need not be valid. */
export const requestText = (method: string, target: string, headers: Readonly<Record<string, string>>, body?: Uint8Array): Buffer => {
  const all = { host: 'x', ...headers, ...(body ? { 'content-length': String(body.length) } : {}) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`), body ?? Buffer.alloc(0)]);
};

/**
 * The part of the tests' app that sample requests need, over the network. Samples that need more (a clock, the store) throw, and are
 * skipped.
 */
export type RemoteApp = Pick<App, 'request' | 'create' | 'user' | 'login' | 'admin'> & {
  renew(): Promise<void>;
  /** The `Host` under which the server is reached. The OpenID provider accepts no other. */
  readonly host: string;
};

export const remoteApp = async (port: number): Promise<RemoteApp> => {
  const connection = new Connection(port);
  const host = `127.0.0.1:${port}`;
  let serial = 0;
  let admin = '';
  const request = async (method: string, path: string, { body, raw, headers = {}, as }: RequestOptions = {}) => {
    const token = as === undefined ? admin : as;
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const all = {
      host,
      ...(token ? { 'zt-session': token } : {}),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    const target = /^\/(edge|fabric|oidc)\//.test(path) ? path : `${M}${path}`;
    const reply = await connection.ask(requestText(method, target, all, bytes), method === 'HEAD');
    if (!reply) throw new Error(`no answer to ${method} ${path}`);
    return { ...reply, body: reply.headers['content-type']?.includes('json') ? JSON.parse(reply.text) : undefined };
  };
  const login: App['login'] = (username, password) =>
    request('POST', '/authenticate?method=password', { as: null, body: { username, password } });
  const renew = async () => {
    const { body, text } = await login('admin', PASSWORD);
    if (!body?.data?.token) throw new Error(`the administrator cannot log in: ${text}`);
    admin = body.data.token;
  };
  await renew();
  const app: RemoteApp = {
    host,
    request,
    login,
    renew,
    get admin() {
      return admin;
    },
    create: async (collection, body) => {
      const unique =
        typeof body === 'object' && body !== null && 'name' in body ? { ...body, name: `${body.name} ${++serial}-${Date.now()}` } : body;
      const { status, body: answer, text } = await request('POST', collection, { body: unique });
      if (status !== 201) throw new Error(`POST ${collection}: ${text}`);
      return answer.data.id;
    },
    user: async (fields = {}) => {
      const username = `user-${++serial}-${Date.now()}`;
      const id = await app.create('/identities', { name: username, type: 'User', isAdmin: false, ...fields });
      const authenticatorId = await app.create('/authenticators', { identityId: id, method: 'updb', username, password: PASSWORD });
      return { id, username, authenticatorId, login: async (password = PASSWORD) => (await login(username, password)).body.data.token };
    },
  };
  return app;
};
