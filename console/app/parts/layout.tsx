import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { signIn } from '../login.ts';
import { useObservable } from '../observable.ts';
import { type PageLink, pagesOf } from '../pages.ts';
import { hrefOf, type Route } from '../router.ts';
import { type Session, sessionEnded } from '../session.ts';
import { settings } from '../settings.ts';
import { signOut } from '../sign-out.ts';
import { texts } from '../texts.ts';
import { Icon } from './icon.tsx';
import { SearchEverywhere } from './search-dialog.tsx';

/** The frame of all pages: the name, the navigation to the pages that the session may see, and a notice when the session has ended. */
export const Layout = ({
  session,
  route,
  children,
}: {
  readonly session: Session;
  readonly route: Route;
  readonly children: ComponentChildren;
}) => {
  const [isOpen, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const hasEnded = useObservable(sessionEnded);
  const place = route.segments.join('/');
  // Moves screen readers to the new page, and closes the menu on phones.
  useLayoutEffect(() => {
    setOpen(false);
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
    isFirst.current = false;
  }, [place]);
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {texts.skip}
      </button>
      <header class="top">
        <button type="button" class="menu quiet" aria-expanded={isOpen} aria-controls="navigation" onClick={() => setOpen(!isOpen)}>
          <Icon name="menu" />
          <span>{texts.menu}</span>
        </button>
        <a class="brand" href="#/">
          <img src={settings.logo} alt="" width="28" height="28" />
          <span>{settings.name}</span>
        </a>
        <SearchEverywhere key={place} session={session} />
        <a class="who" href={hrefOf(['account'])} aria-label={texts.account.of(session.identity.name)}>
          <Icon name="person" />
          <span>{session.identity.name}</span>
        </a>
        <button type="button" class="quiet" onClick={() => void signOut()}>
          <Icon name="leave" />
          <span>{texts.signOut}</span>
        </button>
      </header>
      <nav id="navigation" class={isOpen ? 'side open' : 'side'} aria-label={texts.navigation}>
        <Navigation session={session} segments={route.segments} />
      </nav>
      <main ref={main} tabIndex={-1}>
        {hasEnded && (
          <div class="notice warn" role="alert">
            <p>{texts.sessionEnded}</p>
            <button type="button" class="primary" onClick={() => void signIn()}>
              {texts.signIn}
            </button>
          </div>
        )}
        {children}
      </main>
    </div>
  );
};

const Navigation = ({ session, segments }: { readonly session: Session; readonly segments: readonly string[] }) => (
  <ul>
    {pagesOf(session).map(({ label, pages }) =>
      label === undefined ? (
        pages.map((page) => <NavigationLink key={page.href} page={page} segments={segments} />)
      ) : (
        <li key={label}>
          <h2>{label}</h2>
          <ul>
            {pages.map((page) => (
              <NavigationLink key={page.href} page={page} segments={segments} />
            ))}
          </ul>
        </li>
      ),
    )}
  </ul>
);

const NavigationLink = ({ page, segments }: { readonly page: PageLink; readonly segments: readonly string[] }) => (
  <li>
    <a
      href={page.href}
      aria-current={page.isShownBy(segments) ? 'page' : undefined}
      {...(page.isElsewhere ? { target: '_blank', rel: 'noopener noreferrer' } : {})}
    >
      {page.icon && <Icon name={page.icon} />}
      <span>{page.label}</span>
    </a>
  </li>
);
