import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { sections } from '../kinds.ts';
import { beginLogin } from '../login.ts';
import { useObservable } from '../observable.ts';
import { hrefOf, type Route } from '../router.ts';
import { type Session, sessionEnded } from '../session.ts';
import { settings } from '../settings.ts';
import { signOut } from '../sign-out.ts';
import { texts } from '../texts.ts';

/** The frame of all pages: name, navigation by what the session may do, and the notice of its end. */
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
  // A screen reader begins at the new page, and the menu of a phone closes.
  useEffect(() => {
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
          {texts.menu}
        </button>
        <a class="brand" href="#/">
          <img src="icon.svg" alt="" width="22" height="22" />
          <span>{settings.name}</span>
        </a>
        <span class="who">{session.identity.name}</span>
        <button type="button" class="quiet" onClick={() => void signOut()}>
          {texts.signOut}
        </button>
      </header>
      <nav id="navigation" class={isOpen ? 'side open' : 'side'} aria-label={texts.navigation}>
        <Navigation session={session} segments={route.segments} />
      </nav>
      <main ref={main} tabIndex={-1}>
        {hasEnded && (
          <div class="notice warn" role="alert">
            <p>{texts.sessionEnded}</p>
            <button type="button" class="primary" onClick={() => void beginLogin()}>
              {texts.signIn}
            </button>
          </div>
        )}
        {children}
      </main>
    </div>
  );
};

const Navigation = ({ session, segments }: { readonly session: Session; readonly segments: readonly string[] }) => {
  const has = (feature: string): boolean => settings.features.includes(feature);
  const [page = 'overview', group] = segments;
  return (
    <ul>
      {has('overview') && (
        <li>
          <a href="#/" aria-current={page === 'overview' ? 'page' : undefined}>
            {texts.overview}
          </a>
        </li>
      )}
      {has('access') && session.may('access', 'reach') && (
        <li>
          <a href={hrefOf(['access'])} aria-current={page === 'access' ? 'page' : undefined}>
            {texts.access.title}
          </a>
        </li>
      )}
      {has('traffic') && (session.may('links', 'list') || session.may('circuits', 'list')) && (
        <li>
          <a href={hrefOf(['traffic'])} aria-current={page === 'traffic' ? 'page' : undefined}>
            {texts.traffic.title}
          </a>
        </li>
      )}
      {has('audit') && session.may('audit', 'list') && (
        <li>
          <a href={hrefOf(['audit'])} aria-current={page === 'audit' || page === 'history' ? 'page' : undefined}>
            {texts.audit.title}
          </a>
        </li>
      )}
      {has('entities') &&
        sections.map(({ label, kinds }) => {
          const allowed = kinds.filter((kind) => session.may(kind.group, 'list'));
          return (
            allowed.length > 0 && (
              <li key={label}>
                <h2>{label}</h2>
                <ul>
                  {allowed.map((kind) => (
                    <li key={kind.group}>
                      <a
                        href={hrefOf(['entities', kind.group])}
                        aria-current={page === 'entities' && group === kind.group ? 'page' : undefined}
                      >
                        {kind.label}
                      </a>
                    </li>
                  ))}
                </ul>
              </li>
            )
          );
        })}
    </ul>
  );
};
