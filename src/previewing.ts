import type { Preview } from './call/preview.ts';

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
