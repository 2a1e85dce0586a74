import assert from 'node:assert/strict';
import type { App } from './app.ts';
import { network } from './network.ts';
import { client } from './posture.ts';

const CLIENT = '/edge/client/v1';

export type SessionType = 'Dial' | 'Bind';

/** A user `ann` with the attribute `staff`, a service `wiki` with `web`, and a router that everybody may use for everything. */
export const dialGround = async (app: App) => {
  const net = network(app);
  const ann = await client(app, { roleAttributes: ['staff'] });
  const wiki = await net.service('wiki', 'web');
  const router = await net.router('r', 'all-of-them');
  await net.routersOfIdentities({ identities: ['#all'], routers: ['#all'] });
  await net.routersOfServices({ services: ['#all'], routers: ['#all'] });
  return { net, ann, wiki, router, staff: { identities: ['#staff'], services: ['#web'] } };
};

/** POST /sessions. */
export const ask = (app: App, { as }: { readonly as: string }, serviceId: string, type: SessionType = 'Dial') =>
  app.request('POST', `${CLIENT}/sessions`, { as, body: { serviceId, type } });

/** A session that must be granted; its id. */
export const begin = async (app: App, who: { readonly as: string }, serviceId: string, type: SessionType = 'Dial'): Promise<string> => {
  const { status, text, body } = await ask(app, who, serviceId, type);
  assert.equal(status, 201, text);
  return body.data.id;
};

/** Whether a session is there, for its client as for an administrator: in its place and in the lists. */
export const isThere = async (app: App, { as }: { readonly as: string }, id: string): Promise<boolean> => {
  const seen = new Set<boolean>();
  for (const [path, options] of [
    ['/sessions', {}],
    [`${CLIENT}/sessions`, { as }],
  ] as const) {
    seen.add((await app.request('GET', `${path}/${id}`, options)).status === 200);
    const { body } = await app.request('GET', `${path}?limit=500`, options);
    seen.add(body.data.some((one: { id: string }) => one.id === id));
    assert.equal(body.meta.pagination.totalCount, body.data.length);
  }
  assert.equal(seen.size, 1, 'a session is there for some, and not for others');
  return seen.has(true);
};
