import type { Authority } from '../../src/identity/cas/trust.ts';

/** A verified CA, with its certificate. */
export type KnownAuthority = Authority<{ readonly id: string; readonly certPem: string }>;

/** A former router. */
export interface KnownRouter {
  readonly name: string;
  readonly isEdgeRouter: boolean;
}

/** The former entities that will be adopted and that others refer to: their ids, and what is asked of them often. */
export interface Known {
  readonly authPolicies: ReadonlySet<string>;
  readonly cas: ReadonlySet<string>;
  readonly configTypes: ReadonlySet<string>;
  /** The id of the config type by id of the config. */
  readonly configs: ReadonlyMap<string, string>;
  readonly externalJwtSigners: ReadonlySet<string>;
  readonly identities: ReadonlySet<string>;
  readonly postureChecks: ReadonlySet<string>;
  readonly routers: ReadonlyMap<string, KnownRouter>;
  /** Names by id. */
  readonly services: ReadonlyMap<string, string>;
  /** Services of the fabric alone, which are not adopted. */
  readonly fabricServices: ReadonlySet<string>;
  /** The verified CAs. */
  readonly authorities: readonly KnownAuthority[];
}
