/** The search everywhere: entities of all kinds, pages and commands that contain a text. */
import { type Entity, entityApi, identifiersOf, type KindView, sections } from './kinds.ts';
import { pagesOf } from './pages.ts';
import { goTo, hrefOf } from './router.ts';
import { directFilterOf } from './search.ts';
import type { Session } from './session.ts';
import { settings } from './settings.ts';
import { waysFor } from './setup/ways.ts';
import { signOut } from './sign-out.ts';
import { texts } from './texts.ts';

const t = texts.everywhere;

/** Something that the search finds, and what choosing it does. */
export interface Finding {
  readonly key: string;
  readonly label: string;
  readonly detail: string;
  readonly act: () => void;
}

const leadingTo = (href: string, label: string, detail: string): Finding => ({
  key: `${detail} ${href}`,
  label,
  detail,
  act: () => goTo(href),
});

/** The pages that the session may see, and what it may do from any page. */
export const commandsOf = (session: Session): readonly Finding[] => {
  const { may } = session;
  const pages = pagesOf(session).flatMap((section) =>
    section.pages.map(({ label, href }) => leadingTo(href, label, section.label ?? t.page)),
  );
  const creations = kindsOf(session, 'create').map(({ group, singular }) =>
    leadingTo(hrefOf(['entities', group, 'new']), texts.newEntity(singular), t.command),
  );
  const setups = waysFor(session).map(({ name }) => leadingTo(hrefOf(['setup', name]), texts.setup.ways[name].title, texts.setup.title));
  const mayVerify = settings.features.includes('audit') && may('audit', 'list') && may('audit', 'verify');
  return [
    ...pages,
    ...setups,
    ...creations,
    ...(mayVerify ? [leadingTo(hrefOf(['audit'], { verify: 'yes' }), t.verify, t.command)] : []),
    { key: 'sign out', label: texts.signOut, detail: t.command, act: () => void signOut() },
  ];
};

/** The kinds with an operation that the session may use, if the host has their pages. */
const kindsOf = ({ may }: Session, verb: 'list' | 'create'): readonly KindView[] =>
  settings.features.includes('entities') ? sections.flatMap(({ kinds }) => kinds).filter(({ group }) => may(group, verb)) : [];

/** The findings whose labels contain all words of a text. */
export const withWords = (findings: readonly Finding[], text: string): readonly Finding[] => {
  const words = text.toLowerCase().split(/\s+/);
  return findings.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
};

/** Shorter texts are in nearly every name. */
export const MIN_LENGTH = 2;
/** Entities of each kind that are shown; the list of the kind has all. */
const MAX_OF_KIND = 3;
/** Requests at a time: the search must not displace other calls. */
const MAX_REQUESTS = 4;

export interface Entities {
  readonly findings: readonly Finding[];
  /** True if a kind could not be searched. */
  readonly isPartial: boolean;
}

/** The first entities of each kind that contain a text in their own fields; of each kind with more, a link to its list. */
export const findEverywhere = async (session: Session, text: string, signal: AbortSignal): Promise<Entities> => {
  const kinds = kindsOf(session, 'list');
  const found: (readonly Finding[] | undefined)[] = [];
  const waiting = [...kinds.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift())
      found[next[0]] = await findInKind(next[1], text, signal).catch(() => undefined);
  };
  await Promise.all(Array.from({ length: MAX_REQUESTS }, work));
  return { findings: found.flatMap((each) => each ?? []), isPartial: found.includes(undefined) };
};

const findInKind = async (kind: KindView, text: string, signal: AbortSignal): Promise<readonly Finding[]> => {
  const filter = directFilterOf(kind, text);
  const { data, pagination } = await entityApi(kind.group).list({ filter, limit: MAX_OF_KIND }, { signal });
  const all = leadingTo(hrefOf(['entities', kind.group], { filter }), t.all(pagination.totalCount), kind.label);
  return [...data.map((entity) => findingOf(kind, entity)), ...(pagination.totalCount > data.length ? [all] : [])];
};

const findingOf = (kind: KindView, entity: Entity): Finding =>
  leadingTo(hrefOf(['entities', kind.group, entity.id]), identifiersOf(entity, kind).join(' · '), kind.singular);
