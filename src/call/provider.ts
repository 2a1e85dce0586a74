import type { FairSemaphore } from '../concurrency/fair-semaphore.ts';
import type { AddressRate } from '../platform/request-rate.ts';
import type { IssuerKeys } from '../tokens/issuer-keys.ts';

/** A client of the OpenID provider: public, without a secret; it proves itself by PKCE. */
export interface ProviderClient {
  readonly id: string;
  /** Addresses that codes may go to, as `redirectUriOf` reads them. */
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
  /** BCP 47, of the texts. */
  readonly language: string;
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

/** The OpenID provider of a controller, as its host has set it up. */
export interface Provider {
  readonly keys: IssuerKeys;
  readonly clients: ReadonlyMap<string, ProviderClient>;
  /** Further hosts, with their ports, at which clients reach this controller. */
  readonly hosts: readonly string[];
  /** Lives of tokens, in seconds. */
  readonly lifetimes: { readonly access: number; readonly id: number; readonly refresh: number };
  /** Seconds after a login for which refreshing prolongs it; undefined: for ever. */
  readonly longest: number | undefined;
  /** True if tokens of a login by certificate are bound to that certificate. */
  readonly bindsCertificates: boolean;
  readonly pages: ProviderPages;
  /** How fast logins may begin: anyone may begin one, and each is stored. */
  readonly beginnings: AddressRate;
  /** Limits the concurrency of storing these, fairly by address, so that other writes are not blocked. */
  readonly loginStarts: FairSemaphore;
}
