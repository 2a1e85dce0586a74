import './host-texts.ts';
import { render } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { ApiError } from '../../client/index.ts';
import { kindOf, sections } from './kinds.ts';
import { beginLogin, completeLogin, takeTokens } from './login.ts';
import { useObservable } from './observable.ts';
import { Access } from './pages/access.tsx';
import { Account } from './pages/account.tsx';
import { Attributes } from './pages/attributes.tsx';
import { Audit } from './pages/audit.tsx';
import { Details } from './pages/details.tsx';
import { Explain } from './pages/explain.tsx';
import { EntityForm } from './pages/form.tsx';
import { History } from './pages/history.tsx';
import { HostPage } from './pages/host-page.tsx';
import { List } from './pages/list.tsx';
import { Network } from './pages/network.tsx';
import { Overview } from './pages/overview.tsx';
import { Setup } from './pages/setup.tsx';
import { Traffic } from './pages/traffic.tsx';
import { Usage } from './pages/usage.tsx';
import { FlashNotice, undoCount } from './parts/flash.tsx';
import { Heading } from './parts/heading.tsx';
import { Layout } from './parts/layout.tsx';
import { Problem } from './parts/problem.tsx';
import { goTo, hrefOf, type Route, useRoute } from './router.ts';
import { openSession, type Session, sessionEnded } from './session.ts';
import { settings } from './settings.ts';
import { offerSignIn } from './shared-sign-in.ts';
import { followSignOut, signOut, takeSignOutMessage } from './sign-out.ts';
import { listenToTabs } from './tabs.ts';
import { texts } from './texts.ts';
import { forgetTokens, LoginFailed } from './tokens.ts';

/** Redirects to the first page that the session may see, if the host has disabled the overview. */
const Start = ({ session: { may } }: { readonly session: Session }) => {
  const listed = sections.flatMap(({ kinds }) => kinds).find(({ group }) => may(group, 'list'));
  const pages: readonly (readonly [feature: string, isAllowed: boolean, segments: readonly string[]])[] = [
    ['access', may('access', 'reach'), ['access']],
    ['traffic', may('links', 'list'), ['traffic']],
    ['audit', may('audit', 'list'), ['audit']],
    ['entities', listed !== undefined, ['entities', listed?.group ?? '']],
  ];
  const first = pages.find(([feature, isAllowed]) => isAllowed && settings.features.includes(feature));
  useEffect(() => (first ? goTo(hrefOf(first[2]), { isReplacing: true }) : undefined), []);
  return <p>{first ? texts.loading : texts.notFound}</p>;
};

/** The page of a route. */
const Page = ({ session, route: { segments, query } }: { readonly session: Session; readonly route: Route }) => {
  const [page = 'overview', group = '', id, action] = segments;
  const kind = kindOf(group);
  if (segments.length === 0 && !settings.features.includes('overview')) return <Start session={session} />;
  if (page === 'overview' && settings.features.includes('overview')) return <Overview session={session} />;
  if (page === 'access' && settings.features.includes('access')) {
    if (group !== 'explain') return <Access session={session} query={query} />;
    const type = query['type'] === 'Bind' ? 'Bind' : 'Dial';
    return <Explain key={`${id} ${action} ${type}`} session={session} identityId={id ?? ''} serviceId={action ?? ''} type={type} />;
  }
  if (page === 'audit' && settings.features.includes('audit')) return <Audit session={session} query={query} />;
  if (page === 'history' && id && settings.features.includes('audit'))
    return <History key={`${group}/${id}`} session={session} kind={group} id={id} before={query['before']} />;
  if (page === 'network' && settings.features.includes('traffic')) return <Network session={session} query={query} />;
  if (page === 'traffic' && settings.features.includes('traffic')) return <Traffic session={session} query={query} />;
  if (page === 'usage' && settings.features.includes('traffic')) return <Usage session={session} query={query} />;
  const hosted = page === 'pages' ? settings.pages.find(({ path }) => path === group) : undefined;
  if (hosted) return <HostPage page={hosted} />;
  if (page === 'account') return <Account session={session} />;
  if (page === 'setup' && settings.features.includes('entities')) return <Setup session={session} name={group} query={query} />;
  if (page === 'attributes' && kind && session.may('roleAttributes', group) && settings.features.includes('entities'))
    return <Attributes key={group} session={session} kind={kind} query={query} />;
  if (page === 'entities' && kind && settings.features.includes('entities')) {
    if (id === undefined) return <List key={group} session={session} kind={kind} query={query} />;
    if (id === 'new') return <EntityForm key={`${group}/new/${query['from']}`} session={session} kind={kind} from={query['from']} />;
    if (action === 'edit') return <EntityForm key={`${group}/${id}`} session={session} kind={kind} id={id} />;
    return <Details key={`${group}/${id}`} session={session} kind={kind} id={id} related={query['related']} />;
  }
  return (
    <>
      <Heading text={texts.notFound} />
      <p>{texts.notFoundHint}</p>
    </>
  );
};

