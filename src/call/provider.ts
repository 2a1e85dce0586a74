import type { IssuerKeys } from '../crypto/tokens/issuer-keys.ts';
import type { FairSemaphore } from '../runtime/concurrency/fair-semaphore.ts';
import type { AddressRate } from '../runtime/platform/request-rate.ts';

/** A public client of the OpenID provider: it uses PKCE and has no secret. */
export interface ProviderClient {
  readonly id: string;
  /** Allowed redirect URIs. Those that are only a path are relative to the address at which the client reached the controller. */
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
  /** Origins whose pages may embed the login pages in a frame. */
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
  | 'failed'
  | 'otherBrowser';

/** The OpenID provider of a controller, as its host has configured it. */
export interface Provider {
  readonly keys: IssuerKeys;
  readonly clients: ReadonlyMap<string, ProviderClient>;
  /** Additional hosts, with their ports, at which clients reach this controller. */
  readonly hosts: readonly string[];
  /** Lifetimes of tokens, in seconds. */
  readonly lifetimes: { readonly access: number; readonly id: number; readonly refresh: number };
  /** Seconds after a login during which its tokens can be refreshed; undefined for no limit. */
  readonly longest: number | undefined;
  /** True if the tokens of a login with a certificate are bound to that certificate. */
  readonly bindsCertificates: boolean;
  readonly pages: ProviderPages;
  /** The texts of the pages in further languages, which people see whose browsers ask for them. */
  readonly translations: readonly Pick<ProviderPages, 'language' | 'texts'>[];
  /** Limits the rate at which logins start, because anyone can start one, and each is stored. */
  readonly beginnings: AddressRate;
  /** Limits how many login starts are stored concurrently, fairly by address, so that other writes are not blocked. */
  readonly loginStarts: FairSemaphore;
}
