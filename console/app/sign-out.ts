/** The end of a session that the person wants to end. */
import { ApiError } from '../../src/client/index.ts';
import { dropDrafts } from './drafts.ts';
import { forget } from './login.ts';
import { client } from './session.ts';
import { keyOf } from './settings.ts';
import { texts } from './texts.ts';

const SIGNED_OUT = keyOf('signed out');

/** Ends the session at the controller and in this tab, and leaves the page. */
export const signOut = async (): Promise<void> => {
  const text = await client.currentApiSession.delete().then(
    () => texts.signedOut,
    // A session that has ended by itself is refused.
    (error: unknown) => (error instanceof ApiError && error.status === 401 ? texts.signedOut : texts.signedOutHere),
  );
  forget();
  dropDrafts();
  sessionStorage.setItem(SIGNED_OUT, text);
  location.replace(location.pathname);
};

/** What to say after a person has signed out, once. */
export const farewell = (): string | undefined => {
  const text = sessionStorage.getItem(SIGNED_OUT) ?? undefined;
  sessionStorage.removeItem(SIGNED_OUT);
  return text;
};
