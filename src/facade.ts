import type { Credentials, Entry, Invoke } from './call/call.ts';
import { jsonCopy } from './call/json.ts';
import type { CallOptions } from './call/options.ts';
import { checkedOptions } from './options.ts';
import type { Random } from './platform/platform.ts';
import { newId } from './storage/ids.ts';
import type { Facade } from './types/facade.ts';

const CALL_OPTIONS = { transaction: true, signal: true } as const;

/** The operations in process. They go the same way as requests over HTTP: nobody skips validation or authorisation by embedding. */
export const createFacade = (entries: readonly Entry[], invoke: Invoke, random: Random, credentials: Credentials): Facade => {
  const facade: Record<string, Record<string, unknown>> = {};
  for (const entry of entries) {
    const call = async (input: unknown = {}, options: CallOptions = {}) => {
      const { transaction, signal } = checkedOptions(`${entry.group}.${entry.verb}`, options, CALL_OPTIONS);
      if ('transaction' in options && (typeof transaction !== 'object' || transaction === null))
        throw new TypeError(`${entry.group}.${entry.verb} was given a transaction that is none, but ${String(transaction)}`);
      const source = {
        requestId: newId(random),
        api: 'management',
        credentials,
        input: () => jsonCopy(input),
        ...(signal ? { signal } : {}),
        ...(transaction === undefined ? {} : { hostTransaction: transaction }),
      } as const;
      return (await invoke(entry, source)).output;
    };
    facade[entry.group] ??= {};
    Object.assign(facade[entry.group] ?? {}, { [entry.verb]: call });
  }
  return facade as unknown as Facade; // one function for each entry of the table, under its names
};
