import { serve } from '../../../adapters/http/node.ts';
import type { TestNetwork } from '../../../testing/index.ts';

export interface FabricAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export interface FabricApi extends AsyncDisposable {
  /** Calls `/fabric/v1` over HTTP as an administrator, or with the token of another session; `null`: without any. */
  call(method: string, path: string, more?: { readonly as?: string | null; readonly body?: unknown }): Promise<FabricAnswer>;
  /** The ids that a list shows. */
  ids(path: string): Promise<readonly string[]>;
}

/** The fabric API of a network, served over HTTP. */
export const fabricApi = async ({ controller, administrator }: TestNetwork): Promise<FabricApi> => {
  const serving = await serve({ controller, port: 0 });
  const { token } = await (await administrator('operator')).login();
  const call: FabricApi['call'] = async (method, path, { as = token, body } = {}) => {
    const response = await fetch(`http://127.0.0.1:${serving.port}/fabric/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(as ? { 'zt-session': as } : {}) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return {
    call,
    ids: async (path) => (await call('GET', path)).body.data.map(({ id }: { readonly id: string }) => id),
    [Symbol.asyncDispose]: () => serving.close(0),
  };
};
