/** The pages that a session may see, for the navigation and the search. */
import { sections } from './kinds.ts';
import type { IconName } from './parts/icon.tsx';
import { maySeeNetwork } from './read-network.ts';
import { hrefOf } from './router.ts';
import type { Session } from './session.ts';
import { settings } from './settings.ts';
import { waysFor } from './setup/ways.ts';
import { texts } from './texts.ts';

export interface PageLink {
  readonly label: string;
  readonly href: string;
  readonly icon?: IconName;
  /** True for the page, or one below it, that a route shows. */
  readonly isShownBy: (segments: readonly string[]) => boolean;
  /** True for an address that the host has set, which opens in a new tab. */
  readonly isElsewhere?: boolean;
}

export interface PageSection {
  /** Undefined for pages that belong to no section. */
  readonly label: string | undefined;
  readonly pages: readonly PageLink[];
}

const has = (feature: string): boolean => settings.features.includes(feature);

/** A page beside the lists, if the host and the permissions include it. */
const page = (
  isIncluded: boolean,
  icon: IconName,
  label: string,
  segments: readonly string[],
  names: readonly string[],
): readonly PageLink[] =>
  isIncluded ? [{ label, icon, href: hrefOf(segments), isShownBy: ([name = 'overview']) => names.includes(name) }] : [];

/** The sections of the navigation, without those in which the session may see nothing. */
export const pagesOf = (session: Session): readonly PageSection[] => {
  const { may } = session;
  const lists = (has('entities') ? sections : []).map(({ label, kinds }) => ({
    label,
    pages: kinds
      .filter(({ group }) => may(group, 'list'))
      .map((kind) => ({
        label: kind.label,
        icon: kind.icon,
        href: hrefOf(['entities', kind.group]),
        isShownBy: ([name, group]: readonly string[]) => name === 'entities' && group === kind.group,
      })),
  }));
  const others = [
    page(has('overview'), 'overview', texts.overview, [], ['overview']),
    page(waysFor(session).length > 0, 'setup', texts.setup.title, ['setup'], ['setup']),
    page(has('access') && may('access', 'reach'), 'access', texts.access.title, ['access'], ['access']),
    page(has('traffic') && maySeeNetwork(session), 'network', texts.network.title, ['network'], ['network']),
    page(has('traffic') && (may('links', 'list') || may('circuits', 'list')), 'traffic', texts.traffic.title, ['traffic'], ['traffic']),
    page(has('traffic') && (may('usage', 'list') || may('journal', 'list')), 'activity', texts.usage.title, ['usage'], ['usage']),
    page(has('audit') && may('audit', 'list'), 'audit', texts.audit.title, ['audit'], ['audit', 'history']),
  ].flat();
  const own = page(true, 'person', texts.account.title, ['account'], ['account']);
  const ofHost = [
    ...settings.pages.map(({ label, path }) => ({
      label,
      href: hrefOf(['pages', path]),
      icon: 'more' as const,
      isShownBy: ([name, shown]: readonly string[]) => name === 'pages' && shown === path,
    })),
    ...settings.links.map(({ label, address }) => ({
      label,
      href: address,
      icon: 'more' as const,
      isShownBy: () => false,
      isElsewhere: true,
    })),
  ];
  const last = [
    { label: texts.ofHost, pages: ofHost },
    { label: undefined, pages: own },
  ];
  return [{ label: undefined, pages: others }, ...lists, ...last].filter(({ pages }) => pages.length > 0);
};
