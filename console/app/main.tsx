import { render } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { kindOf, sections } from './kinds.ts';
import { beginLogin, completeLogin, forget, LoginFailed } from './login.ts';
import { Access } from './pages/access.tsx';
import { Audit } from './pages/audit.tsx';
import { Details } from './pages/details.tsx';
import { Explain } from './pages/explain.tsx';
import { EntityForm } from './pages/form.tsx';
import { History } from './pages/history.tsx';
import { List } from './pages/list.tsx';
import { Overview } from './pages/overview.tsx';
import { Traffic } from './pages/traffic.tsx';
import { FlashNotice } from './parts/flash.tsx';
import { Heading } from './parts/heading.tsx';
import { Layout } from './parts/layout.tsx';
import { Problem } from './parts/problem.tsx';
import { goTo, hrefOf, type Route, useRoute } from './router.ts';
import { openSession, type Session, sessionEnded } from './session.ts';
import { settings } from './settings.ts';
import { farewell, signOut } from './sign-out.ts';
import { texts } from './texts.ts';

/** Without an overview, the first page that the session may see comes first. */
const Start = ({ session: { may } }: { readonly session: Session }) => {
  const listed = sections.flatMap(({ kinds }) => kinds).find(({ group }) => may(group, 'list'));
  const pages: readonly (readonly [feature: string, isAllowed: boolean, segments: readonly string[]])[] = [
    ['access', may('access', 'reach'), ['access']],
    ['traffic', may('links', 'list'), ['traffic']],
    ['audit', may('audit', 'list'), ['audit']],
    ['entities', listed !== undefined, ['entities', listed?.group ?? '']],
  ];
  const first = pages.find(([feature, isAllowed]) => isAllowed && settings.features.includes(feature));
  useEffect(() => (first ? goTo(hrefOf(first[2]), true) : undefined), []);
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
  if (page === 'traffic' && settings.features.includes('traffic')) return <Traffic session={session} />;
  if (page === 'entities' && kind && settings.features.includes('entities')) {
    if (id === undefined) return <List key={group} session={session} kind={kind} query={query} />;
    if (id === 'new') return <EntityForm key={`${group}/new`} session={session} kind={kind} />;
    if (action === 'edit') return <EntityForm key={`${group}/${id}`} session={session} kind={kind} id={id} />;
    return <Details key={`${group}/${id}`} session={session} kind={kind} id={id} />;
  }
  return (
    <>
      <Heading text={texts.notFound} />
      <p>{texts.notFoundHint}</p>
    </>
  );
};

/** A page that cannot be drawn leaves the way to the others. */
const GuardedPage = (shown: { readonly session: Session; readonly route: Route }) => {
  const [error, retry] = useErrorBoundary();
  return error === undefined ? <Page {...shown} /> : <Problem error={error} retry={retry} />;
};

const Console = ({ session }: { readonly session: Session }) => {
  const route = useRoute();
  return (
    <Layout session={session} route={route}>
      <FlashNotice place={hrefOf(route.segments)} />
      <GuardedPage key={route.segments.join('/')} session={session} route={route} />
    </Layout>
  );
};

/** A page without a session. */
const Outside = ({ text, error, retry }: { readonly text?: string; readonly error?: unknown; readonly retry?: () => void }) => (
  <main class="outside">
    <h1>{settings.name}</h1>
    {text && <p>{text}</p>}
    {error !== undefined && <Problem error={error} {...(retry ? { retry } : {})} />}
    <button type="button" class="primary" onClick={() => void beginLogin()}>
      {texts.signIn}
    </button>
  </main>
);

/** The page of someone who administers nothing. */
const WithoutRights = ({ session: { identity } }: { readonly session: Session }) => (
  <main class="outside">
    <h1>{settings.name}</h1>
    <p>{texts.noRights(identity.name)}</p>
    <button type="button" class="primary" onClick={() => void signOut()}>
      {texts.signOut}
    </button>
  </main>
);

const root = document.getElementById('app') ?? document.body;

const open = async (): Promise<void> => {
  render(<p class="outside">{texts.signingIn}</p>, root);
  try {
    if (!(await completeLogin())) {
      const text = farewell();
      return text === undefined ? await beginLogin() : render(<Outside text={text} />, root);
    }
    const session = await openSession();
    if (!session.hasAny) return render(<WithoutRights session={session} />, root);
    render(<Console session={session} />, root);
  } catch (error) {
    // The tokens of the tab may be of a session that has ended meanwhile.
    if (sessionEnded.get()) return beginLogin();
    if (!(error instanceof LoginFailed)) return render(<Outside error={error} retry={() => location.reload()} />, root);
    forget();
    render(<Outside text={texts.loginFailedHint} error={error} />, root);
  }
};

// Browsers keep pages for the way back: by then, the session may be that of someone else.
addEventListener('pageshow', ({ persisted }) => (persisted ? location.reload() : undefined));

void open();
