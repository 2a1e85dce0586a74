import type { Change } from './changelog/events.ts';
import type { AccessPreview } from './types/access.ts';

/** What a call would do, had it been made. Nothing of it has happened. */
export interface Preview<T> {
  /** The answer of the call. Ids and secrets in it are those of the preview: the call itself gives others. */
  readonly result: T;
  /** The entities that the call would change, in order, at most 500. A caller with limited rights sees those that its right is about. */
  readonly changes: readonly PreviewedChange[];
  /** The number of changes that the call would make, with those that are not shown, such as sessions that would end. */
  readonly changeCount: number;
  /** Who gains and loses what: the first page, which `access.preview` continues. Missing for a caller with limited rights. */
  readonly access?: Omit<AccessPreview, 'revision'>;
  /** The last revision of the state that the preview is about. */
  readonly revision: number;
}

/** A change that a call would make. */
export interface PreviewedChange {
  readonly action: Change['action'];
  /** Kind of the entity: `identity`. */
  readonly entity: Change['entity'];
  readonly entityId: string;
  /** The entity before and after, without secrets; null if it does not exist. Only for administrators. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** An API whose operations resolve to previews. */
export type Previewing<A> = {
  readonly [G in keyof A]: {
    readonly [V in keyof A[G]]: A[G][V] extends (input: infer I, options?: infer P) => Promise<infer O>
      ? undefined extends I
        ? (input?: I, options?: P) => Promise<Preview<O>>
        : (input: I, options?: P) => Promise<Preview<O>>
      : never;
  };
};

type Operation = (input: unknown, options: object) => unknown;

/**
 * The operations of an API with the option `preview`: each tells what it would do, and does nothing.
 *
 * ```ts
 * const { changes } = await previewing(controller.api).identities.patch({ id, body: { roleAttributes: [] } });
 * ```
 * @param api `controller.api`, or what `as`, `asIdentity` or `createClient` return
 */
export const previewing = <A extends object>(api: A): Previewing<A> =>
  Object.fromEntries(
    Object.entries(api).map(([name, group]) => [name, typeof group === 'object' ? previewed(group) : group]),
  ) as Previewing<A>; // the same groups

const previewed = (group: object) =>
  Object.fromEntries(
    Object.entries(group).map(([verb, operation]: [string, Operation]) => [
      verb,
      (input: unknown, options: object = {}) => operation(input, { ...options, preview: true }),
    ]),
  );
