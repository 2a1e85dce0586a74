import type { Change } from './changes/events.ts';
import type { AccessPreview } from './types/access.ts';

/** The effect that a call would have. Nothing has been changed. */
export interface Preview<T> {
  /** The answer of the call. Its ids and secrets are those of the preview: the actual call returns different ones. */
  readonly result: T;
  /** The changes that the call would make, in order, at most 500. A caller with limited rights sees only those within its rights. */
  readonly changes: readonly PreviewedChange[];
  /** The number of changes that the call would make, including those that are not shown, such as sessions that would end. */
  readonly changeCount: number;
  /** The first page of the effect on access, which `access.preview` continues. Missing for a caller with limited rights. */
  readonly access?: Omit<AccessPreview, 'revision'>;
  /** The last revision of the state on which the preview is based. */
  readonly revision: number;
}

/** A change that a call would make. */
export interface PreviewedChange {
  readonly action: Change['action'];
  /** Kind of the entity: `identity`. */
  readonly entity: Change['entity'];
  readonly entityId: string;
  /** The entity before and after the change, without secrets; null if it does not exist. Missing if the caller is not an administrator. */
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
 * Wraps an API so that each operation is called with the option `preview`: it reports its effect, and changes nothing.
 *
 * ```ts
 * const { changes } = await previewing(controller.api).identities.patch({ id, body: { roleAttributes: [] } });
 * ```
 * @param api `controller.api`, or the result of `as`, `asIdentity` or `createClient`
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
