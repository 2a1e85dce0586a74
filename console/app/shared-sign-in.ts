/**
 * The sign-in that tabs share: a new tab asks the others, and one of them requests tokens of its own for it. Each tab thus renews its own
 * refresh token, which is valid once, and all are tokens of one session, which ends for all of them together.
 */
import { newKeys, sealFor, unseal } from './sealed.ts';
import { settings, storageKey } from './settings.ts';
import { listenToTabs, tellTabs } from './tabs.ts';
import { readTokens, requestTokensForTab, type Tokens } from './tokens.ts';

/** The name of the lock that each signed-in tab holds, so that a new tab knows how many it may ask. */
const SIGNED_IN = storageKey('signed in');
/** ms */
const ANSWER_WITHIN = 3000;

let withdraw: (() => void) | undefined;

/** Declares this tab signed in, and from then on answers tabs that ask. */
export const offerSignIn = (): void => {
  if (withdraw || !settings.sharesSignIn) return;
  const held = Promise.withResolvers<void>();
  void navigator.locks.request(SIGNED_IN, { mode: 'shared' }, () => held.promise);
  const answered = new Set<string>();
  const stop = listenToTabs((message) => {
    if (message.is === 'tokens') answered.add(message.id);
    // One tab after the other, until one has answered.
    if (message.is === 'ask') void navigator.locks.request(storageKey(`answer ${message.id}`), () => answer(message, answered));
  });
  withdraw = () => {
    stop();
    held.resolve();
  };
  tellTabs({ is: 'signed in' });
};

/** Answers no tab any more, because the session of this one has ended. */
export const withdrawSignIn = (): void => {
  withdraw?.();
  withdraw = undefined;
};

interface Ask {
  readonly id: string;
  readonly key: CryptoKey;
}

const answer = async ({ id, key }: Ask, answered: Set<string>): Promise<void> => {
  if (answered.delete(id)) return;
  try {
    const seal = await sealFor(key); // before the request: a wrong key costs no tokens
    tellTabs({ is: 'tokens', id, sealed: await seal(JSON.stringify(await requestTokensForTab())) });
  } catch {
    // The session of this tab has ended, or the message is not from a console.
    tellTabs({ is: 'none', id });
  }
};

/** Tokens from another tab; undefined if none has any, or none answers. */
export const askForTokens = async (): Promise<Tokens | undefined> => {
  if (!settings.sharesSignIn) return undefined;
  const { held = [] } = await navigator.locks.query();
  const others = held.filter(({ name }) => name === SIGNED_IN).length - (withdraw ? 1 : 0);
  if (others <= 0) return undefined;
  const { privateKey, publicKey } = await newKeys();
  const id = crypto.randomUUID();
  const { promise, resolve } = Promise.withResolvers<Tokens | undefined>();
  let missing = others;
  const stop = listenToTabs((message) => {
    if (message.is === 'none' && message.id === id && --missing === 0) resolve(undefined);
    if (message.is === 'tokens' && message.id === id)
      unseal(message.sealed, privateKey).then(
        (text) => resolve(JSON.parse(text) as Tokens), // `answer` sealed it
        () => resolve(undefined),
      );
  });
  const timer = setTimeout(() => resolve(undefined), ANSWER_WITHIN);
  tellTabs({ is: 'ask', id, key: publicKey });
  const tokens = await promise;
  clearTimeout(timer);
  stop();
  return tokens && readTokens() && tokens.session !== readTokens()?.session ? undefined : tokens;
};
