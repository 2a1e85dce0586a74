import { createClient } from '../load.ts';
import type { Contender } from './controllers.ts';
import { ADMINISTRATOR } from './place.ts';

/** An administrator's calls of the API of a controller. */
export interface Api {
  /** Path below `/edge/management/v1`, unless it is a whole one. @returns what the envelope holds as `data` @throws Error for an answer of 400 and above */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** The id of the entity that has this name. */
  idOf(collection: string, name: string): Promise<string>;
  readonly token: string;
  close(): void;
}

export const apiOf = async ({ place: { port } }: Pick<Contender, 'place'>, credentials = ADMINISTRATOR): Promise<Api> => {
  const asking =
    (client: ReturnType<typeof createClient>): Api['call'] =>
    async (method, path, body) => {
      const whole = /^\/(edge|fabric)\//.test(path) ? path : `/edge/management/v1${path}`;
      const { status, text } = await client.send({ method, path: whole, body });
      if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
      return text === '' ? undefined : JSON.parse(text).data;
    };
  const open = createClient({ port }, 1);
  const { token } = await asking(open)<{ token: string }>('POST', '/authenticate?method=password', credentials);
  open.close();
  const client = createClient({ port, token }, 8);
  const call = asking(client);
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
