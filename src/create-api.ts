import { inputNames } from './api/kit/operation.ts';
import { parsed } from './api/kit/parsed.ts';
import type { ServerSentEvent } from './api/surfaces/http-output.ts';
import { surfaces } from './api/surfaces/index.ts';
import type { CallSource, Entry, Invoke } from './call/call.ts';
import { JSON_LIMITS, jsonCopy, LARGE_JSON_LIMITS } from './call/json.ts';
import { type CallOptions, readCallOptions } from './call/options.ts';
import { ofRequest } from './errors/index.ts';
import { refuseUnknownInput } from './options.ts';
import type { Random } from './platform/platform.ts';
import { newId } from './storage/ids.ts';
import type { Api } from './types/api.ts';

/** The credentials with which all operations of an API object are called. */
export type CallerCredentials = Pick<CallSource, 'credentials' | 'peerCertificates' | 'past'>;

/** Creates the operations for in-process calls. They use the same pipeline as HTTP requests, so embedding does not bypass validation or authorization. */
export const createApi = (entries: readonly Entry[], invoke: Invoke, random: Random, caller: CallerCredentials): Api => {
  const api: Record<string, Record<string, unknown>> = {};
  for (const entry of entries) {
    const name = `${entry.group}.${entry.verb}`;
    const names = inputNames(entry.operation);
    const call = async (input: unknown = {}, options: CallOptions = {}) => {
      if (caller.past && 'transaction' in options) throw new TypeError(`${name} reads a past state, and joins no transaction`);
      const { requestId = newId(random), ...callOptions } = readCallOptions(name, entry.operation, options);
      refuseUnknownInput(name, input, names);
      const source = {
        ...callOptions,
        ...caller,
        requestId,
        surface: surfaces.management,
        input: (isLarge?: boolean) => jsonCopy(input, isLarge ? LARGE_JSON_LIMITS : JSON_LIMITS),
      };
      try {
        const { output, isPreview } = await invoke(entry, source);
        return isPreview ? output : parsed(entry.operation.answer, output);
      } catch (error) {
        throw ofRequest(error, requestId);
      }
    };
    api[entry.group] ??= {};
    Object.assign(api[entry.group] ?? {}, { [entry.verb]: entry.operation.answer.is === 'events' ? itemsOf(call) : call });
  }
  return api as unknown as Api; // each entry defines one function, under its group and verb
};

/** Adapts an operation that answers with events: returns an iterable, and each iteration over it makes one call. */
const itemsOf =
  (call: (input: object, options: CallOptions) => Promise<unknown>) =>
  ({ signal, ...input }: { readonly signal?: AbortSignal } = {}): AsyncIterable<unknown> => ({
    async *[Symbol.asyncIterator]() {
      const events = (await call(input, signal ? { signal } : {})) as AsyncIterable<ServerSentEvent<unknown>>; // the declared answer of the operation
      for await (const { data } of events) if (data !== undefined) yield data;
    },
  });
