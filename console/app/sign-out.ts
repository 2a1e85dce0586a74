/** Signing out, in all tabs of the session. */
import { ApiError } from '../../client/index.ts';
import { deleteAllDrafts } from './drafts.ts';
import { client } from './session.ts';
import { storageKey } from './settings.ts';
import { listenToTabs, tellTabs } from './tabs.ts';
import { texts } from './texts.ts';
import { forgetTokens, readTokens } from './tokens.ts';

const SIGNED_OUT = storageKey('signed out');

/** The id of the session that was opened here: the tokens are gone when it ends, what was entered in it is not. */
let opened: string | undefined;

/** Ends the session at the controller and in all its tabs, and leaves the page. */
export const signOut = async (): Promise<void> => {
  const isEnded = await client.currentApiSession.delete().then(
    () => true,
    // The controller refuses a session that has ended already.
    (error: unknown) => error instanceof ApiError && error.status === 401,
  );
  tellTabs({ is: 'signed out', session: opened ?? '', isEnded });
  leave(isEnded);
};

/** Leaves the page when another tab of the session signs out. */
export const followSignOut = (): void => {
  opened = readTokens()?.session;
  listenToTabs((message) => {
    if (message.is === 'signed out' && opened !== undefined && message.session === opened) leave(message.isEnded);
  });
};

const leave = (isEnded: boolean): void => {
  forgetTokens();
  deleteAllDrafts();
  sessionStorage.setItem(SIGNED_OUT, isEnded ? texts.signedOut : texts.signedOutHere);
  location.replace(location.pathname);
};

/** The message to show once after signing out; undefined otherwise. */
export const takeSignOutMessage = (): string | undefined => {
  const text = sessionStorage.getItem(SIGNED_OUT) ?? undefined;
  sessionStorage.removeItem(SIGNED_OUT);
  return text;
};
