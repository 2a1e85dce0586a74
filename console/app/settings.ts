import type { PageSettings } from '../document.ts';

const element = document.querySelector<HTMLMetaElement>('meta[name="overlay-console"]');

/** The settings of the host. */
export const settings = JSON.parse(element?.content ?? '') as PageSettings; // `documentOf` wrote it

/** The URL of this page, without query and fragment: the redirect URI of logins. */
export const ownAddress = `${location.origin}${location.pathname}`;

/** A key in the session storage, distinct from those of other consoles at the same origin. */
export const storageKey = (name: string): string => `overlay-console ${location.pathname} ${name}`;

/** The base URL of the controller's APIs: the origin of this page, and the path of a gateway, if any. */
export const controllerAddress = `${location.origin}${location.pathname.slice(0, location.pathname.lastIndexOf(`${settings.path}/`))}`;
