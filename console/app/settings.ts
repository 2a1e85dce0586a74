import type { PageSettings } from '../document.ts';

const element = document.querySelector<HTMLMetaElement>('meta[name="overlay-console"]');

/** The settings of the host. */
export const settings: PageSettings = JSON.parse(element?.content ?? '{"name":"","path":"/console","features":[]}') as PageSettings; // `documentOf` wrote it

/** The address of this page, without query and fragment, to which logins return. */
export const ownAddress = `${location.origin}${location.pathname}`;

/** The key of something that is kept in the tab. Other consoles at the same origin, of other controllers, have other keys. */
export const keyOf = (name: string): string => `overlay-console ${location.pathname} ${name}`;

/** The address below which the APIs of the controller answer: the origin of this page, and the path of a gateway, if any. */
export const controllerAddress = `${location.origin}${location.pathname.slice(0, location.pathname.lastIndexOf(`${settings.path}/`))}`;
