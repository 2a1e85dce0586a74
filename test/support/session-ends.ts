import assert from 'node:assert/strict';
import type { App } from './app.ts';
import { checkOf, type client } from './posture.ts';
import { dialGround } from './sessions.ts';

export interface Ground {
  readonly app: App;
  readonly ann: Awaited<ReturnType<typeof client>>;
  readonly wiki: string;
  readonly dial: string;
  readonly bind: string;
  readonly check: string;
  readonly patch: (path: string, body: object) => Promise<unknown>;
  readonly remove: (path: string) => Promise<unknown>;
}

/** Ann dials and binds the wiki, by a policy each. */
export const ground = async (app: App): Promise<Ground> => {
  const { net, ann, wiki, staff } = await dialGround(app);
  const check = await checkOf(app, 'at a.test', { typeId: 'DOMAIN', domains: ['a.test'], roleAttributes: ['place'] });
  const [dial, bind] = [await net.dial(staff), await net.bind(staff)];
  const send = (method: string) => async (path: string, body?: object) => {
    const { status, text } = await app.request(method, path, body ? { body } : {});
    assert.equal(status, 200, text);
  };
  return { app, ann, wiki, dial, bind, check, patch: send('PATCH'), remove: send('DELETE') };
};
