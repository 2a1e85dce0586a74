import type { FairSemaphore } from '../concurrency/fair-semaphore.ts';
import type { AddressRate } from '../platform/request-rate.ts';
import type { IssuerKeys } from '../tokens/issuer-keys.ts';

/** A client of the OpenID provider: public, without a secret; it proves itself by PKCE. */
export interface ProviderClient {
  readonly id: string;
  /** Addresses to which codes may be sent; those that are only a path are at the address at which the controller was reached. */
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  /** True if its access tokens are sessions on the management and client APIs. */
  readonly isOfNetwork: boolean;
}

/** Appearance and texts of the login pages. */
export interface ProviderPages {
  /** The name of the host, in the title and above the forms. */
  readonly name: string;
  readonly colors: { readonly accent: string; readonly background: string; readonly text: string; readonly surface: string };
  readonly texts: Readonly<Record<PageText, string>>;
  /** Language of the texts, as a BCP 47 tag. */
  readonly language: string;
  /** Origins whose pages may frame them. */
  readonly frameAncestors: readonly string[];
}

/** Texts of the login pages, by name. */
export type PageText =
  | 'signIn'
  | 'username'
  | 'password'
  | 'submit'
  | 'withCertificate'
  | 'withPassword'
  | 'certificateHint'
  | 'tokenHint'
  | 'refused'
  | 'codeTitle'
  | 'code'
  | 'codeHint'
  | 'codeRefused'
  | 'enrollTitle'
  | 'enrollHint'
  | 'enrollStart'
  | 'enrollScan'
  | 'enrollPicture'
  | 'enrollOpen'
  | 'enrollSecret'
  | 'enrollRecovery'
  | 'enrollCodeHint'
  | 'enrollAgain'
  | 'enrollElsewhere'
  | 'loggedOut'
  | 'failed';

/** The OpenID provider of a controller, as its host has configured it. */
export interface Provider {
  readonly keys: IssuerKeys;
  readonly clients: ReadonlyMap<string, ProviderClient>;
  /** Additional hosts, with their ports, at which clients reach this controller. */
  readonly hosts: readonly string[];
  /** Lifetimes of tokens, in seconds. */
  readonly lifetimes: { readonly access: number; readonly id: number; readonly refresh: number };
  /** Seconds after a login during which it can be refreshed; undefined for no limit. */
  readonly longest: number | undefined;
  /** True if tokens of a login by certificate are bound to that certificate. */
  readonly bindsCertificates: boolean;
  readonly pages: ProviderPages;
  /** Limits the rate at which logins begin, because anyone may begin one, and each is stored. */
  readonly beginnings: AddressRate;
  /** Limits how many of them are stored concurrently, fairly by address, so that other writes are not blocked. */
  readonly loginStarts: FairSemaphore;
}
