/**
 * Messages between the tabs of this console. Every script of the origin can read and send them: they contain no readable secret, and what
 * they say is checked, or has no effect beyond a notice or the end of this tab's session.
 */
import type { Sealed } from './sealed.ts';
import { storageKey } from './settings.ts';

export type TabMessage =
  /** A tab asks for tokens, sealed for a key. */
  | { readonly is: 'ask'; readonly id: string; readonly key: CryptoKey }
  /** The tokens for the tab that asked. */
  | { readonly is: 'tokens'; readonly id: string; readonly sealed: Sealed }
  /** A tab has none to give. */
  | { readonly is: 'none'; readonly id: string }
  | { readonly is: 'signed in' }
  /** A person has signed out. The id of the session is not a credential; `isEnded` says that the controller knows of it. */
  | { readonly is: 'signed out'; readonly session: string; readonly isEnded: boolean }
  /** An entity was changed: its address below the API, such as `services/abc`. */
  | { readonly is: 'changed'; readonly path: string };

const channel = new BroadcastChannel(storageKey('tabs'));

/** Sends a message to the other tabs. */
export const tellTabs = (message: TabMessage): void => channel.postMessage(message);

/** Calls `listener` with the messages of other tabs. @returns a function that removes the listener */
export const listenToTabs = (listener: (message: TabMessage) => void): (() => void) => {
  // Another script may have sent anything: listeners compare `is`, and use the members as they are.
  const receive = ({ data }: MessageEvent<unknown>): void => {
    if (typeof data === 'object' && data !== null && 'is' in data) listener(data as TabMessage);
  };
  channel.addEventListener('message', receive);
  return () => channel.removeEventListener('message', receive);
};

/** The collection and the id in the address of a request. */
const ENTITY = /\/v1\/([a-z-]+\/[^/?]+)/;

/** Tells the other tabs which entity a request has changed, unless it was a preview. */
export const announceChange = (url: string, { method = 'GET', headers }: RequestInit): void => {
  const path = ENTITY.exec(url)?.[1];
  if (method !== 'GET' && path !== undefined && !new Headers(headers).has('prefer')) tellTabs({ is: 'changed', path });
};
