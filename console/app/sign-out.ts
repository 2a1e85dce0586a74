/** Signing out, in all tabs of the session. */
import { ApiError } from '../../client/index.ts';
import { deleteAllDrafts } from './drafts.ts';
import { client } from './session.ts';
import { storageKey } from './settings.ts';
import { listenToTabs, tellTabs } from './tabs.ts';
import { texts } from './texts.ts';
import { forgetTokens, readTokens } from './tokens.ts';

const SIGNED_OUT = storageKey('signed out');

/** Ends the session at the controller and in all its tabs, and leaves the page. */
export const signOut = async (): Promise<void> => {
  const isEnded = await client.currentApiSession.delete().then(
    () => true,
    // The controller refuses a session that has ended already.
    (error: unknown) => error instanceof ApiError && error.status === 401,
  );
  tellTabs({ is: 'signed out', session: readTokens()?.session ?? '', isEnded });
  leave(isEnded);
};

/** Leaves the page when another tab of the session signs out. */
export const followSignOut = (): void => {
  listenToTabs((message) => {
    if (message.is === 'signed out' && message.session === readTokens()?.session) leave(message.isEnded);
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
