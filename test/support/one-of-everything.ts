import { entries } from '../../src/controller/entries.ts';
import type { App } from './app.ts';
import { callSample } from './calls.ts';
import { TYPES } from './posture-checks.ts';
import { sampleOf } from './samples/index.ts';

/**
 * Performs every operation that makes something, so that the network has entities of every kind and variant, but for controllers with a
 * name.
 */
export const makeOneOfEverything = async (app: App): Promise<void> => {
  const apart = withNamesApart(app);
  for (const [typeId, [body]] of Object.entries(TYPES)) await apart.create('/posture-checks', { name: typeId, typeId, ...body });
  for (const entry of entries) {
    const { method, answer, path } = entry.operation;
    const makes = method === 'POST' || path.endsWith('/trace');
    // What names of samples have in common with others, or what takes a network of its own, is refused: other samples make the same.
    if (makes && answer.is !== 'events')
      await sampleOf(apart, entry)
        .then((sample) => callSample(apart, entry.operation, sample))
        .catch(() => undefined);
  }
};

/** Numbers the names of all samples of this process. */
let serial = 0;

/** Samples have the same names again and again, and each expects a network of its own. */
export const withNamesApart = (app: App): App => {
  const apart = (body: unknown): unknown => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
    const named = Object.entries(body).map(([name, value]) => [
      name,
      ['name', 'issuer'].includes(name) && typeof value === 'string' ? `${value} ${++serial}` : value,
    ]);
    return Object.fromEntries(named);
  };
  return {
    ...app,
    request: (method, path, options = {}) =>
      app.request(method, path, options.body === undefined ? options : { ...options, body: apart(options.body) }),
    create: (collection, body) => app.create(collection, apart(body)),
  };
};
