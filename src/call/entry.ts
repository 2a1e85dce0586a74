import type { Operation } from '../contract/api/kit/operation.ts';
import type { Page } from '../contract/api/surfaces/answer.ts';
import type { HeaderValues } from '../contract/api/surfaces/http-output.ts';
import type { SerializedJson } from '../contract/api/surfaces/json-parts.ts';
import type { Actor } from './actor.ts';
import type { Call } from './call.ts';
import type { CallSource } from './call-source.ts';

/** An operation with its name in the API and its handler. */
export interface Entry {
  /** `identities` */
  readonly group: string;
  /** `patch` */
  readonly verb: string;
  readonly operation: Operation;
  readonly handler: Handler;
}

/**
 * Implements an operation: receives the decoded input and returns the declared output. If the JSON text of the output, or of the items of a
 * page, is cached, it returns the text instead.
 */
export type Handler<I = never, O = unknown> = (
  call: Call,
  input: I,
) => Promise<O | SerializedJson | (O extends Page<infer T> ? Page<T | SerializedJson> : never)>;

export interface CallResult {
  readonly output: unknown;
  readonly headers: ReadonlyMap<string, HeaderValues[string]>;
  /** True if the work continues after the answer. */
  readonly isAccepted?: boolean;
  /** True if `output` is a preview. */
  readonly isPreview?: boolean;
  /** The caller. */
  readonly actor?: Actor;
}

export type Invoke = (entry: Entry, source: CallSource) => Promise<CallResult>;
