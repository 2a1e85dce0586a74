import type { ComponentChildren } from 'preact';
import { GuideLink } from '../parts/guide.tsx';
import { Heading } from '../parts/heading.tsx';
import { hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { AddIdentity } from '../setup/add-identity.tsx';
import { AddRouter } from '../setup/add-router.tsx';
import { ConnectProvider } from '../setup/connect-provider.tsx';
import { PublishService } from '../setup/publish-service.tsx';
import { TrustAuthority } from '../setup/trust-authority.tsx';
import type { WayProps } from '../setup/way-props.ts';
import { type WayName, waysFor } from '../setup/ways.ts';
import { texts } from '../texts.ts';

const t = texts.setup;

const PAGES: Readonly<Record<WayName, (props: WayProps) => ComponentChildren>> = {
  'publish-service': PublishService,
  'add-identity': AddIdentity,
  'add-router': AddRouter,
  'connect-provider': ConnectProvider,
  'trust-authority': TrustAuthority,
};

interface Props extends WayProps {
  /** The last segment of the address; undefined for the list of setups. */
  readonly name: string | undefined;
}

/** The guided setups, or one of them. */
export const Setup = ({ session, query, name }: Props) => {
  const way = waysFor(session).find((each) => each.name === name);
  if (!way) return <Ways session={session} />;
  const Way = PAGES[way.name];
  return (
    <>
      <p class="crumb">
        <a href={hrefOf(['setup'])}>{t.title}</a>
      </p>
      <Heading text={t.ways[way.name].title}>
        <GuideLink name={way.guide} />
      </Heading>
      <Way session={session} query={query} />
    </>
  );
};

const Ways = ({ session }: { readonly session: Session }) => (
  <>
    <Heading text={t.title} />
    <p class="muted">{t.hint}</p>
    <ul class="ways">
      {waysFor(session).map(({ name }) => (
        <li key={name} class="card">
          <a href={hrefOf(['setup', name])}>{t.ways[name].title}</a>
          <span>{t.ways[name].hint}</span>
        </li>
      ))}
    </ul>
  </>
);
