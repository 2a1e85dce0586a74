import type { groups } from '../../../src/contract/api/index.ts';
import type { App } from '../app.ts';

/** A call of an operation that succeeds. */
export interface Sample {
  readonly id?: string;
  /** A second parameter of the path. */
  readonly other?: string;
  readonly query?: string;
  /** Text is sent as it is, in the first media type that the operation takes. */
  readonly body?: unknown;
  /** DER of what the client presents in TLS. */
  readonly certificates?: readonly Uint8Array[];
  /** Token; default: the administrator's. */
  readonly as?: string;
  /** A token of an external JWT signer. */
  readonly externalToken?: string;
  /** The change records that it leaves; default none. */
  readonly leaves?: readonly string[];
  /** The code with which this version refuses every caller; such an operation has no success to show. */
  readonly refused?: string;
}

/** Creates what a call needs, and returns the call. */
export type PrepareSample = (app: App) => Promise<Sample>;

type Groups = typeof groups;
export type GroupName = keyof Groups;
type VerbOf<G extends GroupName> = keyof Groups[G]['operations'];

/** A sample for every operation of a group, and for no others. */
export type SamplesOf<G extends GroupName> = { readonly [V in VerbOf<G>]: PrepareSample };

/**
 * The id of an operation, as callers in process write it: `identities.list`. On the wire two operations share a name where both APIs have
 * one.
 */
export type OperationName = { [G in GroupName]: `${G}.${VerbOf<G> & string}` }[GroupName];

/** A call without any input. */
export const nothing: PrepareSample = async () => ({});

/** A call with a known id. */
export const fixed =
  (id: string): PrepareSample =>
  async () => ({ id });

/** A call with the id of what it creates. */
export const read =
  (create: (app: App) => Promise<string>): PrepareSample =>
  async (app) => ({ id: await create(app) });

/** A call of a list, which has no id, after something for it to show was created. */
export const listed =
  (create: (app: App) => Promise<unknown>): PrepareSample =>
  async (app) => {
    await create(app);
    return {};
  };
