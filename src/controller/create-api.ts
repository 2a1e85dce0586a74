import type { CallSource } from '../call/call-source.ts';
import type { Entry, Invoke } from '../call/entry.ts';
import { JSON_LIMITS, jsonCopy, LARGE_JSON_LIMITS } from '../call/json.ts';
import { readCallOptions } from '../call/options.ts';
import { inputNames } from '../contract/api/kit/operation.ts';
import { parseOutput } from '../contract/api/kit/parse-output.ts';
import type { ServerSentEvent } from '../contract/api/surfaces/http-output.ts';
import { surfaces } from '../contract/api/surfaces/index.ts';
import type { CallOptions } from '../contract/call-options.ts';
import { ofRequest } from '../contract/errors/index.ts';
import { refuseUnknownInput } from '../contract/options.ts';
import type { Api } from '../contract/types/api.ts';
import type { Random } from '../runtime/platform/platform.ts';
import { newId } from '../store/storage/ids.ts';

/** The credentials with which all operations of an API object are called. */
export type CallerCredentials = Pick<CallSource, 'credentials' | 'peerCertificates' | 'remoteAddress' | 'past'>;

/**
 * Creates the operations for in-process calls. They use the same pipeline as HTTP requests, so embedding does not bypass validation or
 * authorization.
 */
export const createApi = (entries: readonly Entry[], invoke: Invoke, random: Random, caller: CallerCredentials): Api => {
  const api: Record<string, Record<string, unknown>> = {};
  for (const entry of entries) {
    const name = `${entry.group}.${entry.verb}`;
    const names = inputNames(entry.operation);
    const call = async (input: unknown = {}, options: CallOptions = {}) => {
      if (caller.past && 'transaction' in options) throw new TypeError(`${name} reads a past state, and cannot join a transaction`);
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
        return isPreview ? output : parseOutput(entry.operation.answer, output);
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
