import { OwnLanguage } from '../parts/account/own-language.tsx';
import { OwnPassword } from '../parts/account/own-password.tsx';
import { OwnSessions } from '../parts/account/own-sessions.tsx';
import { OwnTokens } from '../parts/account/own-tokens.tsx';
import { SecondFactor } from '../parts/account/second-factor.tsx';
import { Heading } from '../parts/heading.tsx';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';

/** The account of the person who is signed in. */
export const Account = ({ session }: { readonly session: Session }) => (
  <>
    <Heading text={texts.account.title} />
    <OwnPassword session={session} />
    <SecondFactor session={session} />
    <OwnSessions />
    <OwnTokens session={session} />
    <OwnLanguage />
  </>
);
