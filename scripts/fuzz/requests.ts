import fc from 'fast-check';
import type { Entry } from '../../src/call/entry.ts';
import type { Operation } from '../../src/contract/api/kit/operation.ts';
import { surfaces } from '../../src/contract/api/surfaces/index.ts';
import { entries } from '../../src/controller/entries.ts';
import type { App } from '../../test/support/app.ts';
import { badRequests } from '../../test/support/bad-input.ts';
import { documents, heavyBodies } from '../../test/support/heavy-bodies.ts';
import { nameOf, sampleOf as prepare, type Sample } from '../../test/support/samples/index.ts';
import { type RemoteApp, requestText } from './network.ts';

/** A request, with a description in one line. */
export interface FuzzRequest {
  readonly about: string;
  readonly bytes: Buffer;
}

/** Number of requests after which an operation gets a new sample, with new entities. */
const MAX_SAMPLE_USES = 25;

/** Excludes streams, because a connection reads each response to its end, and a stream has none. */
const finite = entries.filter(({ operation }) => operation.answer.is !== 'events');

/**
 * Returns a function that creates valid, invalid and heavy requests of every operation. A request depends only on the seed and the sample.
 */
export const createRequests = (app: RemoteApp) => {
  const known = new Map<Entry, { readonly sample: Sample; uses: number }>();
  const sampleOf = async (entry: Entry): Promise<Sample> => {
    const before = known.get(entry);
    if (before && ++before.uses < MAX_SAMPLE_USES) return before.sample;
    // Samples that need the clock or the store fail here, and are omitted.
    const sample = await prepare(app as unknown as App, entry).catch(() => ({}));
    known.set(entry, { sample, uses: 0 });
    return sample;
  };
  return async (seed: number): Promise<FuzzRequest> => {
    const entry = finite[seed % finite.length] as Entry; // the index is in bounds
    const { operation } = entry;
    const sample = await sampleOf(entry);
    const [kind = 0, api = 0, who = 0, which = 0] =
      fc.sample(fc.tuple(fc.nat(99), fc.nat(9), fc.nat(9), fc.nat(1e6)), { seed, numRuns: 1 })[0] ?? [];
    const place = (operation.surfaces[api % operation.surfaces.length] ?? surfaces.management).prefix;
    const token = who === 0 ? undefined : who === 1 ? 'stale' : (sample.as ?? app.admin);
    const session = { host: app.host, ...(token === undefined ? {} : { 'zt-session': token }) };
    const about = (what: string) => `${nameOf(entry)} ${what} (seed ${seed})`;
    const json = { ...session, 'content-type': operation.body?.media?.at(-1) === 'text/plain' ? 'text/plain' : 'application/json' };

    if (kind < 15) {
      const payload = sample.body === undefined ? undefined : typeof sample.body === 'string' ? sample.body : JSON.stringify(sample.body);
      const query = sample.query === undefined ? '' : `?${sample.query}`;
      return {
        about: about('sample'),
        bytes: requestText(
          operation.method,
          `${place}${pathOf(operation, sample.id ?? 'x', sample)}${query}`,
          payload === undefined ? session : json,
          bytesOf(payload),
        ),
      };
    }
    if (kind < 25 && operation.body) {
      const all = [...documents, ...heavyBodies(operation.body.schema, sample.body)];
      const { shape, text } = all[which % all.length] ?? { shape: 'none', text: () => '' };
      const query = sample.query === undefined ? '' : `?${sample.query}`;
      return {
        about: about(shape),
        bytes: requestText(operation.method, `${place}${pathOf(operation, sample.id ?? 'x', sample)}${query}`, json, bytesOf(text())),
      };
    }
    const [bad] = fc.sample(badRequests(operation, sample), { seed, numRuns: 1 });
    const { id, query, raw, headers } = bad as NonNullable<typeof bad>; // one run yields one request
    const target = `${place}${pathOf(operation, id, sample)}?${query}`.replaceAll(/[\s]/g, '+');
    return {
      about: about(`bad input: ${target.slice(0, 200)} ${String(raw).slice(0, 200)}`),
      bytes: requestText(operation.method, target, { ...(raw === undefined ? session : json), ...headers }, bytesOf(raw)),
    };
  };
};

const pathOf = ({ path }: Operation, id: string, { other }: Sample): string =>
  path.replace(/\{\w+\}/, () => id).replace(/\{\w+\}/, () => other ?? 'x');

const bytesOf = (payload: string | Uint8Array | undefined): Buffer | undefined =>
  payload === undefined ? undefined : Buffer.from(payload as string); // text or bytes
