import { createClient } from '../load.ts';
import type { Contender } from './controllers.ts';
import { ADMINISTRATOR } from './place.ts';

/** Calls the API of a controller as its administrator. */
export interface Api {
  /**
   * @param path relative to `/edge/management/v1`, unless it begins with `/edge/` or `/fabric/`
   * @returns the member `data` of the response
   * @throws Error if the status is 400 or above
   */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** The id of the entity with this name. */
  idOf(collection: string, name: string): Promise<string>;
  readonly token: string;
  close(): void;
}

export const apiOf = async ({ place: { port } }: Pick<Contender, 'place'>, credentials = ADMINISTRATOR): Promise<Api> => {
  const callOver =
    (client: ReturnType<typeof createClient>): Api['call'] =>
    async (method, path, body) => {
      const target = /^\/(edge|fabric)\//.test(path) ? path : `/edge/management/v1${path}`;
      const { status, text } = await client.send({ method, path: target, body });
      if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
      return text === '' ? undefined : JSON.parse(text).data;
    };
  const anonymous = createClient({ port }, 1);
  const { token } = await callOver(anonymous)<{ token: string }>('POST', '/authenticate?method=password', credentials);
  anonymous.close();
  const client = createClient({ port, token }, 8);
  const call = callOver(client);
  return {
    call,
    idOf: async (collection, name) => {
      const [found] = await call<{ id: string }[]>('GET', `/${collection}?filter=${encodeURIComponent(`name = "${name}"`)}`);
      if (!found) throw new Error(`there is no '${name}' in ${collection}`);
      return found.id;
    },
    token,
    close: () => client.close(),
  };
};
