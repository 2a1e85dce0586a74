import { surfaces } from './api/surfaces/index.ts';
import type { Credentials, Entry, Invoke } from './call/call.ts';
import { jsonCopy } from './call/json.ts';
import type { CallOptions } from './call/options.ts';
import { expectedVersion } from './if-version.ts';
import { checkedOptions } from './options.ts';
import type { Random } from './platform/platform.ts';
import { newId } from './storage/ids.ts';
import type { Facade } from './types/facade.ts';

const CALL_OPTIONS = { transaction: true, signal: true, ifVersion: true } as const;

/** The operations in process. They use the same pipeline as HTTP requests: embedding does not bypass validation or authorisation. */
export const createFacade = (entries: readonly Entry[], invoke: Invoke, random: Random, credentials: Credentials): Facade => {
  const facade: Record<string, Record<string, unknown>> = {};
  for (const entry of entries) {
    const call = async (input: unknown = {}, options: CallOptions = {}) => {
      const { transaction, signal } = checkedOptions(`${entry.group}.${entry.verb}`, options, CALL_OPTIONS);
      if ('transaction' in options && (typeof transaction !== 'object' || transaction === null))
        throw new TypeError(`${entry.group}.${entry.verb} was given a transaction that is none, but ${String(transaction)}`);
      const expected =
        'ifVersion' in options ? [expectedVersion(`${entry.group}.${entry.verb}`, entry.operation, options.ifVersion)] : undefined;
      const source = {
        requestId: newId(random),
        surface: surfaces.management,
        credentials,
        input: () => jsonCopy(input),
        ...(signal ? { signal } : {}),
        ...('ifVersion' in options ? { expectedVersions: () => expected } : {}),
        ...(transaction === undefined ? {} : { hostTransaction: transaction }),
      } as const;
      return (await invoke(entry, source)).output;
    };
    facade[entry.group] ??= {};
    Object.assign(facade[entry.group] ?? {}, { [entry.verb]: call });
  }
  return facade as unknown as Facade; // one function for each entry of the table, under its names
};