/** An error in a page leaves the navigation usable. The next route is tried again. */
const GuardedPage = ({ session, route }: { readonly session: Session; readonly route: Route }) => {
  const [error, retry] = useErrorBoundary();
  useEffect(() => (error === undefined ? undefined : retry()), [hrefOf(route.segments, route.query)]);
  return error === undefined ? <Page session={session} route={route} /> : <Problem error={error} retry={retry} />;
};

const Console = ({ session }: { readonly session: Session }) => {
  const route = useRoute();
  const turn = useObservable(undoCount);
  return (
    <Layout session={session} route={route}>
      <FlashNotice place={hrefOf(route.segments)} />
      <GuardedPage key={`${turn} ${route.segments.join('/')}`} session={session} route={route} />
    </Layout>
  );
};

/** The page of a tab without a session. */
const SignIn = ({ text, error, retry }: { readonly text?: string; readonly error?: unknown; readonly retry?: () => void }) => (
  <main class="outside">
    <h1>{settings.name}</h1>
    {text && <p>{text}</p>}
    {error !== undefined && <Problem error={error} {...(retry ? { retry } : {})} />}
    <button type="button" class="primary" onClick={() => void beginLogin()}>
      {texts.signIn}
    </button>
  </main>
);

/** The page of someone without administrative permissions. */
const WithoutRights = ({ session: { identity } }: { readonly session: Session }) => (
  <main class="outside">
    <h1>{settings.name}</h1>
    <p>{texts.noRights(identity.name)}</p>
    <button type="button" class="primary" onClick={() => void signOut()}>
      {texts.signOut}
    </button>
  </main>
);

/** The page at an address without HTTPS, where browsers have no cryptography for a login. */
const Insecure = () => (
  <main class="outside">
    <h1>{settings.name}</h1>
    <p role="alert">{texts.insecure}</p>
  </main>
);

const root = document.getElementById('app') ?? document.body;

/** Time between attempts while the controller does not respond. ms */
const RETRY_MS = 5000;

/** Waits until someone signs in here or in another tab. */
const showSignedOut = (text: string): void => {
  listenToTabs(({ is }) => (is === 'signed in' ? location.reload() : undefined));
  render(<SignIn text={text} />, root);
};

const open = async (): Promise<void> => {
  try {
    if (!(await completeLogin())) {
      const text = takeSignOutMessage();
      if (text !== undefined) return showSignedOut(text);
      if (!(await takeTokens())) return await beginLogin();
    }
    const session = await openSession();
    followSignOut();
    offerSignIn();
    if (!session.hasAny) return render(<WithoutRights session={session} />, root);
    render(<Console session={session} />, root);
  } catch (error) {
    // The tokens of this tab may belong to a session that has ended in the meantime.
    if (sessionEnded.get()) return beginLogin();
    if (error instanceof ApiError && error.status === 503) setTimeout(() => void open(), RETRY_MS);
    // The session is valid, but owes a factor: every complete session may read its own identity.
    if (error instanceof ApiError && error.status === 401) return render(<SignIn text={texts.owesFactor} />, root);
    if (!(error instanceof LoginFailed)) return render(<SignIn error={error} retry={() => location.reload()} />, root);
    forgetTokens();
    render(<SignIn text={texts.loginFailedHint} error={error} />, root);
  }
};

// A page that the browser restores from its back-forward cache may show the session of someone else.
addEventListener('pageshow', ({ persisted }) => (persisted ? location.reload() : undefined));

if (isSecureContext) {
  render(<p class="outside">{texts.signingIn}</p>, root);
  void open();
} else {
  render(<Insecure />, root);
}
