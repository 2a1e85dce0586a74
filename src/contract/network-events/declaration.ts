import type * as z from 'zod';

/** The declaration of a kind of event. */
export interface NetworkEventDeclaration<F extends z.ZodRawShape> {
  /** The fields in the order in which they are sent. */
  readonly fields: F;
  /** The name that subscribers give, where it is not the name of the kind. */
  readonly subscribedAs?: string;
  /** An earlier name that subscribers may give. Their events then have it as `namespace`, or else `namespaceOfEarlier`. */
  readonly earlierName?: string;
  readonly namespaceOfEarlier?: string;
  /** The value of `namespace`, where it is not the name of the kind. */
  readonly namespace?: string;
  /** The event types to which the option `include` restricts a subscription, and the end of the message for others. */
  readonly include?: { readonly types: readonly string[]; readonly refusal: string };
  /** True for events about identities, whose followers need the right to read the change log. */
  readonly isPersonal?: true;
  /** True for a kind that subscribers receive only if they name it. */
  readonly isOnRequest?: true;
}

/** Declares a kind by its fields. */
export const declare = <const F extends z.ZodRawShape>(
  fields: F,
  options: Omit<NetworkEventDeclaration<F>, 'fields'> = {},
): NetworkEventDeclaration<F> => ({
  fields,
  ...options,
});
