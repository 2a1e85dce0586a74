import type { App } from './app.ts';

let serial = 0;

/** Fields of which each entity has its own value. */
const UNIQUE = ['name', 'issuer'];

const unique = (body: unknown): unknown => {
  if (typeof body !== 'object' || body === null) return body;
  const suffix = `-${++serial}`;
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, UNIQUE.includes(key) ? `${value}${suffix}` : value]));
};

/** The same app, on which samples of many operations can be made side by side: what they create has names of its own. */
export const withUniqueNames = (app: App): App => ({ ...app, create: (collection, body) => app.create(collection, unique(body)) });
